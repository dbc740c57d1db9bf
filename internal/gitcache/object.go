package gitcache

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"makechain/internal/gitbundle"
	"makechain/internal/ident"
)

// Missing returns those of the objects that the repository of a project does not have. All are missing when there is no
// repository.
func (c *Cache) Missing(ctx context.Context, project ident.Hash, ids []string) ([]string, error) {
	format, err := c.format(project)
	switch {
	case err != nil:
		return nil, err
	case format == "":
		return ids, nil
	}
	return c.missing(ctx, c.path(project), format, ids, "")
}

// missing returns those of the objects that a repository does not have, or that are not of the type, unless it is "".
func (c *Cache) missing(ctx context.Context, repository string, format gitbundle.Format, ids []string, kind string) ([]string, error) {
	var missing, asked []string
	for _, id := range ids {
		if gitbundle.FormatOf(id) == format {
			asked = append(asked, id)
		} else {
			missing = append(missing, id)
		}
	}
	if len(asked) == 0 {
		return missing, nil
	}
	input := strings.NewReader(strings.Join(asked, "\n") + "\n")
	err := c.run(ctx, repository, input, func(out *bufio.Reader) error {
		for _, id := range asked {
			line, err := out.ReadString('\n')
			if err != nil {
				return err
			}
			// "<id> missing" or "<id> <type>"
			_, found, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
			if found == "missing" || kind != "" && found != kind {
				missing = append(missing, id)
			}
		}
		return nil
	}, "cat-file", "--batch-check=%(objectname) %(objecttype)")
	return missing, err
}

// Object returns an object by its id: its type ("commit", "tree", "blob" or "tag") and its content. The error is
// gitbundle.ErrMissing when there is none, and gitbundle.ErrLimit when it has more than maxBytes.
func (c *Cache) Object(ctx context.Context, project ident.Hash, id string, maxBytes int64) (kind string, content []byte, err error) {
	format, err := c.format(project)
	switch {
	case err != nil:
		return "", nil, err
	case format == "" || gitbundle.FormatOf(id) != format:
		return "", nil, fmt.Errorf("object %s: %w", id, gitbundle.ErrMissing)
	}
	err = c.run(ctx, c.path(project), strings.NewReader(id+"\n"), func(out *bufio.Reader) error {
		line, err := out.ReadString('\n')
		if err != nil {
			return err
		}
		fields := strings.Fields(line) // "<id> missing" or "<id> <type> <size>"
		if len(fields) != 3 {
			return fmt.Errorf("object %s: %w", id, gitbundle.ErrMissing)
		}
		size, err := strconv.ParseInt(fields[2], 10, 64)
		if err != nil {
			return err
		}
		if size > maxBytes {
			return fmt.Errorf("object %s has %d bytes: %w", id, size, gitbundle.ErrLimit)
		}
		kind, content = fields[1], make([]byte, size)
		if _, err := io.ReadFull(out, content); err != nil {
			return err
		}
		_, err = out.ReadByte() // a line feed
		return err
	}, "cat-file", "--batch")
	if err != nil {
		return "", nil, err
	}
	return kind, content, nil
}
