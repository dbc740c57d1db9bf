// Package mirror copies the content of projects from the stores that have it into another store.
//
// What a project's content is comes from the chain, with proofs. The stores are not trusted: a git bundle is written to a
// temporary file while its digest is computed, at most MaxBundle bytes, and only bytes with the digest reach the target.
package mirror

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"makechain/client"
	"makechain/internal/gitbundle"
	"makechain/internal/ident"
	"makechain/internal/remotehelper"
	"makechain/message"
)

const (
	// MaxBundle is the size of the largest git bundle that is copied, in bytes: content services accept no larger ones.
	MaxBundle = 512 << 20
	// maxForks is the number of ancestors of a fork whose content is copied with it.
	maxForks = 8
)

// Target is the store that is kept up to date.
type Target interface {
	// Has returns the size of the bytes with a digest. The error wraps fs.ErrNotExist if the target does not have them.
	Has(ctx context.Context, digest ident.Hash) (size int64, err error)
	// Put stores the bytes with a digest. They are durable when it returns nil.
	Put(ctx context.Context, digest ident.Hash, r io.Reader) error
	// Get returns length bytes from an offset on, or all from there if length is negative.
	Get(ctx context.Context, digest ident.Hash, offset, length int64) (io.ReadCloser, error)
}

// Chain reads from the chain, with proofs.
type Chain interface {
	// Contents returns the contents of a project.
	Contents(ctx context.Context, project message.Hash) (*client.ProvenContents, error)
}

// Opener opens the stores of a project.
type Opener interface {
	Sources(ctx context.Context, project message.Hash) (*remotehelper.Sources, error)
}

// Mirror copies content into one target. Its methods must not be called concurrently.
type Mirror struct {
	Chain  Chain
	Opener Opener
	Target Target
	// PublicOnly refuses private projects.
	PublicOnly bool
}

// ErrPrivate is returned for a private project by a mirror of public ones.
var ErrPrivate = errors.New("the project is private")

// Result is what was done for a project. It includes the content of the projects that it was forked from, without which a fork
// cannot be cloned.
type Result struct {
	Block   uint64 // the content is that after this block
	Present int    // git bundles that the target had
	Copied  int
	Bytes   int64 // of the copied git bundles
	// Replaced is the number of git bundles that no store has, and that are older than one with everything.
	Replaced int
	Missing  []Missing
}

// Missing is a git bundle that no store has.
type Missing struct {
	Digest  message.Hash
	Block   uint64  // that added it
	Reasons []error // by store
}

// Copy copies what the target does not have of a project. An error means that the chain or the target failed; what stores lack
// or falsify is in the result.
func (m *Mirror) Copy(ctx context.Context, project message.Hash) (*Result, error) {
	result := &Result{}
	for depth := 0; ; depth++ {
		sources, err := m.Opener.Sources(ctx, project)
		if err != nil {
			return nil, err
		}
		if m.PublicOnly && sources.Project.Private {
			if depth > 0 { // the source of a public fork
				return result, nil
			}
			return nil, ErrPrivate
		}
		contents, err := m.Chain.Contents(ctx, project)
		if err != nil {
			return nil, err
		}
		if depth == 0 {
			result.Block = contents.Block
		}
		// Older ones first: they are what the others build on.
		slices.SortStableFunc(contents.Contents, func(a, b client.Content) int { return cmp.Compare(a.Block, b.Block) })
		missing := len(result.Missing)
		for _, content := range contents.Contents {
			if err := m.copyOne(ctx, sources, &content, result); err != nil {
				return nil, err
			}
		}
		if len(result.Missing) > missing {
			if err := m.dropReplaced(ctx, sources.Project, contents.Contents, result); err != nil {
				return nil, err
			}
		}
		if project = sources.Project.ForkOf; project == (message.Hash{}) || depth == maxForks {
			return result, nil
		}
	}
}

// copyOne copies one git bundle, unless the target has it.
func (m *Mirror) copyOne(ctx context.Context, sources *remotehelper.Sources, content *client.Content, result *Result) error {
	digest := content.Digest
	_, err := m.Target.Has(ctx, digest)
	if err == nil {
		result.Present++
		return nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the target: %w", err)
	}
	file, err := os.CreateTemp("", "makechain-mirror-*")
	if err != nil {
		return err
	}
	defer func() { _ = errors.Join(file.Close(), os.Remove(file.Name())) }() // a temporary file
	size, reasons, err := download(ctx, sources, digest, file)
	if err != nil {
		return err
	}
	if size < 0 {
		result.Missing = append(result.Missing, Missing{digest, content.Block, slices.Concat(reasons, sources.Skipped)})
		return nil
	}
	if err := m.Target.Put(ctx, digest, file); err != nil {
		return fmt.Errorf("the target: %w", err)
	}
	result.Copied++
	result.Bytes += size
	return nil
}

// IsEverything reports whether a git bundle has everything that the refs of a project reached when it was uploaded: it builds on no
// other one, and has the main branch.
func IsEverything(header *gitbundle.Header, project *remotehelper.Project) bool {
	return len(header.Prerequisites) == 0 &&
		slices.ContainsFunc(header.Refs, func(ref gitbundle.Ref) bool { return ref.Name == project.Head() })
}

// dropReplaced removes the git bundles from those that are missing that are older than one with everything: stores delete them.
// The contents are sorted by block.
func (m *Mirror) dropReplaced(ctx context.Context, project *remotehelper.Project, contents []client.Content, result *Result) error {
	for _, content := range slices.Backward(contents) {
		reader, err := m.Target.Get(ctx, content.Digest, 0, -1)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("the target: %w", err)
		}
		header, err := gitbundle.Parse(bufio.NewReader(reader), gitbundle.DefaultLimits())
		_ = reader.Close() // it was only read
		if err != nil || !IsEverything(&header, project) {
			continue // not a git bundle: anybody who may push can name anything
		}
		before := len(result.Missing)
		result.Missing = slices.DeleteFunc(result.Missing, func(missing Missing) bool {
			return missing.Block < content.Block && slices.ContainsFunc(contents, func(c client.Content) bool { return c.Digest == missing.Digest })
		})
		result.Replaced += before - len(result.Missing)
		return nil
	}
	return nil
}

// download writes a git bundle to a file, from the first store that has it, and returns its size. If no store has it, the size is
// negative, and the reasons are returned. The file is at its beginning afterwards.
func download(ctx context.Context, sources *remotehelper.Sources, digest message.Hash, file *os.File) (int64, []error, error) {
	var reasons []error
	for _, store := range sources.Stores {
		if !store.HasFiles() {
			continue
		}
		err := file.Truncate(0)
		if err == nil {
			_, err = file.Seek(0, io.SeekStart)
		}
		if err != nil {
			return 0, nil, err
		}
		failed := store.Get(ctx, sources.Project.ID, digest, sources.Project.Private, file, MaxBundle)
		if err := ctx.Err(); err != nil {
			return 0, nil, err
		}
		if failed == nil {
			size, err := file.Seek(0, io.SeekCurrent)
			if err == nil {
				_, err = file.Seek(0, io.SeekStart)
			}
			return size, nil, err
		}
		reasons = append(reasons, fmt.Errorf("%s: %w", store.Name, failed))
	}
	return -1, reasons, nil
}

var (
	_ Chain  = (*client.Client)(nil)
	_ Opener = (*remotehelper.Helper)(nil)
)
