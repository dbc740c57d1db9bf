package content

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"strings"

	"github.com/spf13/cobra"
	"github.com/zeebo/blake3"

	"makechain/internal/cli/connection"
	"makechain/internal/cli/output"
	"makechain/internal/cli/query"
	"makechain/internal/cli/settings"
	"makechain/internal/cli/signing"
	"makechain/internal/cli/usage"
	"makechain/internal/content"
	"makechain/internal/content/digest"
	"makechain/internal/contentserver"
	"makechain/internal/ident"
	"makechain/internal/server"
	"makechain/internal/storeclient"
	"makechain/internal/term"
)

const (
	// defaultAuditBytes is how much audit reads of each store by default.
	defaultAuditBytes = 1 << 30
	// maxAuditRange is the size limit of the random range that is read again.
	maxAuditRange = 64 << 10
)

// auditFlags are the flags of audit.
type auditFlags struct {
	dir     dirFlags
	store   string
	from    []string
	query   query.Flags
	signing signing.Flags
	count   int
	bytes   server.MemorySize
}

func newAuditCommand() *cobra.Command {
	f := auditFlags{bytes: defaultAuditBytes}
	command := &cobra.Command{
		Use:   "audit [project]",
		Short: "Read stored git bundles and compare their digests",
		Long: `With a project, read what the chain names from the project's stores and from those of --from.
Without one, read what the records of a content service name from its store, which is in its
directory or named by --content-store; the service may be running. Git bundles are chosen at
random and read completely, and of a directory or bucket also a random range. The exit code is
1 if one is missing or damaged, or cannot be read.`,
		Example: `  makechain content audit --home /var/lib/makechain --bytes 10GiB
  makechain content audit alice/hello --from https://bucket.example/content --count 20`,
		Args:              usage.Args("[project]"),
		ValidArgsFunction: connection.Complete(connection.Projects),
		RunE: func(command *cobra.Command, args []string) error {
			if f.count < 0 || f.bytes <= 0 {
				return usage.Errorf(command, "--count must not be negative, and --bytes must be positive")
			}
			if len(args) > 0 {
				return f.query.Run(command, func(q *query.Query) error { return f.auditProject(q, args[0]) })
			}
			return f.auditService(command)
		},
	}
	f.query.Register(command)
	f.signing.Register(command)
	flags := command.Flags()
	f.dir.register(flags)
	flags.StringVar(&f.store, settings.ContentStoreFlag, "", "store of the service, if it is not its directory")
	flags.StringArrayVar(&f.from, "from", nil, "another store of the project, a URL, directory or bucket; can be repeated")
	flags.IntVar(&f.count, "count", 0, "number of git bundles to read of each store (0 for no limit)")
	flags.Var(&f.bytes, "bytes", "size after which no other git bundle of a store is read")
	return command
}

// An auditedStore is a store and what was found in it.
type auditedStore struct {
	name string
	// read writes the bytes of a digest.
	read func(ctx context.Context, hash ident.Hash, to io.Writer) error
	// readRange returns a part of them; nil if the store has no ranges.
	readRange func(ctx context.Context, hash ident.Hash, offset, length int64) (io.ReadCloser, error)

	checked                  int
	bytes                    int64
	missing, damaged, failed []ident.Hash
}

// auditService audits the store of a content service.
func (f *auditFlags) auditService(command *cobra.Command) error {
	ctx, path := command.Context(), f.dir.path()
	hashes, err := content.Digests(path)
	if err != nil {
		return f.dir.check(err)
	}
	store, err := contentserver.OpenStoreOf(ctx, path, f.store)
	if err != nil {
		return err
	}
	audited := storeOf(path, store)
	if f.store != "" {
		audited.name, _, _ = strings.Cut(f.store, "?")
	}
	f.audit(command, audited, hashes)
	if len(audited.missing) > 0 { // the service may have deleted some meanwhile, with their records
		still, err := content.Digests(path)
		if err != nil {
			return err
		}
		audited.missing = intersect(audited.missing, still)
	}
	return f.print(command, []*auditedStore{audited})
}

// intersect returns the elements of a that are in b.
func intersect(a, b []ident.Hash) (both []ident.Hash) {
	in := map[ident.Hash]bool{}
	for _, hash := range b {
		in[hash] = true
	}
	for _, hash := range a {
		if in[hash] {
			both = append(both, hash)
		}
	}
	return both
}

// storeOf returns a directory or bucket to audit.
func storeOf(name string, store content.Store) *auditedStore {
	return &auditedStore{
		name: name,
		read: func(ctx context.Context, hash ident.Hash, to io.Writer) error {
			body, err := store.Get(ctx, hash, 0, -1)
			if err != nil {
				return err
			}
			hasher := blake3.New()
			_, err = io.Copy(io.MultiWriter(to, hasher), body)
			if err = errors.Join(err, body.Close()); err != nil {
				return err
			}
			return digest.Check(hash, hasher)
		},
		readRange: store.Get,
	}
}

// auditProject audits the stores of a project.
func (f *auditFlags) auditProject(q *query.Query, name string) error {
	ctx := q.Context()
	id, err := q.Client.Project(ctx, name)
	if err != nil {
		return err
	}
	var from []string
	var audited []*auditedStore
	for _, text := range f.from {
		if !contentserver.IsBucket(text) {
			from = append(from, text)
			continue
		}
		store, err := contentserver.OpenStore(ctx, text)
		if err != nil {
			return err
		}
		bucket, _, _ := strings.Cut(text, "?")
		audited = append(audited, storeOf(bucket, store))
	}
	opener, err := openStores(q, &f.query, &f.signing, from)
	if err != nil {
		return err
	}
	sources, err := opener.Sources(ctx, id)
	if err != nil {
		return err
	}
	proven, err := q.Client.Contents(ctx, id)
	if err != nil {
		return err
	}
	var hashes []ident.Hash
	for _, one := range proven.Contents {
		hashes = append(hashes, one.Digest)
	}
	for _, store := range sources.Stores {
		if store.HasFiles() {
			audited = append(audited, &auditedStore{name: store.Name, read: func(ctx context.Context, hash ident.Hash, to io.Writer) error {
				return store.Get(ctx, sources.Project.ID, hash, sources.Project.Private, to, content.DefaultMaxUpload)
			}})
		}
	}
	for _, reason := range sources.Skipped {
		_, _ = fmt.Fprintf(q.Command.ErrOrStderr(), "makechain: not used: %s\n", term.Text(reason.Error())) // the audit continues
	}
	for _, store := range audited {
		f.audit(q.Command, store, hashes)
	}
	return f.print(q.Command, audited)
}

// audit reads git bundles of a store in a random order, within the limits.
func (f *auditFlags) audit(command *cobra.Command, store *auditedStore, hashes []ident.Hash) {
	ctx := command.Context()
	progress := term.StartProgress(command.ErrOrStderr(), "reading git bundles")
	defer progress.Stop()
	for _, i := range rand.Perm(len(hashes)) { //nolint:gosec // a sample
		if ctx.Err() != nil || f.count > 0 && store.checked == f.count || store.bytes >= int64(f.bytes) {
			return
		}
		progress.Set("reading git bundles", store.checked, len(hashes))
		store.checked++
		hash := hashes[i]
		err := store.check(ctx, hash)
		var mismatch *digest.Error
		switch {
		case err == nil:
			continue
		case storeclient.IsNotThere(err) || errors.Is(err, fs.ErrNotExist):
			store.missing = append(store.missing, hash)
		case errors.Is(err, storeclient.ErrDigest) || errors.As(err, &mismatch) || errors.Is(err, errRange):
			store.damaged = append(store.damaged, hash)
		default:
			store.failed = append(store.failed, hash)
		}
		_, _ = fmt.Fprintf(command.ErrOrStderr(), "makechain: %s: git bundle %s: %s\n", term.Text(store.name), hash, term.Text(err.Error())) // counted
	}
}

// errRange is returned when a store has other bytes in a range than in the whole.
var errRange = errors.New("a range has other bytes than the whole")

// check reads a git bundle, and a random part of it again.
func (s *auditedStore) check(ctx context.Context, hash ident.Hash) error {
	window := &windowWriter{}
	err := s.read(ctx, hash, window)
	s.bytes += window.size
	if err != nil || s.readRange == nil || len(window.kept) == 0 {
		return err
	}
	body, err := s.readRange(ctx, hash, window.offset, int64(len(window.kept)))
	if err != nil {
		return err
	}
	part, err := io.ReadAll(io.LimitReader(body, maxAuditRange+1))
	if err = errors.Join(err, body.Close()); err != nil {
		return err
	}
	if !bytes.Equal(part, window.kept) {
		return errRange
	}
	return nil
}

// A windowWriter counts what is written, and keeps a part of one of the writes, chosen at random.
type windowWriter struct {
	size   int64
	writes int
	offset int64
	kept   []byte
}

func (w *windowWriter) Write(p []byte) (int, error) {
	if w.writes++; len(p) > 0 && rand.N(w.writes) == 0 { //nolint:gosec // a sample
		start := rand.N(len(p)) //nolint:gosec // a sample
		end := min(len(p), start+maxAuditRange)
		w.offset, w.kept = w.size+int64(start), append(w.kept[:0], p[start:end]...)
	}
	w.size += int64(len(p))
	return len(p), nil
}

// print prints what was found. It returns an error if something is wrong.
func (f *auditFlags) print(command *cobra.Command, stores []*auditedStore) error {
	if err := command.Context().Err(); err != nil {
		return err
	}
	rows, faults := []map[string]any{}, 0
	for _, s := range stores {
		rows = append(rows, map[string]any{
			"store": s.name, "checked": s.checked, "bytes": output.Number(uint64(s.bytes)),
			"missing": texts(s.missing), "damaged": texts(s.damaged), "failed": texts(s.failed),
		})
		faults += len(s.missing) + len(s.damaged) + len(s.failed)
	}
	err := f.query.Output.PrintValue(command, map[string]any{"stores": rows}, func(p *term.Printer) {
		table := p.Table("STORE", "CHECKED", "SIZE", "MISSING", "DAMAGED", "FAILED")
		for _, s := range stores {
			number := func(n int) string { return output.Number(uint64(n)) }
			table.Row(term.Text(s.name), number(s.checked), term.Size(uint64(s.bytes)), number(len(s.missing)), number(len(s.damaged)), number(len(s.failed)))
		}
		table.Print("no stores")
	})
	if err == nil && faults > 0 {
		err = fmt.Errorf("%s missing or damaged, or cannot be read", term.Count(uint64(faults), "git bundle"))
	}
	return err
}
