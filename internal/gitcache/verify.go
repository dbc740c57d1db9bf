package gitcache

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
	"strconv"
	"strings"

	"makechain/internal/gitbundle"
	"makechain/internal/ident"
)

// ignoredFindings are the findings of git fsck that do not refuse a bundle. They are common in old histories and harmless.
const ignoredFindings = "badTimezone=ignore,missingSpaceBeforeDate=ignore,zeroPaddedFilemode=ignore"

// Verify checks a bundle for a project in quarantine, and deletes the quarantine. It returns a *gitbundle.Error when the
// bundle is refused, with the cause gitbundle.ErrLimit when it exceeds a limit, and gitbundle.ErrMissing when the
// repository of the project does not have objects that the bundle builds on. After another bundle was added that has
// them, Verify can be called again.
func (c *Cache) Verify(ctx context.Context, project ident.Hash, bundle string) (gitbundle.Report, error) {
	defer c.share(project)()
	q, err := c.verify(ctx, project, bundle)
	if err != nil {
		return gitbundle.Report{}, err
	}
	return q.report, os.RemoveAll(q.dir)
}

// Add verifies a bundle like Verify, calls keep with the report unless keep is nil, and adds the objects to the
// repository of the project, which the first bundle creates. keep makes the bundle durable; when it fails nothing is added and its
// error is returned. When Add returns without an error the objects are durable. After a crash the repository has all of
// them or none, and Add can be repeated, also for a bundle that was added before.
//
// A pack that the repository of source has too becomes a hard link to that file, so that a fork needs little disk space of its own. The
// repositories stay independent: either can be repacked or deleted. A source without a repository shares nothing.
func (c *Cache) Add(
	ctx context.Context, project, source ident.Hash, bundle string, keep func(gitbundle.Report) error,
) (gitbundle.Report, error) {
	defer c.share(project)()
	q, err := c.verify(ctx, project, bundle)
	if err != nil {
		return gitbundle.Report{}, err
	}
	if keep != nil {
		err = keep(q.report)
	}
	if err == nil {
		err = c.linkPacks(source, q)
	}
	if err == nil {
		err = c.publish(project, q)
	}
	return q.report, errors.Join(err, os.RemoveAll(q.dir))
}

// quarantine is a repository with the objects of one bundle. It borrows the objects and refs of the project's repository.
type quarantine struct {
	dir    string
	report gitbundle.Report
}

// verify returns the quarantine of a bundle that is accepted. The caller removes it.
func (c *Cache) verify(ctx context.Context, project ident.Hash, bundle string) (*quarantine, error) {
	select {
	case c.verifying <- struct{}{}:
		defer func() { <-c.verifying }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	limited, stop := context.WithTimeout(ctx, c.limits.VerifyTime)
	defer stop()
	q, err := c.verifyNow(limited, project, bundle)
	if err != nil && ctx.Err() == nil && limited.Err() != nil {
		return nil, exceeds("the verification of the bundle takes longer than %s", c.limits.VerifyTime)
	}
	return q, err
}

func (c *Cache) verifyNow(ctx context.Context, project ident.Hash, bundle string) (_ *quarantine, err error) {
	file, err := os.Open(bundle)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	header, size, err := c.header(file)
	if err != nil {
		return nil, err
	}
	q := &quarantine{report: gitbundle.Report{Header: header, Bytes: size}}
	if q.dir, err = os.MkdirTemp(c.temporary(), "quarantine"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(q.dir))
		}
	}()
	if err := c.isolate(project, q); err != nil {
		return nil, err
	}
	for step, check := range []func() error{
		func() error { return c.checkPrerequisites(ctx, q) },
		func() error { return c.unpack(ctx, q, file) },
		func() error { return c.checkTips(ctx, q) },
	} {
		if err := errors.Join(check(), c.crash("check "+strconv.Itoa(step))); err != nil {
			return nil, err
		}
	}
	return q, nil
}

// header parses the header of a bundle, and leaves the file at any position.
func (c *Cache) header(file *os.File) (gitbundle.Header, int64, error) {
	info, err := file.Stat()
	switch {
	case err != nil:
		return gitbundle.Header{}, 0, err
	case !info.Mode().IsRegular():
		return gitbundle.Header{}, 0, fmt.Errorf("%s is not a regular file", file.Name())
	case info.Size() > c.limits.BundleBytes:
		return gitbundle.Header{}, 0, exceeds("the bundle has %d bytes; at most %d are accepted", info.Size(), c.limits.BundleBytes)
	}
	header, err := gitbundle.Parse(bufio.NewReader(file), c.limits.Header)
	return header, info.Size(), err
}

// isolate creates the repository of a quarantine.
func (c *Cache) isolate(project ident.Hash, q *quarantine) error {
	format, err := c.format(project)
	switch {
	case err != nil:
		return err
	case format != "" && format != q.report.Format:
		return &gitbundle.Error{Reason: fmt.Sprintf("the bundle has %s ids, and the repository has %s ids", q.report.Format, format)}
	}
	if err := writeRepository(q.dir, q.report.Format); err != nil || format == "" {
		return err
	}
	objects := filepath.Join(c.path(project), "objects")
	if err := os.WriteFile(filepath.Join(q.dir, "objects", "info", "alternates"), []byte(objects+"\n"), 0o600); err != nil {
		return err
	}
	// Refs are replaced by renaming, so the link is a consistent copy.
	err = os.Link(filepath.Join(c.path(project), packedRefs), filepath.Join(q.dir, packedRefs))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (c *Cache) checkPrerequisites(ctx context.Context, q *quarantine) error {
	missing, err := c.missing(ctx, q.dir, q.report.Format, q.report.Prerequisites, "commit")
	if err == nil && len(missing) > 0 {
		err = &gitbundle.Error{
			Reason: fmt.Sprintf("%d commits that the bundle builds on are missing, among them %s", len(missing), missing[0]),
			Cause:  gitbundle.ErrMissing,
		}
	}
	return err
}

// unpack checks the pack and writes it to the quarantine.
func (c *Cache) unpack(ctx context.Context, q *quarantine, file *os.File) error {
	if _, err := file.Seek(q.report.Size, io.SeekStart); err != nil {
		return err
	}
	scanned, err := scanPack(&contextReader{ctx, file}, q.report.Bytes-q.report.Size, q.report.Format, c.limits)
	if err != nil {
		return err
	}
	q.report.Objects, q.report.InflatedBytes = int64(len(scanned.offsets)), scanned.inflated
	if _, err := file.Seek(q.report.Size, io.SeekStart); err != nil {
		return err
	}
	if len(scanned.offsets) == 0 {
		return nil // only refs to objects that are there; git has no pack without objects
	}
	printed, err := c.output(ctx, q.dir, file, maxStderr, "index-pack", "--stdin", "--fix-thin", "--threads=2", "--strict="+ignoredFindings)
	if err != nil {
		return refusal(err, "the objects of the bundle are not valid")
	}
	// Printed is "pack\t<id>".
	_, name, _ := strings.Cut(strings.TrimSpace(string(printed)), "\t")
	return scanned.checkDepth(filepath.Join(q.dir, "objects", "pack", "pack-"+name+".idx"), c.limits.DeltaDepth)
}

// refusal turns a failure of git that has its reason in the bundle into a *gitbundle.Error. Being killed or out of memory
// can have other reasons.
func refusal(err error, what string) error {
	var failed *Error
	if !errors.As(err, &failed) || !failed.exited() {
		return err
	}
	if text := strings.ToLower(failed.Stderr); strings.Contains(text, "out of memory") || strings.Contains(text, "cannot allocate") {
		return &gitbundle.Error{Reason: what + ": git needs more memory than is allowed", Cause: gitbundle.ErrLimit}
	}
	return &gitbundle.Error{Reason: what + ": " + failed.Stderr}
}

// checkTips checks that the repository has the objects of the refs and everything that can be reached from them.
func (c *Cache) checkTips(ctx context.Context, q *quarantine) error {
	tips := make([]string, 0, len(q.report.Refs))
	for _, ref := range q.report.Refs {
		tips = append(tips, ref.ID)
	}
	missing, err := c.missing(ctx, q.dir, q.report.Format, tips, "")
	switch {
	case err != nil:
		return err
	case len(missing) > 0:
		return &gitbundle.Error{Reason: "the bundle does not contain the object of a ref: " + missing[0]}
	}
	if err := c.connected(ctx, q.dir, tips, q.report.Prerequisites); err != nil {
		return refusal(err, "objects that the refs of the bundle need are missing")
	}
	count, err := c.output(ctx, q.dir, revisions(tips, q.report.Prerequisites), maxStderr, "rev-list", "--count", "--stdin", "--not", "--all")
	if err != nil {
		return err
	}
	q.report.Commits, err = strconv.ParseInt(strings.TrimSpace(string(count)), 10, 64)
	return err
}

// connected returns an error of git when an object is missing that can be reached from the tips, but neither from the refs
// of the repository nor from the commits that are known to be complete.
func (c *Cache) connected(ctx context.Context, repository string, tips, complete []string) error {
	_, err := c.output(ctx, repository, revisions(tips, complete), maxStderr, "rev-list", "--objects", "--quiet", "--stdin", "--not", "--all")
	return err
}

// revisions returns the input of git rev-list for what can be reached from the tips and not from the others.
func revisions(tips, others []string) io.Reader {
	var lines bytes.Buffer
	for _, id := range tips {
		lines.WriteString(id + "\n")
	}
	for _, id := range others {
		lines.WriteString("^" + id + "\n")
	}
	return &lines
}

// contextReader fails when the context ends.
type contextReader struct {
	ctx    context.Context //nolint:containedctx // it lives as long as the call
	reader io.Reader
}

func (r *contextReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.reader.Read(p)
}

// publish moves the objects of a quarantine into the repository of the project. An index makes a pack visible, so it is
// moved last.
func (c *Cache) publish(project ident.Hash, q *quarantine) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	if format, err := c.format(project); err != nil {
		return err
	} else if format == "" {
		return c.create(project, q)
	} else if format != q.report.Format { // two first bundles at the same time
		return &gitbundle.Error{Reason: fmt.Sprintf("the bundle has %s ids, and the repository has %s ids", q.report.Format, format)}
	}
	from, to := filepath.Join(q.dir, "objects", "pack"), filepath.Join(c.path(project), "objects", "pack")
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	slices.SortStableFunc(entries, func(a, b fs.DirEntry) int {
		return indexRank(a.Name()) - indexRank(b.Name())
	})
	for _, entry := range entries {
		if err := c.crash("move " + filepath.Ext(entry.Name())); err != nil {
			return err
		}
		if err := os.Rename(filepath.Join(from, entry.Name()), filepath.Join(to, entry.Name())); err != nil {
			return err
		}
		if err := syncDir(to); err != nil {
			return err
		}
	}
	return nil
}

// linkPacks replaces packs of a quarantine by hard links to those that the repository of a project has. The name of a pack is the
// hash of its bytes. The indexes stay files of their own, because their times tell which packs have bitmaps.
func (c *Cache) linkPacks(source ident.Hash, q *quarantine) error {
	packs, err := filepath.Glob(filepath.Join(q.dir, "objects", "pack", "*.pack"))
	if err != nil {
		return err
	}
	for _, pack := range packs {
		shared := filepath.Join(c.packDir(source), filepath.Base(pack))
		if !haveEqualSize(pack, shared) {
			continue
		}
		link := pack + ".link"
		if err := os.Link(shared, link); err != nil {
			continue // deleted meanwhile, or a file system without links: the pack stays a file of its own
		}
		if err := os.Rename(link, pack); err != nil {
			return err
		}
	}
	return nil
}

// haveEqualSize reports whether two files exist and have the same size.
func haveEqualSize(a, b string) bool {
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && first.Size() == second.Size()
}

func indexRank(name string) int {
	if strings.HasSuffix(name, ".idx") {
		return 1
	}
	return 0
}

// create makes a quarantine the repository of a project that has none.
func (c *Cache) create(project ident.Hash, q *quarantine) error {
	to := c.path(project)
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	for _, sub := range []string{"objects/pack", "objects", "."} {
		if err := syncDir(filepath.Join(q.dir, sub)); err != nil {
			return err
		}
	}
	if err := c.crash("create"); err != nil {
		return err
	}
	if err := os.Rename(q.dir, to); err != nil {
		return err
	}
	if err := syncDir(filepath.Dir(to)); err != nil {
		return err
	}
	return syncDir(c.dir)
}
