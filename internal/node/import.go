package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"makechain/internal/comet"
	"makechain/internal/genesis"
	"makechain/internal/snapshot"
	"makechain/internal/store"
)

// Reasons for which a snapshot is not imported.
var (
	// ErrNotEmpty is returned when the home has a chain already.
	ErrNotEmpty = errors.New("this home has a chain already")
	// ErrNoTrust is returned when neither a genesis nor a trusted block is given.
	ErrNoTrust = errors.New("the file cannot be verified without a genesis or a trusted block")
	// ErrUnfinished is returned for a home in which an import was interrupted.
	ErrUnfinished = errors.New("an import into this home did not finish")
	// errGenesis is returned for a file of another chain.
	errGenesis = errors.New("the file is of another chain")
)

// ImportOptions configure Import.
type ImportOptions struct {
	// Genesis is the genesis file of the chain. The default is the one in the home, and otherwise the one in the imported
	// file, which then requires Trust.
	Genesis []byte
	// Trust is a trusted block of the chain. Without it, the validators of genesis must have signed the snapshot.
	Trust *TrustedBlock
	// SignAgain lets the only validator of a chain sign heights again whose blocks were lost.
	SignAgain bool
	// Progress, if set, is called before each chunk.
	Progress func(done, total int)
	Log      *slog.Logger
}

// Import restores a file that Export wrote into a home without a chain. The chunks must match the manifest, their rows must
// have the root that the validators signed, and the validators must be trusted. After an error the home has no chain.
// A node that is started in the home continues after the block of the snapshot.
func Import(ctx context.Context, home string, from io.Reader, options ImportOptions) (*ArchiveInfo, error) {
	archive, err := snapshot.ReadArchive(from)
	if err != nil {
		return nil, err
	}
	g, err := options.chainGenesis(home, archive.Genesis)
	if err != nil {
		return nil, err
	}
	manifest, err := snapshot.ParseManifest(archive.Manifest)
	if err != nil {
		return nil, err
	}
	checkpoint, err := options.verify(archive, g, manifest)
	if err != nil {
		return nil, err
	}
	removeMark, err := markUnfinished(home)
	if err != nil {
		return nil, err
	}
	err = options.restore(ctx, home, archive, manifest, checkpoint)
	if err == nil {
		err = comet.Init(home, *g)
	}
	if err == nil {
		err = checkpoint.Bootstrap(home, options.SignAgain)
	}
	if err != nil {
		return nil, errors.Join(err, removeState(home), removeMark())
	}
	return archiveInfo(g, manifest, checkpoint), removeMark()
}

// chainGenesis returns the genesis of the chain. The one in the file must match the one that is given or in the home.
func (o *ImportOptions) chainGenesis(home string, archived []byte) (*genesis.Genesis, error) {
	inFile, err := comet.ParseGenesis(archived)
	if err != nil {
		return nil, fmt.Errorf("%w: its genesis: %w", snapshot.ErrArchive, err)
	}
	document := o.Genesis
	if document == nil {
		document, err = comet.GenesisDocument(home)
		if errors.Is(err, fs.ErrNotExist) {
			if o.Trust == nil {
				return nil, ErrNoTrust
			}
			return inFile, nil
		}
		if err != nil {
			return nil, err
		}
	}
	trusted, err := comet.ParseGenesis(document)
	if err != nil {
		return nil, fmt.Errorf("genesis: %w", err)
	}
	if field := inFile.Difference(trusted); field != "" {
		return nil, fmt.Errorf("%w: the %s in its genesis differs", errGenesis, field)
	}
	return trusted, nil
}

// verify checks that trusted validators signed the root in the manifest.
func (o *ImportOptions) verify(archive *snapshot.ArchiveReader, g *genesis.Genesis, manifest *snapshot.Manifest) (*comet.Checkpoint, error) {
	checkpoint, err := comet.ParseCheckpoint(archive.LightBlocks, g)
	if err != nil {
		return nil, err
	}
	if checkpoint.Height() != manifest.Height {
		return nil, fmt.Errorf("%w: the snapshot has height %d, its light blocks have %d", snapshot.ErrArchive, manifest.Height, checkpoint.Height())
	}
	if o.Trust != nil {
		return checkpoint, checkpoint.VerifyHash(o.Trust.Number, o.Trust.Hash)
	}
	return checkpoint, checkpoint.VerifyGenesis()
}

// restore restores the chunks of the file into the store of the home.
func (o *ImportOptions) restore(
	ctx context.Context, home string, archive *snapshot.ArchiveReader, manifest *snapshot.Manifest, checkpoint *comet.Checkpoint,
) (err error) {
	s, err := store.Open(filepath.Join(home, stateDir), storeOptions(o.Log))
	if err != nil {
		return inUse(home, err)
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	restorer := newRestorer(s)
	defer func() { err = errors.Join(err, restorer.Close()) }()
	if err := restorer.Begin(manifest.Offer(), checkpoint.Root()); err != nil {
		return err
	}
	for index := range manifest.Chunks {
		if o.Progress != nil {
			o.Progress(index, len(manifest.Chunks))
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		chunk, err := archive.Next()
		if err != nil {
			return err
		}
		if _, err := restorer.Apply(uint32(index), chunk); err != nil {
			return err
		}
	}
	if _, err := archive.Next(); !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// markUnfinished returns ErrNotEmpty when a home has a chain, and otherwise marks it until the import is finished. It removes
// what an interrupted import has left.
func markUnfinished(home string) (removeMark func() error, err error) {
	mark := filepath.Join(home, importMark)
	if checkImported(home) == nil {
		if _, err := os.Stat(filepath.Join(home, stateDir)); !errors.Is(err, fs.ErrNotExist) {
			return nil, errors.Join(fmt.Errorf("%w: %s", ErrNotEmpty, home), err)
		}
		if comet.HasChain(home) {
			return nil, fmt.Errorf("%w: %s", ErrNotEmpty, home)
		}
	} else if err := removeState(home); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(mark), homePermission); err != nil {
		return nil, fmt.Errorf("import: %w", err)
	}
	if err := os.WriteFile(mark, nil, filePermission); err != nil {
		return nil, fmt.Errorf("import: %w", err)
	}
	return func() error { return os.Remove(mark) }, nil
}
