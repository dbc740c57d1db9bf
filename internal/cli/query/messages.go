package query

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/cli/output"
	"makechain/internal/cli/paging"
	"makechain/internal/cli/usage"
)

// TypeFlag is the flag --type of commands that filter messages.
type TypeFlag struct{ names []string }

// Register adds the flag to a command.
func (f *TypeFlag) Register(flags *pflag.FlagSet) {
	flags.StringSliceVar(&f.names, "type", nil, "only messages of these types, such as ref_update")
}

// IsSet reports whether the flag was given.
func (f *TypeFlag) IsSet() bool { return len(f.names) > 0 }

// Types returns the message types, or a usage error for a name that is not one.
func (f *TypeFlag) Types(command *cobra.Command) ([]pb.MessageType, error) {
	var types []pb.MessageType
	for _, name := range f.names {
		upper := "MESSAGE_TYPE_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
		value, known := pb.MessageType_value[upper]
		if !known || value == 0 {
			return nil, usage.Errorf(command, "--type: %q is not a message type: want one of %s", name, strings.Join(TypeNames(), ", "))
		}
		types = append(types, pb.MessageType(value))
	}
	return types, nil
}

// TypeNames returns the names of the message types.
func TypeNames() []string {
	values := pb.MessageType(0).Descriptor().Values()
	names := make([]string, 0, values.Len()-1)
	for i := 1; i < values.Len(); i++ { // 0 is not a type
		names = append(names, output.Type(pb.MessageType(values.Get(i).Number())))
	}
	slices.Sort(names)
	return names
}

// MessagePage is a page of a list of messages.
type MessagePage interface {
	paging.Page
	GetMessages() []*pb.MessageEntry
}

// Messages describes a command that prints a list of messages. S is what the arguments resolve to.
type Messages[S any, P MessagePage] struct {
	Resolve func(q *Query, args []string) (S, error)
	Fetch   func(ctx context.Context, c *client.Client, of S, types []pb.MessageType, limit uint32, cursor []byte) (P, error)
}

// ListMessages completes a command that prints a list of messages, which --type filters.
func ListMessages[S any, P MessagePage](command *cobra.Command, messages Messages[S, P]) *cobra.Command {
	var filter TypeFlag
	var types []pb.MessageType
	List(command, Listing[S, P, *pb.MessageEntry]{
		Resolve: func(q *Query, args []string) (of S, err error) {
			if types, err = filter.Types(q.Command); err != nil {
				return of, err
			}
			return messages.Resolve(q, args)
		},
		Fetch: func(ctx context.Context, c *client.Client, of S, limit uint32, cursor []byte) (P, error) {
			return messages.Fetch(ctx, c, of, types, limit, cursor)
		},
		Columns: []string{"POSITION", "HASH", "TYPE", "SUMMARY"},
		Items:   P.GetMessages,
		Row: func(p *output.Printer, _ S, entry *pb.MessageEntry) []string {
			m := entry.GetMessage()
			data := m.GetData()
			return []string{
				PositionOf(m).String(), p.ID(m.GetHash()), output.Type(data.GetType()), p.Account(data.GetOwnerAddress()) + " " + p.Summary(data),
			}
		},
		Empty: "no messages",
	})
	filter.Register(command.Flags())
	return command
}
