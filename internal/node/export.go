package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"makechain/internal/comet"
	"makechain/internal/genesis"
	"makechain/internal/ident"
	"makechain/internal/snapshot"
)

// Reasons for which a snapshot is not exported.
var (
	// ErrNoSnapshot is returned when the home has no snapshot, or none of the given height.
	ErrNoSnapshot = errors.New("no such snapshot")
	// ErrUncertified is returned when the next block, whose header contains the root of the snapshot, does not exist yet.
	ErrUncertified = errors.New("no block certifies the snapshot yet")
)

// ExportOptions configure Export.
type ExportOptions struct {
	Height uint64 // 0 for the newest certified snapshot
	// FetchLightBlock fetches a light block from the node that runs in the home. It returns nil when the block does not
	// exist.
	FetchLightBlock func(ctx context.Context, number uint64) ([]byte, error)
	// Progress, if set, is called before each chunk.
	Progress func(done, total int)
}

// ArchiveInfo describes a snapshot file.
type ArchiveInfo struct {
	ChainID  string
	Manifest *snapshot.Manifest
	// CertifyingBlock is the block whose header contains the root, and Hash the hash of that header.
	CertifyingBlock uint64
	Hash            ident.Hash
}

// Snapshots returns the snapshots of a home, newest first. A node may run in the home.
func Snapshots(home string) ([]snapshot.Snapshot, error) {
	if _, err := homeGenesis(home); err != nil {
		return nil, err
	}
	directory, err := snapshot.OpenReadOnly(filepath.Join(home, snapshotDir))
	if err != nil {
		return nil, err
	}
	return directory.List(), nil
}

// Export writes a snapshot of a home to a single file, together with the light blocks that Import needs to verify it and to
// bootstrap consensus. A node may run in the home.
func Export(ctx context.Context, home string, options ExportOptions, to io.Writer) (*ArchiveInfo, error) {
	g, err := homeGenesis(home)
	if err != nil {
		return nil, err
	}
	document, err := comet.GenesisDocument(home)
	if err != nil {
		return nil, err
	}
	directory, err := snapshot.OpenReadOnly(filepath.Join(home, snapshotDir))
	if err != nil {
		return nil, err
	}
	e := &exporter{ExportOptions: options, home: home, genesis: g}
	chosen, lights, checkpoint, err := e.choose(ctx, directory.List())
	if err != nil {
		return nil, err
	}
	archive := &snapshot.Archive{Genesis: document, LightBlocks: lights, Manifest: chosen.Encode()}
	err = archive.Write(to, func(index uint32) ([]byte, error) {
		if options.Progress != nil {
			options.Progress(int(index), len(chosen.Chunks))
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return directory.Chunk(chosen.Height, snapshot.Format, index)
	})
	if err != nil {
		return nil, fmt.Errorf("export: %w", err)
	}
	return archiveInfo(g, chosen.Manifest, checkpoint), nil
}

func archiveInfo(g *genesis.Genesis, manifest *snapshot.Manifest, checkpoint *comet.Checkpoint) *ArchiveInfo {
	block, hash := checkpoint.CertifyingBlock()
	return &ArchiveInfo{ChainID: g.ChainID, Manifest: manifest, CertifyingBlock: block, Hash: hash}
}

// exporter chooses a snapshot and collects the light blocks that certify it.
type exporter struct {
	ExportOptions

	home    string
	genesis *genesis.Genesis
}

// choose returns the requested snapshot with the light blocks that certify it.
func (e *exporter) choose(ctx context.Context, list []snapshot.Snapshot) (snapshot.Snapshot, [][]byte, *comet.Checkpoint, error) {
	err := fmt.Errorf("%w in %s", ErrNoSnapshot, e.home)
	if e.Height != 0 {
		err = fmt.Errorf("%w: height %d in %s", ErrNoSnapshot, e.Height, e.home)
	}
	for _, s := range list {
		if e.Height != 0 && e.Height != s.Height {
			continue
		}
		var lights [][]byte
		var checkpoint *comet.Checkpoint
		if lights, checkpoint, err = e.certify(ctx, s.Manifest); err == nil {
			return s, lights, checkpoint, nil
		}
		if !errors.Is(err, ErrUncertified) {
			break
		}
	}
	return snapshot.Snapshot{}, nil, nil, err
}

// certify returns the light blocks that prove the root of a snapshot. The third one is needed only when the validators
// changed.
func (e *exporter) certify(ctx context.Context, m *snapshot.Manifest) ([][]byte, *comet.Checkpoint, error) {
	lights, err := e.lightBlocks(ctx, m.Height, m.Height+1, m.Height+2)
	switch {
	case err != nil:
		return nil, nil, err
	case lights[0] == nil:
		return nil, nil, fmt.Errorf("export: block %d was pruned", m.Height)
	case lights[1] == nil:
		return nil, nil, fmt.Errorf("%w: block %d does not exist", ErrUncertified, m.Height+1)
	}
	checkpoint, err := comet.ParseCheckpoint(lights[:2], e.genesis)
	if err != nil && lights[2] != nil {
		checkpoint, err = comet.ParseCheckpoint(lights, e.genesis)
	} else {
		lights = lights[:2]
	}
	switch {
	case err != nil:
		return nil, nil, err
	case checkpoint.Root() != m.Root:
		return nil, nil, fmt.Errorf("export: the snapshot has root %x, block %d has %s", m.Root, m.Height+1, checkpoint.Root())
	}
	return lights, checkpoint, nil
}

// lightBlocks reads light blocks from the home, or fetches them from the node that runs there.
func (e *exporter) lightBlocks(ctx context.Context, numbers ...uint64) ([][]byte, error) {
	lights, err := comet.LightBlocks(e.home, numbers...)
	if !errors.Is(err, comet.ErrLocked) || e.FetchLightBlock == nil {
		return lights, inUse(e.home, err)
	}
	lights = make([][]byte, len(numbers))
	for i, number := range numbers {
		if lights[i], err = e.FetchLightBlock(ctx, number); err != nil {
			return nil, err
		}
	}
	return lights, nil
}
