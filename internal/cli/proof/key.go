package proof

import (
	"context"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/cli/external"
	"makechain/internal/cli/output"
	"makechain/internal/cli/query"
	"makechain/internal/cli/usage"
	"makechain/internal/schema"
	"makechain/message"
)

// kind is a kind of row that can be named.
type kind struct {
	name, wants string
	key         keyFunc
}

// keyFunc returns the key of the row that names identify.
type keyFunc = func(ctx context.Context, c *client.Client, names []string) ([]byte, error)

// kinds returns the kinds in the order of the help.
func kinds() []kind {
	account, project := (*client.Client).Account, (*client.Client).Project
	return []kind{
		{"account", "<account>", accountRow},
		{"project", "<project>", projectRow},
		{"ref", "<project@ref>", refRow},
		{"commit", "<project@commit>", func(ctx context.Context, c *client.Client, names []string) ([]byte, error) {
			project, commit, err := c.ProjectCommit(ctx, names[0])
			return schema.CommitKey(project, commit), err
		}},
		{"key", "<account> <key>", nested(account, (*client.Client).DelegatedKey, schema.DelegatedKeyKey)},
		{"custody-key", "<account> <key id>", nested(account, (*client.Client).CustodyKey, schema.CustodyKeyKey)},
		{"collaborator", "<project> <account>", nested(project, toAccount[message.Hash], schema.CollaboratorKey)},
		{"merge-request", "<project> <id>", nested(project, (*client.Client).MergeRequest, schema.MergeRequestKey)},
		{"verification", "<account> <address>", nested(account, toExternal, schema.VerificationKey)},
		{"follow", "<account> <account>", nested(account, toAccount[message.Address], func(owner, target message.Address) []byte {
			return schema.LinkKey(owner, byte(pb.LinkType_LINK_TYPE_FOLLOW), target[:])
		})},
		{"star", "<account> <project>", nested(account, toProject, func(owner message.Address, target message.Hash) []byte {
			return schema.LinkKey(owner, byte(pb.LinkType_LINK_TYPE_STAR), target[:])
		})},
		{"username", "<username>", func(_ context.Context, _ *client.Client, names []string) ([]byte, error) {
			return schema.UsernameKey(names[0]), nil
		}},
		{"project-name", "<account/name>", projectNameRow},
	}
}

func kindNames() []cobra.Completion {
	var names []cobra.Completion
	for _, kind := range kinds() {
		names = append(names, kind.name)
	}
	return names
}

func describeKinds() string {
	var text strings.Builder
	for _, kind := range kinds() {
		fmt.Fprintf(&text, "  %-14s %s\n", kind.name, kind.wants)
	}
	return text.String()
}

// resolveKey returns the key of the row that a command line names.
func resolveKey(q *query.Query, key string, args []string) ([]byte, error) {
	if key != "" {
		decoded, err := hex.DecodeString(strings.TrimPrefix(key, "0x"))
		if err != nil {
			return nil, usage.Errorf(q.Command, "--key: %w", err)
		}
		if _, err := schema.ParseKey(decoded); err != nil {
			return nil, usage.Errorf(q.Command, "--key: %w", err)
		}
		return decoded, nil
	}
	if len(args) == 0 {
		return nil, usage.Errorf(q.Command, "missing a kind: one of %s, or --key", strings.Join(kindNames(), ", "))
	}
	for _, kind := range kinds() {
		if kind.name != args[0] {
			continue
		}
		if len(args) != len(strings.Split(kind.wants, "> <"))+1 {
			return nil, usage.Errorf(q.Command, "want %s %s", kind.name, kind.wants)
		}
		return kind.key(q.Context(), q.Client, args[1:])
	}
	return nil, usage.Errorf(q.Command, "%q is not a kind of row: want one of %s", args[0], strings.Join(kindNames(), ", "))
}

// accountRow returns the row of an account, or of a username that is not taken.
func accountRow(ctx context.Context, c *client.Client, names []string) ([]byte, error) {
	owner, err := c.Account(ctx, names[0])
	if query.IsNotFound(err) {
		if parsed, err := client.ParseAccount(names[0]); err == nil && parsed.Username != "" {
			return schema.UsernameKey(parsed.Username), nil
		}
	}
	return schema.AccountKey(owner), err
}

// projectRow returns the row of a project, or of a name that is not taken.
func projectRow(ctx context.Context, c *client.Client, names []string) ([]byte, error) {
	project, err := c.Project(ctx, names[0])
	if query.IsNotFound(err) {
		if key, err := projectNameRow(ctx, c, names); err == nil {
			return key, nil
		}
	}
	return schema.ProjectKey(project), err
}

func projectNameRow(ctx context.Context, c *client.Client, names []string) ([]byte, error) {
	parsed, err := client.ParseProject(names[0])
	if err != nil {
		return nil, err
	}
	if parsed.Name == "" {
		return nil, &client.NameError{Name: names[0], Want: "an account and a name (alice/hello)"}
	}
	owner, err := c.Account(ctx, parsed.Owner.String())
	return schema.ProjectNameKey(owner, parsed.Name), err
}

// refRow returns the row of a ref. One that does not exist is a branch, unless its name is given in full.
func refRow(ctx context.Context, c *client.Client, names []string) ([]byte, error) {
	project, inside, err := query.SplitRef(ctx, c, names[0])
	if err != nil {
		return nil, err
	}
	name := inside
	ref, err := c.Ref(ctx, project, inside)
	switch {
	case err == nil:
		name = ref.Name
	case !query.IsNotFound(err):
		return nil, err
	case !strings.HasPrefix(name, "refs/"):
		name = "refs/heads/" + name
	}
	return schema.RefKey(project, []byte(name)), nil
}

// nested returns the key of a row that two names identify: an account or project, and something of it.
func nested[P, T any](
	parent func(*client.Client, context.Context, string) (P, error),
	child func(*client.Client, context.Context, P, string) (T, error),
	key func(P, T) []byte,
) keyFunc {
	return func(ctx context.Context, c *client.Client, names []string) ([]byte, error) {
		of, err := parent(c, ctx, names[0])
		if err != nil {
			return nil, err
		}
		named, err := child(c, ctx, of, names[1])
		return key(of, named), err
	}
}

func toAccount[P any](c *client.Client, ctx context.Context, _ P, name string) (message.Address, error) { //nolint:revive // a client method
	return c.Account(ctx, name)
}

func toProject(c *client.Client, ctx context.Context, _ message.Address, name string) (message.Hash, error) { //nolint:revive // a client method
	return c.Project(ctx, name)
}

func toExternal(_ *client.Client, _ context.Context, _ message.Address, name string) ([]byte, error) { //nolint:revive // a client method
	return external.Parse(name)
}

// describeKey describes the row of a key.
func describeKey(k *schema.Key) string {
	switch k.Prefix {
	case schema.PrefixAccount:
		return "account " + k.Owner.String()
	case schema.PrefixProject:
		return "project " + k.Project.String()
	case schema.PrefixProjectName:
		return fmt.Sprintf("project name %q of account %s", k.Name, k.Owner)
	case schema.PrefixUsername:
		return fmt.Sprintf("username %q", k.Name)
	case schema.PrefixRef:
		return fmt.Sprintf("ref %q of project %s", k.Name, k.Project)
	case schema.PrefixCommit:
		return fmt.Sprintf("commit %s of project %s", k.ID, k.Project)
	case schema.PrefixContent:
		return fmt.Sprintf("content %s of project %s", k.ID, k.Project)
	case schema.PrefixKey:
		if k.Tag == schema.FamilyCustody {
			return fmt.Sprintf("custody key %s of account %s", k.KeyID, k.Owner)
		}
		return fmt.Sprintf("key %s of account %s", k.PublicKey, k.Owner)
	case schema.PrefixKeyOwner:
		return "owner of key " + k.PublicKey.String()
	case schema.PrefixCollaborator:
		return fmt.Sprintf("collaborator %s of project %s", k.Owner, k.Project)
	case schema.PrefixMergeRequest:
		return fmt.Sprintf("merge request %s of project %s", k.ID, k.Project)
	case schema.PrefixClosedMergeRequest:
		return fmt.Sprintf("closed merge request %s of project %s", k.ID, k.Project)
	case schema.PrefixLink:
		return fmt.Sprintf("%s of account %s to %x", output.Enum(pb.LinkType(k.Tag), "LINK_TYPE_"), k.Owner, k.LinkTarget())
	case schema.PrefixVerification:
		return fmt.Sprintf("verification of %x by account %s", k.Name, k.Owner)
	case schema.PrefixTombstone:
		return "tombstone of " + describeKey(k.Removed)
	case schema.PrefixPruneMarker:
		return "prune marker of " + describeKey(k.Removed)
	default:
		return fmt.Sprintf("row %x", k.Bytes())
	}
}
