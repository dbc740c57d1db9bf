// Package output prints answers: as JSON with --json, else as tables and facts with names in place of ids.
package output

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"google.golang.org/protobuf/proto"

	"makechain/client"
	"makechain/internal/jsonform"
	"makechain/internal/term"
)

// Flags are the flags that select the form of the output.
type Flags struct {
	JSON bool
	Full bool
}

// Register adds the flags of a command that prints answers of a node.
func (f *Flags) Register(flags *pflag.FlagSet) {
	flags.BoolVar(&f.JSON, "json", false, "print JSON, in the form of the REST gateway")
	flags.BoolVar(&f.Full, "full", false, "print ids and times in full")
}

// RegisterJSON adds --json for a command that prints local information, always with full ids.
func (f *Flags) RegisterJSON(flags *pflag.FlagSet) {
	f.Full = true
	flags.BoolVar(&f.JSON, "json", false, "print JSON")
}

// Printer prints for people. It looks up the names of accounts and projects at a node.
type Printer struct {
	*term.Printer
	labels
}

// Printer returns a printer on the output of a command.
func (f *Flags) Printer(command *cobra.Command, c *client.Client) *Printer {
	p := f.local(command)
	return &Printer{Printer: p, labels: newLabels(command.Context(), c, p)}
}

// Quiet returns a printer that prints nothing, for its names alone.
func Quiet(ctx context.Context, c *client.Client) *Printer {
	p := term.New(nil, term.Options{})
	return &Printer{Printer: p, labels: newLabels(ctx, c, p)}
}

func (f *Flags) local(command *cobra.Command) *term.Printer {
	out := command.OutOrStdout()
	return term.New(out, term.Options{Full: f.Full, Colour: term.Colourful(out), Now: time.Now()})
}

// Print prints an answer of a node: in the JSON form of the gateway, or by a function for people.
func (f *Flags) Print(command *cobra.Command, c *client.Client, answer proto.Message, human func(*Printer)) error {
	if !f.JSON {
		p := f.Printer(command, c)
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

// PrintValue prints a Go value: as JSON, or by a function for people.
func (f *Flags) PrintValue(command *cobra.Command, value any, human func(*term.Printer)) error {
	if f.JSON {
		return json.NewEncoder(command.OutOrStdout()).Encode(value)
	}
	p := f.local(command)
	human(p)
	return p.Err()
}

// PrivateMode is the mode of files that only their owner may read.
const PrivateMode = 0o600

// ReplaceFile replaces the content of a private file atomically.
func ReplaceFile(path string, content []byte) error {
	draft := path + ".new"
	if err := os.WriteFile(draft, content, PrivateMode); err != nil {
		return err
	}
	if err := os.Rename(draft, path); err != nil {
		return errors.Join(err, os.Remove(draft))
	}
	return nil
}
