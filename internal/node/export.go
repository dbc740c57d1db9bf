package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"

	"makechain/internal/comet"
	"makechain/internal/genesis"
	"makechain/internal/ident"
	"makechain/internal/snapshot"
)

// Reasons why a snapshot is not exported.
var (
	// ErrNoSnapshot says that there is none, or none of that height.
	ErrNoSnapshot = errors.New("no such snapshot")
	// ErrUncertified says that the block whose header has the root of a snapshot is not there yet.
	ErrUncertified = errors.New("no block certifies the snapshot yet")
)

// Snapshots lists the snapshots of a home, the newest first. It changes nothing, so a node may run there.
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

// begunWith is the genesis of a home that must have one.
func homeGenesis(home string) (*genesis.Genesis, error) {
	g, err := comet.Genesis(home)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s", comet.ErrNoChain, home)
	}
	return g, err
}

// ExportOptions say which snapshot to export.
type ExportOptions struct {
	Height uint64 // 0 for the newest that is certified
	// Ask gets a light block from the node that runs in the home, nil when it is not there.
	FetchLightBlock func(ctx context.Context, number uint64) ([]byte, error)
	// Progress is told of chunks that are written; nil for nobody.
	Progress func(done, total int)
}

// Carried is what a file holds.
type ArchiveInfo struct {
	ChainID  string
	Manifest *snapshot.Manifest
	// Certifier is the block whose header has the root, and Hash that of the header.
	CertifyingBlock uint64
	Hash      ident.Hash
}

// Export writes a snapshot of a home to a single file, with all that Import needs to believe it and to go on after it.
// A node may run in the home.
func Export(ctx context.Context, home string, options ExportOptions, to io.Writer) (*ArchiveInfo, error) {
	begin, err := homeGenesis(home)
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
	e := &export{ExportOptions: options, home: home, genesis: begin}
	chosen, lights, seed, err := e.choose(ctx, directory.List())
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
	return carried(begin, chosen.Manifest, seed), nil
}

func carried(begin *genesis.Genesis, manifest *snapshot.Manifest, seed *comet.Checkpoint) *ArchiveInfo {
	certifier, hash := seed.CertifyingBlock()
	return &ArchiveInfo{ChainID: begin.ChainID, Manifest: manifest, CertifyingBlock: certifier, Hash: hash}
}

// export is an export under way.
type export struct {
	ExportOptions

	home    string
	genesis *genesis.Genesis
}

// choose finds the snapshot that was asked for, and what certifies it.
func (e *export) choose(ctx context.Context, list []snapshot.Snapshot) (snapshot.Snapshot, [][]byte, *comet.Checkpoint, error) {
	err := fmt.Errorf("%w in %s", ErrNoSnapshot, e.home)
	if e.Height != 0 {
		err = fmt.Errorf("%w: height %d in %s", ErrNoSnapshot, e.Height, e.home)
	}
	for _, at := range list {
		if e.Height != 0 && e.Height != at.Height {
			continue
		}
		var lights [][]byte
		var seed *comet.Checkpoint
		if lights, seed, err = e.certify(ctx, at.Manifest); err == nil {
			return at, lights, seed, nil
		}
		if !errors.Is(err, ErrUncertified) {
			break
		}
	}
	return snapshot.Snapshot{}, nil, nil, err
}

// certify gets the light blocks that lead from signatures to the root of a snapshot. The third is needed only when
// validators changed.
func (e *export) certify(ctx context.Context, of *snapshot.Manifest) ([][]byte, *comet.Checkpoint, error) {
	lights, err := e.lightBlocks(ctx, of.Height, of.Height+1, of.Height+2)
	switch {
	case err != nil:
		return nil, nil, err
	case lights[0] == nil:
		return nil, nil, fmt.Errorf("export: block %d is no longer kept", of.Height)
	case lights[1] == nil:
		return nil, nil, fmt.Errorf("%w: block %d is not there", ErrUncertified, of.Height+1)
	}
	seed, err := comet.ParseCheckpoint(lights[:2], e.genesis)
	if err != nil && lights[2] != nil {
		seed, err = comet.ParseCheckpoint(lights, e.genesis)
	} else {
		lights = lights[:2]
	}
	switch {
	case err != nil:
		return nil, nil, err
	case seed.Root() != of.Root:
		return nil, nil, fmt.Errorf("export: the snapshot has the root %x, block %d says %s", of.Root, of.Height+1, seed.Root())
	}
	return lights, seed, nil
}

// lightBlocks come from the files of the home, or from the node that runs there.
func (e *export) lightBlocks(ctx context.Context, numbers ...uint64) ([][]byte, error) {
	lights, err := comet.LightBlocks(e.home, numbers...)
	if !errors.Is(err, comet.ErrRunning) || e.FetchLightBlock == nil {
		return lights, err
	}
	lights = make([][]byte, len(numbers))
	for i, number := range numbers {
		if lights[i], err = e.FetchLightBlock(ctx, number); err != nil {
			return nil, err
		}
	}
	return lights, nil
}
