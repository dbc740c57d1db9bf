package snapshot

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/zeebo/blake3"
	"google.golang.org/protobuf/encoding/protowire"

	"makechain/internal/ident"
	"makechain/internal/schema"
	"makechain/internal/statesync"
	"makechain/internal/store"
)

// sample returns a snapshot of a chain in one small chunk.
func sample(t *testing.T) parts {
	t.Helper()
	c := newChain(t, 1)
	c.commitSample()
	d := openDir(t, t.TempDir(), 1)
	return load(t, d, take(t, d, c.store))
}

// checkEmpty checks that the store is empty and that the correct snapshot can still be restored.
func checkEmpty(t *testing.T, s *store.Store, r *Restorer, good parts) {
	t.Helper()
	latest := s.Snapshot()
	if latest.Height() != 0 || latest.Len() != 0 {
		t.Errorf("the store has height %d and %d rows", latest.Height(), latest.Len())
	}
	if err := latest.Close(); err != nil {
		t.Error(err)
	}
	if err := errors.Join(good.restore(r, good.Root)); err != nil {
		t.Errorf("the correct snapshot afterwards: %v", err)
	}
}

// TestCorruptBytes flips each byte of a manifest and of a chunk, and checks that it is refused and that the correct one is
// accepted afterwards.
//
// Rules: T1.1.
func TestCorruptBytes(t *testing.T) {
	t.Parallel()
	p := sample(t)
	s := newStore(t, 1)
	r := restorerOf(s)
	offer := p.Offer()
	for i := range offer.Manifest {
		bad := offer
		bad.Manifest = bytes.Clone(offer.Manifest)
		bad.Manifest[i] ^= 1
		if err := r.Begin(bad, p.Root); !errors.Is(err, statesync.ErrOffer) {
			t.Errorf("byte %d of the manifest: error %v, want %v", i, err, statesync.ErrOffer)
		}
	}
	if err := r.Begin(offer, p.Root); err != nil {
		t.Fatal(err)
	}
	for i := range p.chunks[0] {
		bad := bytes.Clone(p.chunks[0])
		bad[i] ^= 1
		if _, err := r.Apply(0, bad); !errors.Is(err, statesync.ErrChunk) {
			t.Fatalf("byte %d of the chunk: error %v, want %v", i, err, statesync.ErrChunk)
		}
	}
	for _, bad := range [][]byte{nil, p.chunks[0][1:], append(bytes.Clone(p.chunks[0]), 0)} {
		if _, err := r.Apply(0, bad); !errors.Is(err, statesync.ErrChunk) {
			t.Errorf("a chunk of %d bytes: error %v, want %v", len(bad), err, statesync.ErrChunk)
		}
	}
	if done, err := r.Apply(0, p.chunks[0]); !done || err != nil {
		t.Errorf("the correct chunk: %t, %v", done, err)
	}
}

// TestForgedManifest flips each byte of a manifest and offers it with the matching hash.
//
// Rules: T1.1.
func TestForgedManifest(t *testing.T) {
	t.Parallel()
	p := sample(t)
	s := newStore(t, 1)
	r := restorerOf(s)
	for i := range p.Encode() {
		bad := p.Offer()
		bad.Manifest[i] ^= 1
		hash := blake3.Sum256(bad.Manifest)
		bad.Hash = hash[:]
		err := r.Begin(bad, p.Root)
		if err == nil {
			_, err = r.Apply(0, p.chunks[0])
		}
		want := statesync.ErrOffer // the format or the height
		switch {
		case i >= chunksAt:
			want = statesync.ErrChunk
		case i >= rowsAt:
			want = statesync.ErrRows
		case i >= rootAt:
			want = statesync.ErrRoot
		}
		if !errors.Is(err, want) {
			t.Errorf("byte %d: error %v, want %v", i, err, want)
		}
	}
	checkEmpty(t, s, r, p)
}

// TestRefusedOffers checks the offers that are refused before a chunk is fetched.
func TestRefusedOffers(t *testing.T) {
	t.Parallel()
	p := sample(t)
	s := newStore(t, 1)
	r := restorerOf(s)
	for name, test := range map[string]struct {
		change func(o *statesync.Offer)
		root   Hash
		want   error
	}{
		"unknown format":   {func(o *statesync.Offer) { o.Format++ }, p.Root, statesync.ErrFormat},
		"different height": {func(o *statesync.Offer) { o.Height++ }, p.Root, statesync.ErrOffer},
		"fewer chunks":     {func(o *statesync.Offer) { o.Chunks-- }, p.Root, statesync.ErrOffer},
		"no hash":          {func(o *statesync.Offer) { o.Hash = nil }, p.Root, statesync.ErrOffer},
		"no manifest":      {func(o *statesync.Offer) { o.Manifest = nil }, p.Root, statesync.ErrOffer},
		"different root":   {func(*statesync.Offer) {}, Hash{1}, statesync.ErrRoot},
	} {
		offer := p.Offer()
		test.change(&offer)
		if err := r.Begin(offer, test.root); !errors.Is(err, test.want) {
			t.Errorf("%s: error %v, want %v", name, err, test.want)
		}
	}
	checkEmpty(t, s, r, p)
}

// forge returns a snapshot with other rows that claims to be p.
func (p parts) forge(t *testing.T, rows []schema.Change) parts {
	t.Helper()
	var chunks [][]byte
	c := &chunker{write: func(chunk []byte) error {
		chunks = append(chunks, bytes.Clone(chunk))
		return nil
	}}
	for _, row := range rows {
		if c.add(row.Key, row.Value) {
			if err := c.flush(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := c.finish(); err != nil {
		t.Fatal(err)
	}
	return p.forgeChunks(t, c.rows, chunks...)
}

// forgeChunks returns a snapshot with uncompressed chunks that a chunker need not have written.
func (p parts) forgeChunks(t *testing.T, rows uint64, chunks ...[]byte) parts {
	t.Helper()
	encoder, err := newEncoder()
	if err != nil {
		t.Fatal(err)
	}
	for i := range chunks {
		chunks[i] = encoder.EncodeAll(chunks[i], nil)
	}
	return p.forgeBytes(rows, chunks...)
}

func (p parts) forgeBytes(rows uint64, chunks ...[]byte) parts {
	forged := parts{Manifest: &Manifest{Height: p.Height, Root: p.Root, Rows: rows}, chunks: chunks}
	for _, chunk := range chunks {
		forged.Chunks = append(forged.Chunks, blake3.Sum256(chunk))
	}
	return forged
}

// TestForgedSnapshots checks that snapshots whose chunks match their manifest, but which are not the state of the chain, are
// refused.
//
// Rules: T1.1.
func TestForgedSnapshots(t *testing.T) {
	t.Parallel()
	p := sample(t)
	decoder, err := newDecoder()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(decoder.Close)
	raw, err := decoder.DecodeAll(p.chunks[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	var rows []schema.Change
	if err := new(rowReader).read(raw, true, func(key, value []byte) error {
		rows = append(rows, schema.Change{Key: bytes.Clone(key), Value: bytes.Clone(value)})
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	account := schema.AccountKey(ident.Address{})
	big := schema.Change{Key: schema.AccountKey(ident.Address{0xff}), Value: protowire.AppendBytes([]byte{1<<3 | 2}, make([]byte, ChunkSize))}
	tests := []struct {
		name   string
		forged parts
		want   error
	}{
		{"missing row", p.forge(t, rows[1:]), statesync.ErrRoot},
		{"additional row", p.forge(t, append([]schema.Change{{Key: schema.TombstoneKey(schema.RefKey(ident.Hash{}, []byte("x"))), Value: []byte{8, 1}}}, rows...)), statesync.ErrRoot},
		{"changed value", p.forge(t, with(rows, 0, rows[0].Key, append(bytes.Clone(rows[0].Value), 0x98, 0x06, 1))), statesync.ErrRoot},
		{"no rows", p.forge(t, nil), statesync.ErrRoot},
		{"duplicate row", p.forge(t, append(slices.Clone(rows), rows[len(rows)-1])), statesync.ErrRows},
		{"unsorted rows", p.forge(t, append(slices.Clone(rows[1:]), rows[0])), statesync.ErrRows},
		{"derived row", p.forge(t, []schema.Change{{Key: schema.AgeKey(schema.CollaboratorKey(ident.Hash{}, ident.Address{}), 1), Value: schema.Present}}), statesync.ErrRows},
		{"index row", p.forge(t, []schema.Change{{Key: []byte{store.FirstIndexPrefix}, Value: []byte{8, 1}}}), statesync.ErrRows},
		{"truncated key", p.forge(t, []schema.Change{{Key: account[:7], Value: []byte{8, 1}}}), statesync.ErrRows},
		{"no key", p.forge(t, []schema.Change{{Value: []byte{8, 1}}}), statesync.ErrRows},
		{"no value", p.forge(t, []schema.Change{{Key: account}}), statesync.ErrRows},
		{"truncated value", p.forge(t, []schema.Change{{Key: account, Value: []byte{8}}}), statesync.ErrRows},
		{"unsorted fields", p.forge(t, []schema.Change{{Key: account, Value: []byte{16, 1, 8, 1}}}), statesync.ErrRows},
		{"group field", p.forge(t, []schema.Change{{Key: account, Value: []byte{1<<3 | 3, 1<<3 | 4}}}), statesync.ErrRows},
		{"member without timestamp", p.forge(t, []schema.Change{{Key: schema.CollaboratorKey(ident.Hash{}, ident.Address{}), Value: []byte{16, 1}}}), statesync.ErrRows},
		{"wrong number of rows", p.forgeChunks(t, p.Rows-1, raw), statesync.ErrRows},
		{"truncated row", p.forgeChunks(t, p.Rows, raw[:len(raw)-1]), statesync.ErrRows},
		{"chunk ends too early", p.forgeChunks(t, p.Rows, raw[:0], raw), statesync.ErrRows},
		{"empty chunk after the last", p.forgeChunks(t, 1, appendRow(nil, big.Key, big.Value), nil), statesync.ErrRows},
		{"chunk too long", p.forgeChunks(t, 2, appendRow(appendRow(nil, big.Key, big.Value), schema.AccountMetadataKey(ident.Address{}, 1), []byte{8, 1})), statesync.ErrRows},
		{"length not in the shortest form", p.forgeChunks(t, 1, append([]byte{0x80 | byte(len(account)), 0}, appendRow(nil, account, []byte{8, 1})[1:]...)), statesync.ErrRows},
		{"endless length", p.forgeChunks(t, 1, bytes.Repeat([]byte{0xff}, 20)), statesync.ErrRows},
		{"uncompressed chunk", p.forgeBytes(p.Rows, raw), statesync.ErrRows},
		{"decompression bomb", p.forgeChunks(t, 1, make([]byte, 64<<20)), statesync.ErrRows},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newStore(t, 1)
			r := restorerOf(s)
			if err := test.forged.restore(r, p.Root); !errors.Is(err, test.want) {
				t.Errorf("error %v, want %v", err, test.want)
			}
			if _, err := r.Apply(0, p.chunks[0]); !errors.Is(err, ErrOrder) {
				t.Errorf("a chunk afterwards: error %v, want %v", err, ErrOrder)
			}
			checkEmpty(t, s, r, p)
		})
	}
}

// with returns the rows with one of them replaced.
func with(rows []schema.Change, i int, key, value []byte) []schema.Change {
	rows = slices.Clone(rows)
	rows[i] = schema.Change{Key: key, Value: value}
	return rows
}
