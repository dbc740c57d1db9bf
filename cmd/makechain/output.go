package main

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"google.golang.org/protobuf/proto"

	"makechain/internal/jsonform"
	"makechain/internal/limit"
	"makechain/internal/term"
)

// printer prints for people, on the command's output.
func (r *remote) printer(command *cobra.Command) *term.Printer {
	out := command.OutOrStdout()
	return term.New(out, term.Options{Full: r.full, Colour: term.Colourful(out), Now: time.Now()})
}

// print prints an answer: as JSON with --json, else as human does.
func (r *remote) print(command *cobra.Command, answer proto.Message, human func(*term.Printer)) error {
	if !r.json {
		p := r.printer(command)
		human(p)
		return p.Err()
	}
	encoded, err := jsonform.Marshal(answer)
	if err != nil {
		return err
	}
	_, err = command.OutOrStdout().Write(append(encoded, '\n'))
	return err
}

// maxPage is the most items a node answers at once.
const maxPage = limit.MaxPage

// listing is how much of a list to show.
type listing struct {
	limit  uint32
	cursor string
	all    bool
}

func (l *listing) register(flags *pflag.FlagSet) {
	flags.Uint32Var(&l.limit, "limit", 50, "how many to show, 1 to 200")
	flags.StringVar(&l.cursor, "cursor", "", "where an earlier list ended")
	flags.BoolVar(&l.all, "all", false, "show all, page by page")
}

// page is a part of a list, with the place where it goes on.
type page interface {
	proto.Message
	GetNextCursor() []byte
}

// collect reads a list as far as it is to be shown. With --all the pages become one, and its cursor is at the end.
func collect[P page](command *cobra.Command, l *listing, fetch func(limit uint32, cursor []byte) (P, error)) (P, error) {
	var none P
	cursor, err := hex.DecodeString(l.cursor)
	if err != nil {
		return none, misused(command, "--cursor: %w", err)
	}
	if l.limit < 1 || l.limit > maxPage {
		return none, misused(command, "--limit: %d is not between 1 and %d", l.limit, maxPage)
	}
	if !l.all {
		return fetch(l.limit, cursor)
	}
	whole, err := fetch(maxPage, cursor)
	for err == nil && len(whole.GetNextCursor()) > 0 {
		var next P
		if next, err = fetch(maxPage, whole.GetNextCursor()); err == nil {
			fields := whole.ProtoReflect()
			fields.Clear(fields.Descriptor().Fields().ByName("next_cursor"))
			proto.Merge(whole, next)
		}
	}
	return whole, err
}

// printMore says how to go on with a list that has not ended.
func printMore(p *term.Printer, list page) {
	if cursor := list.GetNextCursor(); len(cursor) > 0 {
		p.Line("%s", p.Style(term.Dim, fmt.Sprintf("more with --all, or --cursor %x", cursor)))
	}
}

// errNotConfirmed is the answer of a person who thought better of it.
var errNotConfirmed = errors.New("not confirmed, nothing was done")

// confirm asks a person before something that cannot be undone. Where nobody can answer, --yes must have been given.
func confirm(command *cobra.Command, yes bool, question string, args ...any) error {
	if yes {
		return nil
	}
	in := command.InOrStdin()
	if !term.IsTerminal(in) {
		return misused(command, "this cannot be undone: say --yes")
	}
	if _, err := fmt.Fprintf(command.ErrOrStderr(), question+" [y/N] ", args...); err != nil {
		return err
	}
	answer, err := interruptible(command.Context(), func() (string, error) { return bufio.NewReader(in).ReadString('\n') })
	if err != nil {
		return fmt.Errorf("no answer: %w", err)
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return nil
	default:
		return errNotConfirmed
	}
}
