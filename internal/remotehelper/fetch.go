package remotehelper

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"makechain/internal/gitbundle"
	"makechain/internal/ident"
	"makechain/internal/storeclient"
	"makechain/message"
)

// MaxBundle is the size of the largest git bundle, in bytes. A push splits what is larger; a single commit can be more.
const MaxBundle = 4 << 30

// fetch adds the objects of refs to the repository, from git bundles. Each line is "fetch <id> <name>".
func (h *Helper) fetch(ctx context.Context, lines []string) error {
	var wanted []string
	for _, line := range lines {
		fields := strings.SplitN(line, " ", 3)
		if len(fields) != 3 || gitbundle.FormatOf(fields[1]) == "" {
			return fmt.Errorf("git sent the command %q", line)
		}
		wanted = append(wanted, fields[1])
	}
	if os.Getenv(innerVariable) != "" {
		return errors.New("objects are missing in this partial clone, and no store serves git")
	}
	if err := h.open(ctx, true); err != nil {
		return err
	}
	if !slices.ContainsFunc(h.sources, (*storeclient.Store).HasFiles) {
		// Git has chosen this command although a store serves git: its protocol version 2 is disabled.
		if slices.ContainsFunc(h.sources, (*storeclient.Store).ServesGit) {
			return h.fetchByProtocol(ctx, wanted)
		}
		return h.failure("the content", nil)
	}
	done, err := readApplied(ctx, h.Config.inner)
	if err != nil {
		return err
	}
	hadBundles := len(done.digests) > 0
	// The second attempt also fetches the bundles of earlier fetches, whose objects may have been deleted since.
	for _, known := range []*applied{done, {path: done.path}} {
		failed, err := h.fetchBundles(ctx, known, wanted)
		if err != nil {
			return err
		}
		missing := checkConnected(ctx, h.Config.inner, wanted)
		if missing == nil {
			return h.print("\n")
		}
		if !hadBundles || known != done {
			return h.failure("all objects", append(failed, missing))
		}
	}
	return nil
}

// fetchByProtocol fetches with version 2 of git's protocol, which the user has disabled for the git that runs the helper.
func (h *Helper) fetchByProtocol(ctx context.Context, wanted []string) error {
	if h.options.depth != "" || h.options.filter {
		return errors.New("a shallow or partial clone needs protocol version 2 of git (git config protocol.version 2)")
	}
	args := append([]string{
		"-c", "protocol.version=2", fetchCommand, "--quiet", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance",
		"--no-recurse-submodules", "--end-of-options", h.URL,
	}, wanted...)
	command := h.Config.inner.command(ctx, args...)
	command.Env = append(command.Env, "GIT_ALLOW_PROTOCOL=makechain")
	command.Stderr = h.Notes
	if err := command.Run(); err != nil {
		return fmt.Errorf("git fetch: %w", err)
	}
	return h.print("\n")
}

// fetchBundles adds git bundles of the project, and of those that it was forked from, to the repository: the newest first, until
// the wanted objects are complete. Older ones may have been replaced and deleted. It returns what went wrong with single bundles
// and stores: whether something is missing is not known before checkConnected.
func (h *Helper) fetchBundles(ctx context.Context, done *applied, wanted []string) (failed []error, err error) {
	dir, err := os.MkdirTemp("", "git-remote-makechain-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // temporary files
	var waiting []*bundleFile
	project := h.project
	for range maxForks {
		digests, err := h.Chain.Contents(ctx, project.ID)
		if err != nil {
			return nil, err
		}
		for _, digest := range digests {
			if slices.Contains(done.digests, digest) {
				continue
			}
			file, problems := h.download(ctx, project, digest, dir)
			failed = append(failed, problems...)
			if file == nil {
				continue
			}
			if waiting, err = apply(ctx, h.Config.inner, file, waiting, done); err != nil {
				failed = append(failed, err)
			}
			if has, err := hasObjects(ctx, h.Config.inner, wanted); err == nil && has && checkConnected(ctx, h.Config.inner, wanted) == nil {
				return failed, done.write()
			}
		}
		if project.ForkOf == (message.Hash{}) {
			break
		}
		if project, err = h.Chain.Project(ctx, project.ForkOf); err != nil {
			return append(failed, err), nil
		}
	}
	for _, file := range waiting {
		if file.refused == nil {
			file.refused = errors.New("it needs commits that no other one has")
		}
		failed = append(failed, fmt.Errorf("git bundle %.12s: %w", file.digest, file.refused))
	}
	return failed, done.write()
}

// bundleFile is a downloaded git bundle.
type bundleFile struct {
	digest ident.Hash
	path   string
	header gitbundle.Header
	// refused is why git did not add it. It may do so when the repository has more: the header need not name everything that is
	// needed.
	refused error
}

// download gets a git bundle from the first store that has it.
func (h *Helper) download(ctx context.Context, project *Project, digest ident.Hash, dir string) (*bundleFile, []error) {
	var failed []error
	for _, source := range h.sources {
		if !source.HasFiles() {
			continue
		}
		file := &bundleFile{digest: digest, path: filepath.Join(dir, digest.String())}
		err := file.get(ctx, source, project)
		if err == nil {
			return file, failed
		}
		if !storeclient.IsNotThere(err) {
			h.note("%v", &storeError{source.Name, err})
		}
		failed = append(failed, &storeError{source.Name, fmt.Errorf("git bundle %.12s: %w", digest, err)})
		_ = os.Remove(file.path) // it is incomplete
	}
	return nil, failed
}

func (f *bundleFile) get(ctx context.Context, source *storeclient.Store, project *Project) error {
	to, err := os.Create(f.path)
	if err != nil {
		return err
	}
	err = source.Get(ctx, project.ID, f.digest, project.Private, to, MaxBundle)
	if err == nil {
		_, err = to.Seek(0, io.SeekStart)
	}
	if err == nil {
		f.header, err = gitbundle.Parse(bufio.NewReader(to), gitbundle.DefaultLimits())
	}
	return errors.Join(err, to.Close())
}

// apply adds a bundle, and then those that wait for it, the last one first. It returns those that still wait.
func apply(ctx context.Context, git inner, file *bundleFile, waiting []*bundleFile, done *applied) ([]*bundleFile, error) {
	waiting = append(waiting, file)
	for i := len(waiting) - 1; i >= 0; i-- {
		added, err := waiting[i].add(ctx, git)
		if err != nil {
			return waiting, err
		}
		if !added && waiting[i] == file {
			break // nothing has changed for the others
		}
		if !added {
			continue
		}
		done.digests = append(done.digests, waiting[i].digest)
		waiting = slices.Delete(waiting, i, i+1)
		i = len(waiting) // others may build on it
	}
	return waiting, nil
}

// add adds the objects of a bundle to the repository. It reports false if something is missing that they need.
func (f *bundleFile) add(ctx context.Context, git inner) (added bool, err error) {
	if has, err := hasObjects(ctx, git, f.header.Prerequisites); err != nil || !has {
		return false, err
	}
	if f.refused = f.index(ctx, git); f.refused != nil {
		return false, ctx.Err()
	}
	_ = os.Remove(f.path) // a temporary file
	return true, nil
}

// index adds the objects of a bundle to the repository.
func (f *bundleFile) index(ctx context.Context, git inner) error {
	pack, err := os.Open(f.path)
	if err != nil {
		return err
	}
	defer pack.Close() //nolint:errcheck // it was only read
	if _, err := pack.Seek(f.header.Size, io.SeekStart); err != nil {
		return err
	}
	_, err = git.git(ctx, pack, "index-pack", "--strict", "--stdin", "--fix-thin")
	return err
}

// hasObjects reports whether the repository has all of the objects.
func hasObjects(ctx context.Context, git inner, ids []string) (bool, error) {
	if len(ids) == 0 {
		return true, nil
	}
	printed, err := git.git(ctx, strings.NewReader(strings.Join(ids, "\n")+"\n"), "cat-file", "--batch-check")
	return err == nil && !strings.Contains(printed, " missing"), err
}

// checkConnected checks that everything that can be reached from objects is in the repository.
func checkConnected(ctx context.Context, git inner, ids []string) error {
	_, err := git.git(ctx, strings.NewReader(strings.Join(ids, "\n")+"\n"), "rev-list", "--objects", "--stdin", "--not", "--all", "--quiet")
	return err
}

// applied is a file with the digests of the git bundles that were added to the repository.
type applied struct {
	path    string
	digests []ident.Hash
}

func readApplied(ctx context.Context, git inner) (*applied, error) {
	dir, err := git.git(ctx, nil, "rev-parse", "--absolute-git-dir")
	if err != nil {
		return nil, err
	}
	a := &applied{path: filepath.Join(dir, "makechain", "bundles")}
	content, err := os.ReadFile(a.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for line := range bytes.Lines(content) {
		if digest, err := ident.ParseHash(strings.TrimSpace(string(line))); err == nil {
			a.digests = append(a.digests, digest)
		}
	}
	return a, nil
}

// Permissions of files and directories in the git directory.
const (
	privateDir  = 0o700
	privateFile = 0o600
)

func (a *applied) write() error {
	var content bytes.Buffer
	for _, digest := range a.digests {
		fmt.Fprintln(&content, digest)
	}
	if err := os.MkdirAll(filepath.Dir(a.path), privateDir); err != nil {
		return err
	}
	return os.WriteFile(a.path, content.Bytes(), privateFile)
}
