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
)

// kind is a kind of row that can be named.
type kind struct {
	name, wants string
	arguments   int
	key         func(ctx context.Context, c *client.Client, names []string) ([]byte, error)
}

// kinds returns the kinds in the order of the help.
func kinds() []kind {
	return []kind{
		{"account", "<account>", 1, accountRow},
		{"project", "<project>", 1, projectRow},
		{"ref", "<project@ref>", 1, refRow},
		{"commit", "<project@commit>", 1, commitRow},
		{"key", "<account> <key>", 2, delegatedKeyRow},
		{"custody-key", "<account> <key id>", 2, custodyKeyRow},
		{"collaborator", "<project> <account>", 2, collaboratorRow},
		{"merge-request", "<project> <id>", 2, mergeRequestRow},
		{"verification", "<account> <address>", 2, verificationRow},
		{"follow", "<account> <account>", 2, followRow},
		{"star", "<account> <project>", 2, starRow},
		{"username", "<username>", 1, func(_ context.Context, _ *client.Client, names []string) ([]byte, error) {
			return schema.UsernameKey(names[0]), nil
		}},
		{"project-name", "<account/name>", 1, projectNameRow},
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
		if len(args)-1 != kind.arguments {
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

func commitRow(ctx context.Context, c *client.Client, names []string) ([]byte, error) {
	project, commit, err := c.ProjectCommit(ctx, names[0])
	return schema.CommitKey(project, commit), err
}

func delegatedKeyRow(ctx context.Context, c *client.Client, names []string) ([]byte, error) {
	owner, err := c.Account(ctx, names[0])
	if err != nil {
		return nil, err
	}
	key, err := c.DelegatedKey(ctx, owner, names[1])
	return schema.DelegatedKeyKey(owner, key), err
}

func custodyKeyRow(ctx context.Context, c *client.Client, names []string) ([]byte, error) {
	owner, err := c.Account(ctx, names[0])
	if err != nil {
		return nil, err
	}
	id, err := c.CustodyKey(ctx, owner, names[1])
	return schema.CustodyKeyKey(owner, id), err
}

func collaboratorRow(ctx context.Context, c *client.Client, names []string) ([]byte, error) {
	project, err := c.Project(ctx, names[0])
	if err != nil {
		return nil, err
	}
	owner, err := c.Account(ctx, names[1])
	return schema.CollaboratorKey(project, owner), err
}

func mergeRequestRow(ctx context.Context, c *client.Client, names []string) ([]byte, error) {
	project, err := c.Project(ctx, names[0])
	if err != nil {
		return nil, err
	}
	id, err := c.MergeRequest(ctx, project, names[1])
	return schema.MergeRequestKey(project, id), err
}

func verificationRow(ctx context.Context, c *client.Client, names []string) ([]byte, error) {
	owner, err := c.Account(ctx, names[0])
	if err != nil {
		return nil, err
	}
	address, err := external.Parse(names[1])
	return schema.VerificationKey(owner, address), err
}

func followRow(ctx context.Context, c *client.Client, names []string) ([]byte, error) {
	owner, err := c.Account(ctx, names[0])
	if err != nil {
		return nil, err
	}
	target, err := c.Account(ctx, names[1])
	return schema.LinkKey(owner, byte(pb.LinkType_LINK_TYPE_FOLLOW), target[:]), err
}

func starRow(ctx context.Context, c *client.Client, names []string) ([]byte, error) {
	owner, err := c.Account(ctx, names[0])
	if err != nil {
		return nil, err
	}
	project, err := c.Project(ctx, names[1])
	return schema.LinkKey(owner, byte(pb.LinkType_LINK_TYPE_STAR), project[:]), err
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
	case schema.PrefixKey:
		return describeKeyKey(k)
	case schema.PrefixKeyOwner:
		return "owner of key " + k.PublicKey.String()
	case schema.PrefixCollaborator:
		return fmt.Sprintf("collaborator %s of project %s", k.Owner, k.Project)
	case schema.PrefixMergeRequest:
		return fmt.Sprintf("merge request %s of project %s", k.ID, k.Project)
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

func describeKeyKey(k *schema.Key) string {
	if k.Tag == schema.FamilyCustody {
		return fmt.Sprintf("custody key %s of account %s", k.KeyID, k.Owner)
	}
	return fmt.Sprintf("key %s of account %s", k.PublicKey, k.Owner)
}
