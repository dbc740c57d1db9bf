// Package query builds commands that read from a node: List and Show for the usual ones, Flags for the others, and the
// functions that resolve names on a command line.
package query

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/proto"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/cli/connection"
	"makechain/internal/cli/output"
	"makechain/internal/cli/paging"
	"makechain/internal/cli/signing"
	"makechain/internal/cli/usage"
	"makechain/internal/gitrepo"
	"makechain/message"
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

// Run connects to the node and runs a command. With --genesis it verifies first that the node serves that chain.
func (f *Flags) Run(command *cobra.Command, do func(*Query) error) error {
	c, err := f.Connection.Dial(command)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := f.verifyChain(command.Context(), c); err != nil {
		return err
	}
	return do(&Query{Command: command, Client: c, flags: f})
}

// verifyChain verifies that the node serves the chain of --genesis, if that is given.
func (f *Flags) verifyChain(ctx context.Context, c *client.Client) error {
	if f.Connection.Genesis == "" {
		return nil
	}
	if _, err := c.Trust(ctx); err != nil {
		return err
	}
	err := c.VerifyChain(ctx)
	if err == nil || client.IsUnreachable(err) || ctx.Err() != nil {
		return err
	}
	return usage.Advise(err, "--node with a node of the chain of %s, or the genesis file of the node's chain", f.Connection.Genesis)
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

// ProjectSetting is the setting of a git repository with the project that it is pushed to: makechain.project.
const ProjectSetting = "project"

// IsNotFound reports whether a name does not exist on the chain.
func IsNotFound(err error) bool {
	missing := (*client.NotFoundError)(nil)
	return errors.As(err, &missing)
}

// Account resolves an optional argument to an account: on the chain, else on this machine, where an account may not
// have its username yet. Without an argument it is the user's default account.
func Account(q *Query, args []string) (message.Address, error) {
	if len(args) == 0 {
		account, err := signing.Account(q.ConfigDir(), "")
		if err != nil {
			return message.Address{}, err
		}
		return account.Owner, nil
	}
	owner, err := q.Client.Account(q.Context(), args[0])
	if !IsNotFound(err) {
		return owner, err
	}
	store, opened := q.ConfigDir().Store()
	if opened != nil {
		return owner, err
	}
	if account, found := store.Account(args[0]); found == nil {
		return account.Owner, nil
	}
	return owner, err
}

// AccountFilter resolves an account that may be left out: nil for an empty name.
func AccountFilter(ctx context.Context, c *client.Client, name string) ([]byte, error) {
	if name == "" {
		return nil, nil
	}
	owner, err := c.Account(ctx, name)
	return owner[:], err
}

// Project resolves an optional argument to a project. Without an argument it is the project that the git repository
// in the working directory is pushed to.
func Project(q *Query, args []string) (message.Hash, error) {
	if len(args) > 0 {
		return q.Client.Project(q.Context(), args[0])
	}
	name, err := RepositoryProject(q.Context(), q.Command)
	if err != nil {
		return message.Hash{}, err
	}
	return q.Client.Project(q.Context(), name)
}

// RepositoryProject returns the project that the git repository in the working directory is pushed to, or that it was cloned
// from.
func RepositoryProject(ctx context.Context, command *cobra.Command) (string, error) {
	repo, err := gitrepo.Open(ctx, ".")
	if err == nil {
		name, err := repo.Config(ctx, ProjectSetting)
		if err == nil && name == "" {
			name, err = repo.RemoteProject(ctx)
		}
		if err != nil || name != "" {
			return name, err
		}
	} else if !errors.Is(err, gitrepo.ErrNoRepository) {
		return "", err
	}
	return "", usage.Errorf(command, "missing a project: the git repository in this directory has not been pushed yet")
}

// ProjectAndRef resolves <project>[@<ref or commit>]. The ref is not resolved; where it is left out, it is the main
// branch of the project.
func ProjectAndRef(ctx context.Context, c *client.Client, place string) (project message.Hash, ref string, err error) {
	name, ref, err := client.SplitRevision(place)
	if err != nil {
		name = place
	}
	if project, err = c.Project(ctx, name); err != nil || ref != "" {
		return project, ref, err
	}
	ref, err = MainBranch(ctx, c, project, name)
	return project, ref, err
}

// MainBranch returns the main branch of a project: its default branch, else main, master, or the only branch. The name of the project
// is for errors.
func MainBranch(ctx context.Context, c *client.Client, project message.Hash, name string) (string, error) {
	answer, err := client.Call(ctx, c.GetProject, &pb.GetProjectRequest{ProjectId: project[:]})
	if err != nil || answer.GetDefaultBranch() != "" {
		return answer.GetDefaultBranch(), err
	}
	for _, usual := range UsualBranches() {
		if _, err := c.Ref(ctx, project, usual); !IsNotFound(err) {
			return usual, err
		}
	}
	var branches []string
	for cursor := []byte(nil); ; {
		list, err := client.Call(ctx, c.ListRefs, &pb.ListRefsRequest{ProjectId: project[:], Limit: paging.Max, Cursor: cursor})
		if err != nil {
			return "", err
		}
		for _, ref := range list.GetRefs() {
			if ref.GetRefType() == pb.RefType_REF_TYPE_BRANCH {
				branches = append(branches, string(ref.GetRefName()))
			}
		}
		if cursor = list.GetNextCursor(); len(cursor) == 0 {
			break
		}
	}
	if len(branches) != 1 {
		err := fmt.Errorf("%s has %d branches, and none is main or master", name, len(branches))
		return "", usage.Advise(err, "%s@<ref or commit>", name)
	}
	return branches[0], nil
}

// UsualBranches returns the names of the main branch of a project that has no default branch.
func UsualBranches() []string { return []string{"refs/heads/main", "refs/heads/master"} }

// SplitRef resolves the project of <project>@<ref>, and returns the ref as it was given.
func SplitRef(ctx context.Context, c *client.Client, place string) (project message.Hash, ref string, err error) {
	name, ref, err := client.SplitRevision(place)
	if err != nil {
		return project, "", err
	}
	project, err = c.Project(ctx, name)
	return project, ref, err
}

// Position is a block, or a message in a block: 12 or 12-3.
type Position struct {
	Block    uint64
	Index    uint32
	HasIndex bool
}

// ParsePosition parses "12" and "12-3".
func ParsePosition(text string) (Position, error) {
	block, index, hasIndex := strings.Cut(text, "-")
	at := Position{HasIndex: hasIndex}
	var err error
	if at.Block, err = strconv.ParseUint(block, 10, 63); err == nil && hasIndex {
		var number uint64
		number, err = strconv.ParseUint(index, 10, 31)
		at.Index = uint32(number)
	}
	if err != nil {
		return Position{}, fmt.Errorf("%q is not a block (12) or a message in a block (12-3)", text)
	}
	return at, nil
}

// String returns the position as ParsePosition reads it.
func (at Position) String() string {
	if !at.HasIndex {
		return strconv.FormatUint(at.Block, 10)
	}
	return fmt.Sprintf("%d-%d", at.Block, at.Index)
}

// PositionOf returns the position of a message.
func PositionOf(m interface {
	GetBlockNumber() uint64
	GetIndex() uint32
},
) Position {
	return Position{Block: m.GetBlockNumber(), Index: m.GetIndex(), HasIndex: true}
}

// BlockMessages returns the messages of a block in their order.
func BlockMessages(block *pb.GetBlockResponse) []*pb.Message {
	payload := block.GetExecutionPayload()
	messages := payload.GetAccountMessages()
	for _, project := range payload.GetProjectMessages() {
		messages = append(slices.Clip(messages), project.GetMessages()...)
	}
	return messages
}
