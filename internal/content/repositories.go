package content

import (
	"context"
	"net/http"
	"net/netip"

	"makechain/internal/gitbundle"
	"makechain/internal/ident"
)

// Repositories are bare git repositories, one per project. They are a cache: what is in them comes from git bundles and from
// the chain. The methods may be called concurrently.
type Repositories interface {
	// Add verifies a git bundle, calls keep unless it is nil, and adds the objects to the repository of a project if keep
	// succeeds. It may share files with the repository of source, which has the same objects. Adding it again is harmless. The error
	// is a *gitbundle.Error if the git bundle is refused; it wraps gitbundle.ErrMissing if objects are missing that it builds on.
	Add(ctx context.Context, project, source ident.Hash, file string, keep func(gitbundle.Report) error) (gitbundle.Report, error)
	// Exists reports whether a project has a repository.
	Exists(project ident.Hash) bool
	// Missing returns those of the objects that the repository does not have.
	Missing(ctx context.Context, project ident.Hash, ids []string) ([]string, error)
	// SetRefs replaces all refs and HEAD. The error wraps gitbundle.ErrMissing if something is missing that they need.
	SetRefs(ctx context.Context, project ident.Hash, refs []gitbundle.Ref, head string) error
	// Remove deletes a repository. It returns nil if there is none. It waits for calls of Add that are running.
	Remove(ctx context.Context, project ident.Hash) error
	// Replace makes the repository of another project that of this one, at once, and deletes what this one had; without the other
	// it only deletes. Nothing is replaced if isComplete returns false, which is called while no Add is running.
	Replace(ctx context.Context, project, by ident.Hash, isComplete func() bool) (replaced bool, err error)
	// Maintain makes a repository compact if it needs to be.
	Maintain(ctx context.Context, project ident.Hash) error
	// Object returns the type and the content of an object. The error wraps gitbundle.ErrMissing if there is none, and
	// gitbundle.ErrLimit if it is larger than maxBytes.
	Object(ctx context.Context, project ident.Hash, id string, maxBytes int64) (kind string, content []byte, err error)
	// History returns commits that changed a path, newest first, and whether there may be more. The error wraps
	// gitbundle.ErrMissing if there is no such commit, or has a method HTTPStatus.
	History(
		ctx context.Context, project ident.Hash, commit, path string, skip, maxCommits int, client netip.Addr,
	) (commits []string, more bool, err error)
	GitServer
}

// A GitServer serves repositories to git.
type GitServer interface {
	// InfoRefs and UploadPack serve git's smart HTTP protocol to a client. An error with a method HTTPStatus is returned
	// before anything was written.
	InfoRefs(w http.ResponseWriter, r *http.Request, project ident.Hash, client netip.Addr) error
	UploadPack(w http.ResponseWriter, r *http.Request, project ident.Hash, client netip.Addr) error
}
