package remotehelper

import (
	"context"
	"slices"
	"strings"

	pb "makechain/gen/makechain"
	"makechain/internal/gitbundle"
	"makechain/internal/gitid"
	"makechain/internal/push"
	"makechain/message"
)

// Chain reads from the chain, with proofs.
type Chain interface {
	// Resolve returns the id of a project by its name.
	Resolve(ctx context.Context, name string) (message.Hash, error)
	// Project returns a project with all of its refs at one block.
	Project(ctx context.Context, id message.Hash) (*Project, error)
	// Contents returns the digests of the git bundles of a project, the newest first.
	Contents(ctx context.Context, id message.Hash) ([]message.Hash, error)
}

// Project is what the chain proves about a project.
type Project struct {
	ID            message.Hash
	Private       bool
	DefaultBranch string // the full name; empty when it is not set
	Stores        []string
	ForkOf        message.Hash // zero for a project that is not a fork
	Refs          []Ref        // sorted by name
}

// Ref is a ref of a project.
type Ref struct {
	Name   string
	Type   pb.RefType
	Commit message.Hash
	// TagObject is the tag object that peels to the commit, or zero.
	TagObject message.Hash
}

// id returns the git id of the object that the ref points at.
func (r *Ref) id() string {
	if r.TagObject != (message.Hash{}) {
		return gitid.String(r.TagObject)
	}
	return gitid.String(r.Commit)
}

// visibleRefs returns the refs that git shows, sorted by name. The chain accepts names that git does not, and a push in
// progress has temporary refs.
func (p *Project) visibleRefs() []Ref {
	return slices.DeleteFunc(slices.Clone(p.Refs), func(r Ref) bool {
		return !gitbundle.IsRefName(r.Name) || !strings.HasPrefix(r.Name, "refs/") || strings.HasPrefix(r.Name, push.TemporaryRefPrefix)
	})
}

// format returns the object format of the project. A SHA-1 id ends in zeros on the chain. An empty project has any format.
func (p *Project) format(ifEmpty gitbundle.Format) gitbundle.Format {
	refs := p.visibleRefs()
	if len(refs) == 0 {
		return ifEmpty
	}
	for i := range refs {
		if gitbundle.FormatOf(gitid.String(refs[i].Commit)) == gitbundle.SHA256 {
			return gitbundle.SHA256
		}
	}
	return gitbundle.SHA1
}

// Head returns the branch that HEAD points at: the default branch of the project, else main, master or the only branch. The
// branch may not exist.
func (p *Project) Head() string {
	if p.DefaultBranch != "" {
		return p.DefaultBranch
	}
	const fallback = "refs/heads/main"
	var branches []string
	for _, ref := range p.visibleRefs() {
		if strings.HasPrefix(ref.Name, "refs/heads/") {
			branches = append(branches, ref.Name)
		}
	}
	for _, name := range []string{fallback, "refs/heads/master"} {
		if slices.Contains(branches, name) {
			return name
		}
	}
	if len(branches) == 1 {
		return branches[0]
	}
	return fallback
}
