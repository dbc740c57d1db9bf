package gitcache

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"time"

	"makechain/internal/ident"
)

// multiPackIndex is the index of several packs of a repository. With its bitmaps git knows without a walk through the history
// what a clone needs.
const multiPackIndex = "multi-pack-index"

// commitGraph is the file of a repository with its commits and their generations, and for each a Bloom filter of the paths that it
// changed. With it git finds the history of a path without reading the trees of all commits.
const commitGraph = "commit-graph"

const (
	// minIndexed is the size of the indexes of packs, in bytes, from which bitmaps are written: about 2,000 objects.
	minIndexed = 64 << 10
	// maxUnindexed is the share of the packs, as a divisor, that may be missing in the bitmaps and in the commit graph.
	maxUnindexed = 10
	// changedPathsTime is how long git may compare the trees of commits for a commit graph. Commits that are in the present one are
	// not compared again.
	changedPathsTime = 5 * time.Minute
)

// Maintain combines the packs of a project's repository when there are more than Limits.Packs, and writes bitmaps and a commit graph
// when a part of the objects is in none. No object is lost, whether or not a ref reaches it. One repository is maintained at a time; others wait.
func (c *Cache) Maintain(ctx context.Context, project ident.Hash) error {
	defer c.share(project)()
	c.maintaining.Lock()
	defer c.maintaining.Unlock()
	packs, err := filepath.Glob(filepath.Join(c.packDir(project), "*.idx"))
	if err != nil {
		return err
	}
	if len(packs) > c.limits.Packs {
		// A geometric repack copies whole packs. The others of git repack delete what no ref reaches.
		if err := c.maintainWith(ctx, project, "repack", "-d", "-q", "--geometric=2"); err != nil {
			return err
		}
	}
	largest, err := c.unindexed(project)
	if err != nil || largest == "" {
		return err
	}
	// A process that was killed leaves its lock. No other one writes these files.
	for _, file := range []string{filepath.Join(c.packDir(project), multiPackIndex), c.commitGraph(project)} {
		if err := os.Remove(file + ".lock"); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := c.maintainWith(ctx, project, multiPackIndex, "write", "--bitmap", "--no-progress", "--preferred-pack="+largest); err != nil {
		return err
	}
	return c.writeCommitGraph(ctx, project, changedPathsTime)
}

// writeCommitGraph replaces the commit graph. When there is not enough time for the changed paths it is written without those of
// new commits, and counts as written: a repository whose trees take long to compare is not tried again at each change.
func (c *Cache) writeCommitGraph(ctx context.Context, project ident.Hash, within time.Duration) error {
	args := []string{commitGraph, "write", "--reachable", "--changed-paths", "--no-progress"}
	limited, stop := context.WithTimeout(ctx, within)
	defer stop()
	err := c.maintainWith(limited, project, args...)
	if err == nil || limited.Err() == nil || ctx.Err() != nil {
		return err
	}
	if err := os.Remove(c.commitGraph(project) + ".lock"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return c.maintainWith(ctx, project, append(args, "--max-new-filters=0")...)
}

func (c *Cache) commitGraph(project ident.Hash) string {
	return filepath.Join(c.path(project), "objects", "info", commitGraph)
}

func (c *Cache) packDir(project ident.Hash) string {
	return filepath.Join(c.path(project), "objects", "pack")
}

// unindexed returns the name of the largest pack if bitmaps and the commit graph should be written, else "". Packs that are newer
// than the refs do not count: both are for what refs reach.
func (c *Cache) unindexed(project ident.Hash) (largest string, err error) {
	refs, err := modified(filepath.Join(c.path(project), packedRefs))
	if err != nil {
		return "", err
	}
	indexed, err := modified(filepath.Join(c.packDir(project), multiPackIndex))
	if err != nil {
		return "", err
	}
	graph, err := modified(c.commitGraph(project))
	if err != nil {
		return "", err
	}
	if graph.Before(indexed) {
		indexed = graph // it was not written yet, or not after the index
	}
	entries, err := os.ReadDir(c.packDir(project))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	var total, missing, most int64
	for _, entry := range entries {
		info, err := entry.Info()
		if filepath.Ext(entry.Name()) != ".idx" || errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		total += info.Size()
		if info.ModTime().After(indexed) && !info.ModTime().After(refs) {
			missing += info.Size()
		}
		if info.Size() > most {
			most, largest = info.Size(), entry.Name()
		}
	}
	if total < minIndexed || missing <= total/maxUnindexed {
		return "", nil
	}
	return largest, nil
}

// modified returns when a file was written, zero for none.
func modified(path string) (time.Time, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, err
	}
	return info.ModTime(), nil
}

// maintainWith runs a command of git whose output does not matter.
func (c *Cache) maintainWith(ctx context.Context, project ident.Hash, args ...string) error {
	return c.runWithin(ctx, math.MaxInt64, c.path(project), nil, func(out *bufio.Reader) error {
		_, err := io.Copy(io.Discard, out)
		return err
	}, args...)
}
