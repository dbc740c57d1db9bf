package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"makechain/internal/gitenv"
)

// Errors of Open and Head.
var (
	// ErrNoRepository is returned for a directory outside any git repository.
	ErrNoRepository = errors.New("not inside a git repository")
	// ErrDetached is returned when HEAD is not a branch.
	ErrDetached = errors.New("HEAD is detached: no branch is checked out")
	// ErrNoCommits is returned for a branch without commits.
	ErrNoCommits = errors.New("the branch has no commits yet")
)

// Repo is a git repository: a working tree, a linked worktree or a bare repository.
type Repo struct {
	dir         string
	common      string
	shallow     bool
	environment []string // of git processes
}

// Open opens the repository that contains a directory, as git does.
func Open(ctx context.Context, dir string) (*Repo, error) {
	settings, err := user(dir).output(ctx, nil, gitenv.ListCommand()...)
	if err != nil {
		return nil, err
	}
	_, kept := gitenv.ParseConfig(settings)
	r := &Repo{dir: dir, environment: gitenv.Isolated(os.Environ(), kept, gitenv.HTTPOnly)}
	output, err := r.output(ctx, nil, "rev-parse", "--git-common-dir", "--is-shallow-repository", "--show-object-format")
	if err != nil {
		var failed *Error
		if errors.As(err, &failed) && strings.Contains(failed.Stderr, "not a git repository") {
			return nil, fmt.Errorf("%w: %s", ErrNoRepository, dir)
		}
		return nil, err
	}
	lines := strings.Split(output, "\n")
	if len(lines) != 3 {
		return nil, fmt.Errorf("git rev-parse printed %q: is this git older than 2.25?", output)
	}
	if format := lines[2]; format != "sha1" && format != "sha256" {
		return nil, fmt.Errorf("object format %s is not supported; want sha1 or sha256", format)
	}
	r.common, r.shallow = lines[0], lines[1] == "true"
	if !filepath.IsAbs(r.common) {
		r.common = filepath.Join(dir, r.common)
	}
	return r, nil
}

// user returns a repository whose git commands have the configuration of the user.
func user(dir string) *Repo { return &Repo{dir: dir, environment: userEnvironment()} }

// IsShallow reports whether the repository is a shallow clone, in which parents of some commits are missing.
func (r *Repo) IsShallow() bool { return r.shallow }

// PrivatePath returns the path of a file in the git directory, shared by all worktrees.
func (r *Repo) PrivatePath(name string) string { return filepath.Join(r.common, "makechain", name) }

// GitPath returns the path of a file in the git directory of this worktree, such as MERGE_HEAD.
func (r *Repo) GitPath(ctx context.Context, name string) (string, error) {
	path, err := r.output(ctx, nil, "rev-parse", "--git-path", name)
	if err == nil && !filepath.IsAbs(path) {
		path = filepath.Join(r.dir, path)
	}
	return path, err
}

// configPrefix is the prefix of the configuration keys of this program.
const configPrefix = "makechain."

// Config returns a configuration value of this program, empty when it is not set.
func (r *Repo) Config(ctx context.Context, name string) (string, error) {
	value, err := user(r.dir).output(ctx, nil, "config", "--get", configPrefix+name)
	if code, ran := exitCode(err); ran && code == 1 {
		return "", nil
	}
	return value, err
}

// SetConfig sets a configuration value of this program in the repository.
func (r *Repo) SetConfig(ctx context.Context, name, value string) error {
	_, err := user(r.dir).output(ctx, nil, "config", "--local", configPrefix+name, value)
	return err
}

// RemoteProject returns the id of the project that remotes of the repository belong to, as the remote helper has stored it. Of
// several projects it is that of the remote origin. It is empty when there is none.
func (r *Repo) RemoteProject(ctx context.Context) (string, error) {
	printed, err := user(r.dir).output(ctx, nil, "config", "--get-regexp", `^remote\..*\.makechainproject$`)
	if code, ran := exitCode(err); ran && code == 1 {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	project, isOnly := "", true
	for line := range strings.SplitSeq(printed, "\n") {
		key, id, _ := strings.Cut(line, " ")
		if key == "remote.origin.makechainproject" {
			return id, nil
		}
		isOnly = isOnly && (project == "" || project == id)
		project = id
	}
	if !isOnly {
		return "", nil
	}
	return project, nil
}
