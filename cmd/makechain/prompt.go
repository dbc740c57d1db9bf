package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"
	xterm "golang.org/x/term"
)

// interruptible waits for what a person types, or until the context ends. A read from a terminal does not end with
// the context; it is left behind, which is fine for a program that is about to end.
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

// ask reads a line from the terminal without showing it.
func ask(command *cobra.Command, question string) ([]byte, error) {
	terminal, isFile := command.InOrStdin().(*os.File)
	if !isFile {
		return nil, errors.New("input is no terminal")
	}
	if _, err := fmt.Fprint(command.ErrOrStderr(), question+": "); err != nil {
		return nil, err
	}
	before, err := xterm.GetState(int(terminal.Fd()))
	if err != nil {
		return nil, err
	}
	answer, err := interruptible(command.Context(), func() ([]byte, error) { return xterm.ReadPassword(int(terminal.Fd())) })
	// A read that was left behind has left the terminal mute.
	err = errors.Join(err, xterm.Restore(int(terminal.Fd()), before))
	// The line that the person ended was not shown either.
	_, printed := fmt.Fprintln(command.ErrOrStderr())
	return answer, errors.Join(err, printed)
}
