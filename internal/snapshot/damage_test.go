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
	"makechain/internal/store"
)

// story is a snapshot of a chain's state in one small chunk.
func story(t *testing.T) parts {
	t.Helper()
	c := newChain(t, 1)
	c.tell()
	d := openDir(t, t.TempDir(), 1)
	return load(t, d, take(t, d, c.store))
}

// checkEmpty makes sure that nothing was left behind, and that the good snapshot is still welcome.
func checkEmpty(t *testing.T, s *store.Store, r *Restorer, good parts) {
	t.Helper()
	latest := s.Snapshot()
	if latest.Height() != 0 || latest.Len() != 0 {
		t.Errorf("the store is at height %d with %d rows", latest.Height(), latest.Len())
	}
	if err := latest.Close(); err != nil {
		t.Error(err)
	}
	if err := errors.Join(good.restore(r, good.Root)); err != nil {
		t.Errorf("the good snapshot afterwards: %v", err)
	}
}

// TestEveryByte flips each byte of a chunk and of a manifest. None is taken, and the good one may come afterwards.
//
// Rules: T1.1.
func TestEveryByte(t *testing.T) {
	t.Parallel()
	p := story(t)
	s := newStore(t, 1)
	r := restorerOf(s)
	offer := p.offer()
	for i := range offer.Manifest {
		bad := offer
		bad.Manifest = bytes.Clone(offer.Manifest)
		bad.Manifest[i] ^= 1
		if err := r.Begin(bad, p.Root); !errors.Is(err, ErrOffer) {
			t.Errorf("byte %d of the manifest: error %v, want %v", i, err, ErrOffer)
		}
	}
	if err := r.Begin(offer, p.Root); err != nil {
		t.Fatal(err)
	}
	for i := range p.chunks[0] {
		bad := bytes.Clone(p.chunks[0])
		bad[i] ^= 1
		if _, err := r.Apply(0, bad); !errors.Is(err, ErrChunk) {
			t.Fatalf("byte %d of the chunk: error %v, want %v", i, err, ErrChunk)
		}
	}
	for _, bad := range [][]byte{nil, p.chunks[0][1:], append(bytes.Clone(p.chunks[0]), 0)} {
		if _, err := r.Apply(0, bad); !errors.Is(err, ErrChunk) {
			t.Errorf("a chunk of %d bytes: error %v, want %v", len(bad), err, ErrChunk)
		}
	}
	if done, err := r.Apply(0, p.chunks[0]); !done || err != nil {
		t.Errorf("the good chunk: %t, %v", done, err)
	}
}

// TestLyingManifest flips each byte of a manifest and gives it the hash that goes with it. Only the number of messages
// is taken on trust.
//
// Rules: T1.1.
func TestLyingManifest(t *testing.T) {
	t.Parallel()
	p := story(t)
	s := newStore(t, 1)
	r := restorerOf(s)
	for i := range p.Encode() {
		bad := p.offer()
		bad.Manifest[i] ^= 1
		hash := blake3.Sum256(bad.Manifest)
		bad.Hash = hash[:]
		err := r.Begin(bad, p.Root)
		if i >= messagesAt && i < chunksAt {
			if err != nil {
				t.Errorf("byte %d: %v", i, err)
			}
			continue
		}
		if err == nil {
			_, err = r.Apply(0, p.chunks[0])
		}
		want := ErrOffer // the format or the height
		switch {
		case i >= chunksAt:
			want = ErrChunk
		case i >= rowsAt:
			want = ErrRows
		case i >= rootAt:
			want = ErrRoot
		}
		if !errors.Is(err, want) {
			t.Errorf("byte %d: error %v, want %v", i, err, want)
		}
	}
	checkEmpty(t, s, r, p)
}

// TestOffers makes offers that are refused before a chunk is asked for.
func TestOffers(t *testing.T) {
	t.Parallel()
	p := story(t)
	s := newStore(t, 1)
	r := restorerOf(s)
	for name, test := range map[string]struct {
		change func(o *Offer)
		root   Hash
		want   error
	}{
		"another format": {func(o *Offer) { o.Format++ }, p.Root, ErrFormat},
		"another height": {func(o *Offer) { o.Height++ }, p.Root, ErrOffer},
		"fewer chunks":   {func(o *Offer) { o.Chunks-- }, p.Root, ErrOffer},
		"no hash":        {func(o *Offer) { o.Hash = nil }, p.Root, ErrOffer},
		"no manifest":    {func(o *Offer) { o.Manifest = nil }, p.Root, ErrOffer},
		"another root":   {func(*Offer) {}, Hash{1}, ErrRoot},
	} {
		offer := p.offer()
		test.change(&offer)
		if err := r.Begin(offer, test.root); !errors.Is(err, test.want) {
			t.Errorf("%s: error %v, want %v", name, err, test.want)
		}
	}
	checkEmpty(t, s, r, p)
}

// lie makes a snapshot of rows as somebody would who wants them to be taken for the state of p.
func (p parts) lie(t *testing.T, rows []schema.Change) parts {
	t.Helper()
	var chunks [][]byte
	c := &cutter{write: func(chunk []byte) error {
		chunks = append(chunks, bytes.Clone(chunk))
		return nil
	}}
	for _, row := range rows {
		if err := c.add(row.Key, row.Value); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.finish(); err != nil {
		t.Fatal(err)
	}
	return p.lieInChunks(t, c.rows, chunks...)
}

// lieInChunks makes a snapshot of chunks that may not be what a cutter makes.
func (p parts) lieInChunks(t *testing.T, rows uint64, chunks ...[]byte) parts {
	t.Helper()
	encoder, err := newEncoder()
	if err != nil {
		t.Fatal(err)
	}
	for i := range chunks {
		chunks[i] = encoder.EncodeAll(chunks[i], nil)
	}
	return p.lieInBytes(rows, chunks...)
}

func (p parts) lieInBytes(rows uint64, chunks ...[]byte) parts {
	lie := parts{Manifest: &Manifest{Height: p.Height, Root: p.Root, Rows: rows, Messages: p.Messages}, chunks: chunks}
	for _, chunk := range chunks {
		lie.Chunks = append(lie.Chunks, blake3.Sum256(chunk))
	}
	return lie
}

// TestLies restores snapshots whose chunks and manifest agree and which are not the state of the chain.
//
// Rules: T1.1.
func TestLies(t *testing.T) {
	t.Parallel()
	p := story(t)
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
		name string
		lie  parts
		want error
	}{
		{"a row less", p.lie(t, rows[1:]), ErrRoot},
		{"a row more", p.lie(t, append([]schema.Change{{Key: schema.TombstoneKey(schema.RefKey(ident.Hash{}, []byte("x"))), Value: []byte{8, 1}}}, rows...)), ErrRoot},
		{"a value changed", p.lie(t, with(rows, 0, rows[0].Key, append(bytes.Clone(rows[0].Value), 0x98, 0x06, 1))), ErrRoot},
		{"no rows", p.lie(t, nil), ErrRoot},
		{"a row twice", p.lie(t, append(slices.Clone(rows), rows[len(rows)-1])), ErrRows},
		{"rows in disorder", p.lie(t, append(slices.Clone(rows[1:]), rows[0])), ErrRows},
		{"a derived row", p.lie(t, []schema.Change{{Key: schema.AgeKey(schema.CollaboratorKey(ident.Hash{}, ident.Address{}), 1), Value: schema.Present}}), ErrRows},
		{"a row of an index", p.lie(t, []schema.Change{{Key: []byte{store.FirstIndexPrefix}, Value: []byte{8, 1}}}), ErrRows},
		{"a key cut short", p.lie(t, []schema.Change{{Key: account[:7], Value: []byte{8, 1}}}), ErrRows},
		{"no key", p.lie(t, []schema.Change{{Value: []byte{8, 1}}}), ErrRows},
		{"no value", p.lie(t, []schema.Change{{Key: account}}), ErrRows},
		{"a broken value", p.lie(t, []schema.Change{{Key: account, Value: []byte{8}}}), ErrRows},
		{"fields in disorder", p.lie(t, []schema.Change{{Key: account, Value: []byte{16, 1, 8, 1}}}), ErrRows},
		{"a group", p.lie(t, []schema.Change{{Key: account, Value: []byte{1<<3 | 3, 1<<3 | 4}}}), ErrRows},
		{"a member without its time", p.lie(t, []schema.Change{{Key: schema.CollaboratorKey(ident.Hash{}, ident.Address{}), Value: []byte{16, 1}}}), ErrRows},
		{"a wrong number of rows", p.lieInChunks(t, p.Rows-1, raw), ErrRows},
		{"cut in the middle of a row", p.lieInChunks(t, p.Rows, raw[:len(raw)-1]), ErrRows},
		{"a chunk that ends early", p.lieInChunks(t, p.Rows, raw[:0], raw), ErrRows},
		{"an empty chunk behind the last", p.lieInChunks(t, 1, appendRow(nil, big.Key, big.Value), nil), ErrRows},
		{"a chunk that goes on behind its end", p.lieInChunks(t, 2, appendRow(appendRow(nil, big.Key, big.Value), schema.AccountMetadataKey(ident.Address{}, 1), []byte{8, 1})), ErrRows},
		{"a length that is too long", p.lieInChunks(t, 1, append([]byte{0x80 | byte(len(account)), 0}, appendRow(nil, account, []byte{8, 1})[1:]...)), ErrRows},
		{"a length without end", p.lieInChunks(t, 1, bytes.Repeat([]byte{0xff}, 20)), ErrRows},
		{"a chunk that is not compressed", p.lieInBytes(p.Rows, raw), ErrRows},
		{"a chunk that swells", p.lieInChunks(t, 1, make([]byte, 64<<20)), ErrRows},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newStore(t, 1)
			r := restorerOf(s)
			if err := test.lie.restore(r, p.Root); !errors.Is(err, test.want) {
				t.Errorf("error %v, want %v", err, test.want)
			}
			if _, err := r.Apply(0, p.chunks[0]); !errors.Is(err, ErrOrder) {
				t.Errorf("going on afterwards: error %v, want %v", err, ErrOrder)
			}
			checkEmpty(t, s, r, p)
		})
	}
}

// with replaces one of the rows.
func with(rows []schema.Change, i int, key, value []byte) []schema.Change {
	rows = slices.Clone(rows)
	rows[i] = schema.Change{Key: key, Value: value}
	return rows
}
