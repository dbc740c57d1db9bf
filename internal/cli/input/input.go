// Package input reads files, standard input and the answers of a user at the terminal.
package input

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	xterm "golang.org/x/term"
	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/internal/cli/usage"
	"makechain/internal/jsonform"
	"makechain/internal/term"
)

// StandardInput is the name of standard input in errors.
const StandardInput = "standard input"

// Read reads at most limit bytes. A longer input is an error that has its name.
func Read(in io.Reader, name string, limit int64) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(in, limit+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if int64(len(content)) > limit {
		return nil, fmt.Errorf("%s is larger than %d bytes", name, limit)
	}
	return content, nil
}

// ReadFile reads a file of at most limit bytes.
func ReadFile(path string, limit int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return Read(file, path, limit)
}

// DecodeMessage decodes a message from JSON or protobuf. A protobuf message never begins with a brace, which would be
// a field of a wire type that is not in use.
func DecodeMessage(content []byte) (*pb.Message, error) {
	m := new(pb.Message)
	if bytes.HasPrefix(bytes.TrimSpace(content), []byte("{")) {
		return m, jsonform.Unmarshal(content, m)
	}
	if len(content) == 0 {
		return m, io.ErrUnexpectedEOF
	}
	return m, proto.Unmarshal(content, m)
}

// errNotConfirmed is returned when the user does not confirm.
var errNotConfirmed = errors.New("not confirmed, nothing was done")

// Confirm asks the user before something that cannot be undone. Without a terminal, yes must be true.
func Confirm(command *cobra.Command, yes bool, question string, args ...any) error {
	if yes {
		return nil
	}
	if !term.IsTerminal(command.InOrStdin()) {
		return usage.Errorf(command, "this cannot be undone: confirm with --yes")
	}
	agreed, err := Ask(command, question, args...)
	if err == nil && !agreed {
		err = errNotConfirmed
	}
	return err
}

// Ask asks the user at the terminal a question that is answered with yes or no, which is the default.
func Ask(command *cobra.Command, question string, args ...any) (bool, error) {
	if _, err := fmt.Fprintf(command.ErrOrStderr(), question+" [y/N] ", args...); err != nil {
		return false, err
	}
	in := command.InOrStdin()
	answer, err := interruptible(command.Context(), func() (string, error) { return bufio.NewReader(in).ReadString('\n') })
	if err != nil {
		return false, fmt.Errorf("no answer: %w", err)
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return true, nil
	default:
		return false, nil
	}
}

// Secret reads a line from the terminal without echoing it.
func Secret(command *cobra.Command, question string) ([]byte, error) {
	terminal, isFile := command.InOrStdin().(*os.File)
	if !isFile {
		return nil, errors.New("input is not a terminal")
	}
	if _, err := fmt.Fprint(command.ErrOrStderr(), question+": "); err != nil {
		return nil, err
	}
	before, err := xterm.GetState(int(terminal.Fd()))
	if err != nil {
		return nil, err
	}
	answer, err := interruptible(command.Context(), func() ([]byte, error) { return xterm.ReadPassword(int(terminal.Fd())) })
	// An abandoned read leaves echo off.
	err = errors.Join(err, xterm.Restore(int(terminal.Fd()), before))
	// The newline that the user typed was not echoed either.
	_, printed := fmt.Fprintln(command.ErrOrStderr())
	return answer, errors.Join(err, printed)
}

// interruptible waits for a read or until the context ends. A read from a terminal does not end with the context; its
// goroutine is abandoned, which is acceptable because the program is about to exit.
func interruptible[T any](ctx context.Context, read func() (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	answers := make(chan answer, 1)
	go func() {
		value, err := read()
		answers <- answer{value, err}
	}()
	select {
	case got := <-answers:
		return got.value, got.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}
