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
	"makechain/internal/ident"
	"makechain/internal/snapshot"
	"makechain/internal/store"
)

// Reasons why a snapshot is not imported.
var (
	// ErrNotEmpty says that the home has a chain already.
	ErrNotEmpty = errors.New("this home has a chain already")
	// ErrNoTrust says that nobody vouches for the file.
	ErrNoTrust = errors.New("nothing says whether the file is to be trusted")
	// ErrUnfinished says that an import into the home broke off.
	ErrUnfinished = errors.New("an import into this home did not finish")
	// errGenesis says that a file is of another chain.
	errGenesis = errors.New("the file is of another chain")
)

// ImportOptions say whom to believe.
type ImportOptions struct {
	// Genesis is the genesis file of the chain. Without it that of the home is taken, and without either that in the
	// imported file, which then needs Trust.
	Genesis []byte
	// Trust is a block of the chain with its hash. Without it the validators who signed must be those of genesis.
	Trust *TrustedBlock
	// SignAgain lets a chain of one validator go on that has lost the blocks after the snapshot.
	SignAgain bool
	// Progress is told of chunks that are read; nil for nobody.
	Progress func(done, total int)
	Log      *slog.Logger
}

// TrustedBlock is a block that somebody vouches for.
type TrustedBlock struct {
	Number uint64
	Hash   ident.Hash // of its header
}

// Import makes a file that Export wrote the state of a home that has none: chunks must be those of the manifest, their
// rows must have the root that validators signed, and these must be ones that are trusted. After an error the home has
// no chain, as before. A node in the home then goes on after the block of the snapshot.
func Import(ctx context.Context, home string, from io.Reader, options ImportOptions) (*ArchiveInfo, error) {
	archive, err := snapshot.ReadArchive(from)
	if err != nil {
		return nil, err
	}
	begin, err := options.begin(home, archive.Genesis)
	if err != nil {
		return nil, err
	}
	manifest, err := snapshot.ParseManifest(archive.Manifest)
	if err != nil {
		return nil, err
	}
	seed, err := options.verify(archive, begin, manifest)
	if err != nil {
		return nil, err
	}
	unmark, err := markEmpty(home)
	if err != nil {
		return nil, err
	}
	err = options.fill(ctx, home, archive, manifest, seed.Root())
	if err == nil {
		err = comet.Init(home, *begin)
	}
	if err == nil {
		err = seed.Bootstrap(home, options.SignAgain)
	}
	if err != nil {
		return nil, errors.Join(err, clearChain(home), unmark())
	}
	return carried(begin, manifest, seed), unmark()
}

// begin finds the genesis of the chain. All that speak of one must say the same.
func (o *ImportOptions) begin(home string, carried []byte) (*genesis.Genesis, error) {
	inFile, err := comet.ParseGenesis(carried)
	if err != nil {
		return nil, fmt.Errorf("%w: its genesis: %w", snapshot.ErrArchive, err)
	}
	if o.Genesis == nil {
		stored, err := comet.GenesisDocument(home)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		o.Genesis = stored
	}
	if o.Genesis == nil {
		if o.Trust == nil {
			return nil, ErrNoTrust
		}
		return inFile, nil
	}
	given, err := comet.ParseGenesis(o.Genesis)
	if err != nil {
		return nil, fmt.Errorf("genesis: %w", err)
	}
	if field := inFile.Difference(given); field != "" {
		return nil, fmt.Errorf("%w: it has another genesis, whose %s differs", errGenesis, field)
	}
	return given, nil
}

// verify checks that trusted validators signed the root that the manifest names.
func (o *ImportOptions) verify(archive *snapshot.ArchiveReader, begin *genesis.Genesis, manifest *snapshot.Manifest) (*comet.Checkpoint, error) {
	seed, err := comet.ParseCheckpoint(archive.LightBlocks, begin)
	if err != nil {
		return nil, err
	}
	if seed.Height() != manifest.Height {
		return nil, fmt.Errorf("%w: the snapshot is of height %d, its headers are of %d", snapshot.ErrArchive, manifest.Height, seed.Height())
	}
	if o.Trust != nil {
		return seed, seed.VerifyHash(o.Trust.Number, o.Trust.Hash)
	}
	return seed, seed.VerifyGenesis()
}

// fill makes the rows of the file the state of the home.
func (o *ImportOptions) fill(
	ctx context.Context, home string, archive *snapshot.ArchiveReader, manifest *snapshot.Manifest, root ident.Hash,
) (err error) {
	state, err := store.Open(filepath.Join(home, stateDir), store.Options{Log: o.Log})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, state.Close()) }()
	into := newRestorer(state)
	defer func() { err = errors.Join(err, into.Close()) }()
	name := manifest.Hash()
	err = into.Begin(snapshot.Offer{
		Height: manifest.Height, Format: snapshot.Format, Chunks: uint32(len(manifest.Chunks)), Hash: name[:], Manifest: archive.Manifest,
	}, root)
	if err != nil {
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
		if _, err := into.Apply(uint32(index), chunk); err != nil {
			return err
		}
	}
	if _, err := archive.Next(); !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}

// markEmpty makes sure that a home has no chain, and marks it until the import has come to its end.
func markEmpty(home string) (unmark func() error, err error) {
	mark := filepath.Join(home, importMark)
	if checkImported(home) == nil {
		if _, err := os.Stat(filepath.Join(home, stateDir)); !errors.Is(err, fs.ErrNotExist) {
			return nil, errors.Join(fmt.Errorf("%w: %s", ErrNotEmpty, home), err)
		}
		if comet.HasChain(home) {
			return nil, fmt.Errorf("%w: %s", ErrNotEmpty, home)
		}
	} else if err := clearChain(home); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(mark), homePermission); err != nil {
		return nil, fmt.Errorf("import: %w", err)
	}
	if err := os.WriteFile(mark, nil, markPermission); err != nil {
		return nil, fmt.Errorf("import: %w", err)
	}
	return func() error { return os.Remove(mark) }, nil
}

// clearChain removes what an import has written of a chain.
func clearChain(home string) error {
	return errors.Join(os.RemoveAll(filepath.Join(home, stateDir)), comet.RemoveChain(home))
}

// checkImported refuses a home into which an import did not finish.
func checkImported(home string) error {
	_, err := os.Stat(filepath.Join(home, importMark))
	if err == nil {
		return fmt.Errorf("%w: %s", ErrUnfinished, home)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return fmt.Errorf("look for an import: %w", err)
}
