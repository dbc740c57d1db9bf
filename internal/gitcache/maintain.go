package gitcache

import (
	"bufio"
	"context"
	"io"
	"math"
	"path/filepath"

	"makechain/internal/ident"
)

// Maintain combines the packs of a project's repository when there are more than Limits.Packs. No object is lost, whether
// or not a ref reaches it. One repository is maintained at a time; others wait.
func (c *Cache) Maintain(ctx context.Context, project ident.Hash) error {
	packs, err := filepath.Glob(filepath.Join(c.path(project), "objects", "pack", "*.idx"))
	if err != nil || len(packs) <= c.limits.Packs {
		return err
	}
	defer c.share(project)()
	c.maintaining.Lock()
	defer c.maintaining.Unlock()
	// A geometric repack copies whole packs. The others of git repack delete what no ref reaches.
	return c.runWithin(ctx, math.MaxInt64, c.path(project), nil, func(out *bufio.Reader) error {
		_, err := io.Copy(io.Discard, out)
		return err
	}, "repack", "-d", "-q", "--geometric=2")
}
