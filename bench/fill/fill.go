package fill

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"makechain/internal/index"
	"makechain/internal/merkle"
	"makechain/internal/schema"
	"makechain/internal/store"
)

// progressRows is the number of rows between two reports of progress.
const progressRows = 1 << 16

// Options are the parameters of a fill.
type Options struct {
	Rows uint64 // of the state tree, approximately
	Seed uint64
	// Progress receives the number of rows that were written, and of those that will be.
	Progress func(at, total int)
}

// Result describes a filled state.
type Result struct {
	Height uint64
	Rows   uint64 // of the state tree
	Root   merkle.Hash
}

// StateDir is the directory of the state in the home of a node.
const StateDir = "data/state"

// Home fills the chain of a stopped node with one validator that has no messages yet, and makes its next block certify the new root.
func Home(ctx context.Context, home string, options Options) (*Result, error) {
	result, err := State(ctx, filepath.Join(home, StateDir), options)
	if err != nil {
		return nil, err
	}
	return result, setAppHash(home, result)
}

// State replaces the store in a directory, which is not open, by one with the same height that has generated rows in addition.
func State(ctx context.Context, dir string, options Options) (*Result, error) {
	height, existing, err := readState(dir)
	if err != nil {
		return nil, err
	}
	next := dir + ".filling"
	if err := errors.Join(os.RemoveAll(next), os.Mkdir(next, 0o700)); err != nil {
		return nil, err
	}
	result, err := write(ctx, next, height, existing, options)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(next))
	}
	// The files of the replaced store include checkpoints of its tree, which are not valid any more.
	return result, errors.Join(os.RemoveAll(dir), os.Rename(next, dir))
}

// readState returns the height and all rows of a small store. Opening it verifies them.
func readState(dir string) (height uint64, rows []schema.Change, err error) {
	s, err := store.Open(dir, store.Options{})
	if err != nil {
		return 0, nil, err
	}
	latest := s.Snapshot()
	stats, err := index.NewReader(latest).Stats()
	if err == nil && stats.Messages > 0 {
		err = fmt.Errorf("the chain has %d messages: only a new one can be filled", stats.Messages)
	}
	if err == nil {
		err = latest.Scan(nil, nil, func(key, value []byte) bool {
			rows = append(rows, schema.Change{Key: bytes.Clone(key), Value: bytes.Clone(value)})
			return true
		})
	}
	return latest.Height(), rows, errors.Join(err, latest.Close(), s.Close())
}

// write writes a store with existing and generated rows to a directory.
func write(ctx context.Context, dir string, height uint64, existing []schema.Change, options Options) (*Result, error) {
	to, err := store.NewFiller(dir)
	if err != nil {
		return nil, err
	}
	firstIndex := slices.IndexFunc(existing, func(c schema.Change) bool { return c.Key[0] >= store.FirstIndexPrefix })
	if firstIndex < 0 {
		firstIndex = len(existing)
	}
	made := &state{ctx: ctx, shape: newShape(options.Seed, options.Rows), existing: existing[:firstIndex], to: to, options: options}
	indexRows := map[string][]byte{}
	for _, c := range existing[firstIndex:] {
		indexRows[string(c.Key)] = c.Value
	}
	// Indexing reads the rows once in key order, and meanwhile they are written.
	err = index.FromState(made, func(c schema.Change) error {
		indexRows[string(c.Key)] = c.Value
		return nil
	})
	if err != nil {
		return nil, err
	}
	keys := make([]string, 0, len(indexRows))
	for key := range indexRows {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		if err := to.Add([]byte(key), indexRows[key]); err != nil {
			return nil, err
		}
	}
	result := &Result{Height: height, Rows: made.root.count, Root: made.root.root()}
	return result, to.Finish(ctx, height, result.Root)
}

// state is a state that is written while it is scanned, once.
type state struct {
	ctx      context.Context //nolint:containedctx // Scan, of another package, has none
	shape    shape
	existing []schema.Change
	to       *store.Filler
	root     rootBuilder
	options  Options
}

// Get is not used by index.FromState, which only scans.
func (*state) Get([]byte) ([]byte, error) {
	return nil, errors.New("a state that is being filled cannot be read")
}

// Scan implements index.View. The bounds include all rows of the state.
func (s *state) Scan(_, _ []byte, visit func(key, value []byte) bool) error {
	stopped := errors.New("stopped")
	err := s.shape.stream(s.ctx, s.existing, func(r row) error {
		if r.inTree {
			s.root.add(r.key, r.leaf)
			if s.root.count%progressRows == 0 {
				s.options.Progress(int(s.root.count), int(max(s.options.Rows, s.root.count)))
			}
		}
		if err := s.to.Add(r.key, r.value); err != nil {
			return err
		}
		if !visit(r.key, r.value) {
			return stopped
		}
		return nil
	})
	if errors.Is(err, stopped) { // visit has the reason
		return nil
	}
	return err
}
