package gitcache

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"makechain/internal/gitbundle"
	"makechain/internal/ident"
)

// packedRefs is the file that has all refs of a repository. Nothing writes refs one by one.
const packedRefs = "packed-refs"

// SetRefs replaces all refs of a project's repository in one step, and its symbolic ref HEAD, which need not exist. The id
// of a tag is that of the tag object, if there is one. The error is gitbundle.ErrMissing, and nothing changes, when the
// repository lacks an object of a ref or something that can be reached from it; then bundles have to be added first, or
// the repository is damaged and has to be rebuilt.
func (c *Cache) SetRefs(ctx context.Context, project ident.Hash, refs []gitbundle.Ref, head string) error {
	defer c.share(project)()
	format, err := c.format(project)
	switch {
	case err != nil:
		return err
	case format == "" && len(refs) == 0:
		return nil
	case format == "":
		return fmt.Errorf("the cache has no repository of project %s: %w", project, gitbundle.ErrMissing)
	}
	if err := checkRefs(refs, head, format); err != nil {
		return err
	}
	file, err := c.packRefs(ctx, project, refs)
	if err != nil {
		return err
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	if err := c.replace(filepath.Join(c.path(project), packedRefs), file); err != nil {
		return err
	}
	return c.replace(filepath.Join(c.path(project), "HEAD"), []byte("ref: "+head+"\n"))
}

func checkRefs(refs []gitbundle.Ref, head string, format gitbundle.Format) error {
	if !gitbundle.IsRefName(head) || !strings.HasPrefix(head, "refs/heads/") {
		return fmt.Errorf("HEAD cannot point to %q", head)
	}
	names := make(map[string]bool, len(refs))
	for _, ref := range refs {
		if !gitbundle.IsRefName(ref.Name) || ref.Name == "HEAD" || names[ref.Name] {
			return fmt.Errorf("%q is not the name of a ref, or appears twice", ref.Name)
		}
		if gitbundle.FormatOf(ref.ID) != format {
			return fmt.Errorf("%s: %q is not a %s id: %w", ref.Name, ref.ID, format, gitbundle.ErrMissing)
		}
		names[ref.Name] = true
	}
	return nil
}

// packRefs returns the content of the file of refs, after checking that the repository has everything they need.
func (c *Cache) packRefs(ctx context.Context, project ident.Hash, refs []gitbundle.Ref) ([]byte, error) {
	ids := make([]string, 0, len(refs))
	for _, ref := range refs {
		ids = append(ids, ref.ID)
	}
	if err := c.connected(ctx, c.path(project), ids, nil); err != nil {
		var failed *Error
		if errors.As(err, &failed) && failed.exited() {
			return nil, fmt.Errorf("refs of project %s: %s: %w", project, failed.Stderr, gitbundle.ErrMissing)
		}
		return nil, err
	}
	peeled, err := c.peel(ctx, project, ids)
	if err != nil {
		return nil, err
	}
	var file bytes.Buffer
	file.WriteString("# pack-refs with: peeled fully-peeled sorted \n")
	for _, ref := range slices.SortedFunc(slices.Values(refs), func(a, b gitbundle.Ref) int { return strings.Compare(a.Name, b.Name) }) {
		fmt.Fprintf(&file, "%s %s\n", ref.ID, ref.Name)
		if peeled[ref.ID] != ref.ID {
			fmt.Fprintf(&file, "^%s\n", peeled[ref.ID])
		}
	}
	return file.Bytes(), nil
}

// peel returns for each object the object that it points to if it is a tag, else itself.
func (c *Cache) peel(ctx context.Context, project ident.Hash, ids []string) (map[string]string, error) {
	peeled := make(map[string]string, len(ids))
	if len(ids) == 0 {
		return peeled, nil
	}
	input := strings.NewReader(strings.Join(ids, "^{}\n") + "^{}\n")
	err := c.run(ctx, c.path(project), input, func(out *bufio.Reader) error {
		for _, id := range ids {
			line, err := out.ReadString('\n')
			if err != nil {
				return err
			}
			target := strings.TrimSuffix(line, "\n")
			if gitbundle.FormatOf(target) == "" {
				return fmt.Errorf("%s cannot be peeled: %w", id, gitbundle.ErrMissing)
			}
			peeled[id] = target
		}
		return nil
	}, "cat-file", "--batch-check=%(objectname)")
	return peeled, err
}

// replace writes a file durably, unless it has the content already. A reader sees the old or the new content.
func (c *Cache) replace(name string, content []byte) error {
	old, err := os.ReadFile(name)
	if err == nil && bytes.Equal(old, content) {
		return nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	file, err := os.CreateTemp(c.temporary(), "file")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(file.Name()) }() // fails after the rename
	_, err = file.Write(content)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	if err := c.crash("replace " + filepath.Base(name)); err != nil {
		return err
	}
	if err := os.Rename(file.Name(), name); err != nil {
		return err
	}
	return syncDir(filepath.Dir(name))
}
