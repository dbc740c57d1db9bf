package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// Why a repository cannot be used as it is.
var (
	// ErrNoRepository is a directory that belongs to no git repository.
	ErrNoRepository = errors.New("not inside a git repository")
	// ErrDetached is a HEAD that is on no branch.
	ErrDetached = errors.New("HEAD is detached: it is on no branch")
	// ErrNoCommits is a branch that has no commit yet.
	ErrNoCommits = errors.New("the branch has no commits yet")
)

// Repo is a git repository: a working tree, one of its worktrees, or a bare one.
type Repo struct {
	dir     string
	common  string
	shallow bool
}

// Open finds the repository that a directory belongs to, as git does.
func Open(ctx context.Context, dir string) (*Repo, error) {
	r := &Repo{dir: dir}
	answers, err := r.output(ctx, nil, "rev-parse", "--git-common-dir", "--is-shallow-repository", "--show-object-format")
	if err != nil {
		var failed *Error
		if errors.As(err, &failed) && strings.Contains(failed.Stderr, "not a git repository") {
			return nil, fmt.Errorf("%w: %s", ErrNoRepository, dir)
		}
		return nil, err
	}
	lines := strings.Split(answers, "\n")
	if len(lines) != 3 {
		return nil, fmt.Errorf("git rev-parse printed %q: is this git older than 2.25?", answers)
	}
	if format := lines[2]; format != "sha1" && format != "sha256" {
		return nil, fmt.Errorf("the repository's objects are named by %s; only sha1 and sha256 are known here", format)
	}
	r.common, r.shallow = lines[0], lines[1] == "true"
	if !filepath.IsAbs(r.common) {
		r.common = filepath.Join(dir, r.common)
	}
	return r, nil
}

// Shallow says that the history is cut off: some commits have parents that are not here.
func (r *Repo) IsShallow() bool { return r.shallow }

// Private names a file in git's own directory, shared by all worktrees.
func (r *Repo) PrivatePath(name string) string { return filepath.Join(r.common, "makechain", name) }

// settingPrefix begins the names of all settings of this program.
const configPrefix = "makechain."

// Setting reads a setting of this program; it is empty when it is not set.
func (r *Repo) Config(ctx context.Context, name string) (string, error) {
	value, err := r.output(ctx, nil, "config", "--get", configPrefix+name)
	if code, ran := exitCode(err); ran && code == 1 {
		return "", nil
	}
	return value, err
}

// Set keeps a setting of this program with the repository.
func (r *Repo) SetConfig(ctx context.Context, name, value string) error {
	_, err := r.output(ctx, nil, "config", "--local", configPrefix+name, value)
	return err
}
