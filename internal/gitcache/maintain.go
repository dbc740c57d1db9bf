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

const (
	// minIndexed is the size of the indexes of packs, in bytes, from which bitmaps are written: about 2,000 objects.
	minIndexed = 64 << 10
	// maxUnindexed is the share of the packs, as a divisor, that may be missing in the bitmaps.
	maxUnindexed = 10
)

// Maintain combines the packs of a project's repository when there are more than Limits.Packs, and writes bitmaps when a part of
// the objects has none. No object is lost, whether or not a ref reaches it. One repository is maintained at a time; others wait.
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
	// A process that was killed leaves its lock. No other one writes the index.
	if err := os.Remove(filepath.Join(c.packDir(project), multiPackIndex+".lock")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return c.maintainWith(ctx, project, multiPackIndex, "write", "--bitmap", "--no-progress", "--preferred-pack="+largest)
}

func (c *Cache) packDir(project ident.Hash) string {
	return filepath.Join(c.path(project), "objects", "pack")
}

// unindexed returns the name of the largest pack if bitmaps should be written, else "". Packs that are newer than the refs do not
// count: bitmaps are for what refs reach.
func (c *Cache) unindexed(project ident.Hash) (largest string, err error) {
	refs, err := modified(filepath.Join(c.path(project), packedRefs))
	if err != nil {
		return "", err
	}
	indexed, err := modified(filepath.Join(c.packDir(project), multiPackIndex))
	if err != nil {
		return "", err
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
