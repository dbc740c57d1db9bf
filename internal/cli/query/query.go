// Package query builds commands that read from a node: List and Show for the usual ones, Flags for the others, and the
// functions that resolve names on a command line.
package query

import (
	"cmp"
	"context"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/proto"

	"makechain/client"
	"makechain/internal/cli/connection"
	"makechain/internal/cli/output"
	"makechain/internal/cli/paging"
)

// Flags are the flags of a command that reads from a node.
type Flags struct {
	Connection connection.Flags
	Output     output.Flags
}

// Register adds the flags to a command.
func (f *Flags) Register(command *cobra.Command) {
	f.Connection.Register(command.Flags())
	f.Output.Register(command.Flags())
}

// Query is a running command and its connection to a node.
type Query struct {
	Command *cobra.Command
	Client  *client.Client

	flags *Flags
}

// Run connects to the node and runs a command.
func (f *Flags) Run(command *cobra.Command, do func(*Query) error) error {
	c, err := f.Connection.Dial(command)
	if err != nil {
		return err
	}
	defer c.Close()
	return do(&Query{Command: command, Client: c, flags: f})
}

// Context returns the context of the command.
func (q *Query) Context() context.Context { return q.Command.Context() }

// ConfigDir returns the directory of the user's files.
func (q *Query) ConfigDir() *connection.ConfigDir { return &q.flags.Connection.ConfigDir }

// JSON reports whether --json was given.
func (q *Query) JSON() bool { return q.flags.Output.JSON }

// Printer returns a printer for people.
func (q *Query) Printer() *output.Printer { return q.flags.Output.Printer(q.Command, q.Client) }

// Print prints an answer of the node as JSON, or by a function for people.
func (q *Query) Print(answer proto.Message, human func(*output.Printer)) error {
	return q.flags.Output.Print(q.Command, q.Client, answer, human)
}

// Listing describes a command that prints a paginated list. S is what the arguments resolve to, P a page of the list and
// I an item of it.
type Listing[S any, P paging.Page, I any] struct {
	Resolve func(q *Query, args []string) (S, error)
	Fetch   func(ctx context.Context, c *client.Client, of S, limit uint32, cursor []byte) (P, error)
	Columns []string
	Items   func(page P) []I
	Row     func(p *output.Printer, of S, item I) []string
	Empty   string // is printed for a list without items
	Limit   uint32 // default of --limit, paging.Default if 0
}

// List completes a command that prints a paginated list.
func List[S any, P paging.Page, I any](command *cobra.Command, listing Listing[S, P, I]) *cobra.Command {
	var flags Flags
	var pages paging.Flags
	command.RunE = func(command *cobra.Command, args []string) error {
		return flags.Run(command, func(q *Query) error {
			of, err := listing.Resolve(q, args)
			if err != nil {
				return err
			}
			list, err := paging.Collect(command, &pages, func(limit uint32, cursor []byte) (P, error) {
				return listing.Fetch(q.Context(), q.Client, of, limit, cursor)
			})
			if err != nil {
				return err
			}
			return q.Print(list, func(p *output.Printer) {
				table := p.Table(listing.Columns...)
				for _, item := range listing.Items(list) {
					table.Row(listing.Row(p, of, item)...)
				}
				table.Print(listing.Empty)
				paging.PrintMore(p.Printer, list)
			})
		})
	}
	flags.Register(command)
	pages.Register(command.Flags(), cmp.Or(listing.Limit, paging.Default))
	return command
}

// Showing describes a command that prints one answer. S is what the arguments resolve to.
type Showing[S any, A proto.Message] struct {
	Resolve func(q *Query, args []string) (S, error)
	Fetch   func(ctx context.Context, c *client.Client, of S) (A, error)
	Print   func(p *output.Printer, answer A)
}

// Show completes a command that prints one answer.
func Show[S any, A proto.Message](command *cobra.Command, showing Showing[S, A]) *cobra.Command {
	var flags Flags
	command.RunE = func(command *cobra.Command, args []string) error {
		return flags.Run(command, func(q *Query) error {
			of, err := showing.Resolve(q, args)
			if err != nil {
				return err
			}
			answer, err := showing.Fetch(q.Context(), q.Client, of)
			if err != nil {
				return err
			}
			return q.Print(answer, func(p *output.Printer) { showing.Print(p, answer) })
		})
	}
	flags.Register(command)
	return command
}
