package proof_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/proof"
)

func compactRows(p *pb.CompactRangeProof) []modelRow {
	var rows []modelRow
	for _, row := range p.GetRows() {
		rows = append(rows, modelRow{row.GetKey(), row.GetValue()})
	}
	return rows
}

// compactRange returns the complete proof of a range.
func compactRange(t testing.TB, m *model, prefix []byte) *pb.CompactRangeProof {
	t.Helper()
	full, err := proof.CompactRange(m, prefix)
	if err != nil {
		t.Fatal(err)
	}
	return full
}

// TestCompactPages reads random ranges of random trees in random pages and compares the rows with the model's.
//
// Rules: T3.9.
func TestCompactPages(t *testing.T) {
	t.Parallel()
	keys := alphabet(4)
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 20))
		m := sample(rng, keys, 1+rng.IntN(10))
		prefix := keys[rng.IntN(len(keys))]
		full := compactRange(t, m, prefix)
		if err := proof.VerifyCompactRange(m.root, prefix, nil, true, full); err != nil {
			t.Fatalf("seed %d: range %x: %v", seed, prefix, err)
		}
		var after []byte
		for {
			limit := 1 + rng.IntN(7)
			page, complete := proof.CompactPage(full, after, limit, proof.MaxAnswerSize)
			if err := proof.VerifyCompactRange(m.root, prefix, after, complete, page); err != nil {
				t.Fatalf("seed %d: range %x after %x: %v", seed, prefix, after, err)
			}
			_, want, _ := m.span(prefix, after)
			isLast := len(want) <= limit
			want = want[:min(limit, len(want))]
			if got := compactRows(page); !slices.EqualFunc(got, want, sameRow) || complete != isLast {
				t.Fatalf("seed %d: page %x complete %v, want %x complete %v", seed, got, complete, want, isLast)
			}
			if complete {
				break
			}
			after = want[len(want)-1].key
		}
	}
}

// compactOf returns the proof that has exactly the given rows of a tree as leaves, computed directly from the definition. Rows in
// between that are left out become hashes.
func (m *model) compactOf(rows []int, hasLower, hasUpper bool) *pb.CompactRangeProof {
	p := new(pb.CompactRangeProof)
	if len(rows) > 0 {
		m.compactNode(p, rows, 0, len(m.rows))
	}
	for i, at := range rows {
		row := m.rows[at]
		switch digest := sha256Of(row.value); {
		case i == 0 && hasLower:
			p.LowerKey, p.LowerValueHash = row.key, digest
		case i == len(rows)-1 && hasUpper:
			p.UpperKey, p.UpperValueHash = row.key, digest
		default:
			p.Rows = append(p.Rows, &pb.RangeRow{Key: row.key, Value: row.value})
		}
	}
	return p
}

// compactNode appends the operations of the subtree with the rows from lo up to hi.
func (m *model) compactNode(p *pb.CompactRangeProof, rows []int, lo, hi int) {
	if !slices.ContainsFunc(rows, func(at int) bool { return at >= lo && at < hi }) {
		hash := m.subtreeHash(lo, hi)
		p.Operations, p.Hashes = append(p.Operations, 1), append(p.Hashes, hash[:]...)
		return
	}
	if hi-lo == 1 {
		p.Operations = append(p.Operations, 0)
		return
	}
	mid := m.split(lo, hi)
	m.compactNode(p, rows, lo, mid)
	m.compactNode(p, rows, mid, hi)
	p.Operations = append(p.Operations, 2)
}

// TestCompactArbitraryPages checks that exactly the correct pages verify among all that a node could assemble from the rows of a
// small tree: any rows, with or without a lower and an upper bound, complete or not, for every prefix and key to start after.
//
// Rules: T3.9.
func TestCompactArbitraryPages(t *testing.T) {
	t.Parallel()
	candidates := [][]byte{{0x0C, 0xFF}, {0x0D}, {0x0D, 0x00}, {0x0D, 0x00, 0x01}, {0x0D, 0x00, 0xFF}, {0x0D, 0xFF}, {0x0E, 0x00}}
	prefixes := [][]byte{{0x0C}, {0x0D}, {0x0D, 0x00}, {0x0D, 0xFF}, {0x03}, {0x1C}}
	for size, trees := range []int{1, 4, 8, 8, 8, 4, 2, 1} {
		for seed := range trees {
			t.Run(fmt.Sprintf("%d rows/%d", size, seed), func(t *testing.T) {
				t.Parallel()
				rng := rand.New(rand.NewPCG(uint64(seed), uint64(size)))
				var rows []modelRow
				for _, i := range rng.Perm(len(candidates))[:size] {
					rows = append(rows, modelRow{candidates[i], []byte{byte(i + 1)}})
				}
				m := newModel(rows...)
				valid := 0
				for _, prefix := range prefixes {
					valid += m.countCompact(t, prefix, nil)
					for _, after := range candidates {
						if bytes.HasPrefix(after, prefix) {
							valid += m.countCompact(t, prefix, after)
						}
					}
				}
				if valid == 0 {
					t.Error("no page verified")
				}
			})
		}
	}
}

// countCompact assembles every page for a range, checks it and counts those that verify.
func (m *model) countCompact(t *testing.T, prefix, after []byte) (valid int) {
	t.Helper()
	for chosen := range 1 << len(m.rows) {
		var rows []int
		for i := range m.rows {
			if chosen>>i&1 == 1 {
				rows = append(rows, i)
			}
		}
		for flags := range 8 {
			hasLower, hasUpper, complete := flags&1 == 1 && len(rows) > 0, flags&2 == 2 && len(rows) > 1, flags&4 == 4
			page := m.compactOf(rows, hasLower, hasUpper)
			err := proof.VerifyCompactRange(m.root, prefix, after, complete, page)
			if want := m.isCorrectCompact(prefix, after, page, complete); (err == nil) != want {
				t.Fatalf("range %x after %x of rows %x: %v, complete %v: %v", prefix, after, m.rows, page, complete, err)
			}
			if err == nil {
				valid++
			}
		}
	}
	return valid
}

// isCorrectCompact reports whether a page has the correct rows and bounds, from the rows of the model alone.
func (m *model) isCorrectCompact(prefix, after []byte, page *pb.CompactRangeProof, complete bool) bool {
	before, in, behind := m.span(prefix, after)
	got := compactRows(page)
	if len(got) > len(in) || !slices.EqualFunc(got, in[:len(got)], sameRow) {
		return false
	}
	var lower, upper []byte
	if len(before) > 0 {
		lower = before[len(before)-1].key
	}
	if complete && len(behind) > 0 {
		upper = behind[0].key
	}
	if !complete && len(got) == 0 || complete && len(got) < len(in) {
		return false
	}
	return bytes.Equal(page.GetLowerKey(), lower) && bytes.Equal(page.GetUpperKey(), upper)
}

// TestCompactClaims checks that a valid proof with one change is refused.
//
// Rules: T3.8, T3.9.
func TestCompactClaims(t *testing.T) {
	t.Parallel()
	m := sample(rand.New(rand.NewPCG(4, 24)), alphabet(4), 2)
	prefix := []byte{0x0D, 0x01}
	valid, complete := proof.CompactPage(compactRange(t, m, prefix), prefix, 5, proof.MaxAnswerSize)
	if complete || len(valid.GetRows()) != 5 || len(valid.GetHashes()) == 0 {
		t.Fatalf("page of %d rows, complete %v", len(valid.GetRows()), complete)
	}
	firstRow := bytes.IndexByte(valid.GetOperations(), 0)
	tests := map[string]struct {
		change func(*pb.CompactRangeProof)
		steps  []string
	}{
		"other value":         {func(p *pb.CompactRangeProof) { p.Rows[1].Value = []byte("x") }, []string{proof.StepRoot}},
		"other key":           {func(p *pb.CompactRangeProof) { p.Rows[1].Key = append(p.Rows[1].Key, 0) }, []string{proof.StepRoot}},
		"key before":          {func(p *pb.CompactRangeProof) { p.Rows[1].Key = prefix }, []string{"row 1", proof.StepOrder}},
		"row twice":           {func(p *pb.CompactRangeProof) { p.Rows[2] = p.Rows[1] }, []string{"row 2", proof.StepOrder}},
		"rows swapped":        {func(p *pb.CompactRangeProof) { p.Rows[3], p.Rows[2] = p.Rows[2], p.Rows[3] }, []string{"row 3", proof.StepOrder}},
		"row left out":        {func(p *pb.CompactRangeProof) { p.Rows = slices.Delete(p.Rows, 1, 2) }, []string{proof.StepShape}},
		"nil row":             {func(p *pb.CompactRangeProof) { p.Rows[1] = nil }, []string{"row 1", proof.StepOrder}},
		"no rows":             {func(p *pb.CompactRangeProof) { p.Rows = nil }, []string{proof.StepClaim}},
		"upper bound":         {func(p *pb.CompactRangeProof) { p.UpperKey = []byte{0x0E} }, []string{proof.StepClaim}},
		"no lower bound":      {func(p *pb.CompactRangeProof) { p.LowerKey, p.LowerValueHash = nil, nil }, []string{proof.StepShape}},
		"row as its bound":    {func(p *pb.CompactRangeProof) { p.LowerKey = p.Rows[0].Key }, []string{"lower bound", proof.StepOrder}},
		"bound without hash":  {func(p *pb.CompactRangeProof) { p.LowerValueHash = nil }, []string{"lower bound", proof.StepEncoding}},
		"hash without bound":  {func(p *pb.CompactRangeProof) { p.LowerKey = nil }, []string{"lower bound", proof.StepEncoding}},
		"short hash":          {func(p *pb.CompactRangeProof) { p.LowerValueHash = p.LowerValueHash[1:] }, []string{"lower bound", proof.StepEncoding}},
		"other hash of bound": {func(p *pb.CompactRangeProof) { p.LowerValueHash[0] ^= 1 }, []string{proof.StepRoot}},
		"part of a hash":      {func(p *pb.CompactRangeProof) { p.Hashes = p.Hashes[1:] }, []string{proof.StepEncoding}},
		"a hash missing":      {func(p *pb.CompactRangeProof) { p.Hashes = p.Hashes[32:] }, []string{proof.StepShape}},
		"a hash more":         {func(p *pb.CompactRangeProof) { p.Hashes = append(p.Hashes, make([]byte, 32)...) }, []string{proof.StepShape}},
		"too many hashes":     {func(p *pb.CompactRangeProof) { p.Hashes = make([]byte, 32*(2*proof.MaxDepth+1)) }, []string{proof.StepBounds}},
		"unknown operation":   {func(p *pb.CompactRangeProof) { p.Operations[0] = 3 }, []string{proof.StepShape}},
		"an operation less":   {func(p *pb.CompactRangeProof) { p.Operations = p.Operations[1:] }, []string{proof.StepShape}},
		"no operations":       {func(p *pb.CompactRangeProof) { p.Operations = nil }, []string{proof.StepShape}},
		"join of nothing":     {func(p *pb.CompactRangeProof) { p.Operations[0] = 2 }, []string{proof.StepShape}},
		"two hashes joined": {func(p *pb.CompactRangeProof) {
			p.Operations = slices.Insert(p.Operations, 0, 1, 1, 2)
			p.Operations = p.Operations[:len(p.Operations)-3]
		}, []string{proof.StepShape}},
		"hash between rows": {func(p *pb.CompactRangeProof) { p.Operations[firstRow+1] = 1 }, []string{proof.StepAdjacency}},
		"rows too many":     {func(p *pb.CompactRangeProof) { p.Rows = slices.Repeat(p.Rows, proof.MaxCompactRows/5+1) }, []string{proof.StepBounds}},
		"long value":        {func(p *pb.CompactRangeProof) { p.Rows[1].Value = make([]byte, proof.MaxValueSize+1) }, []string{proof.StepBounds}},
		"long key":          {func(p *pb.CompactRangeProof) { p.Rows[1].Key = make([]byte, proof.MaxKeySize+1) }, []string{proof.StepBounds}},
		"long lower bound":  {func(p *pb.CompactRangeProof) { p.LowerKey = make([]byte, proof.MaxKeySize+1) }, []string{proof.StepBounds}},
		"too many bytes":    {func(p *pb.CompactRangeProof) { p.Operations = make([]byte, proof.MaxAnswerSize) }, []string{proof.StepBounds}},
		"nothing":           {func(p *pb.CompactRangeProof) { proto.Reset(p) }, []string{proof.StepClaim}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page := proto.Clone(valid).(*pb.CompactRangeProof)
			test.change(page)
			wantSteps(t, proof.VerifyCompactRange(m.root, prefix, prefix, false, page), test.steps...)
		})
	}
	wantSteps(t, proof.VerifyCompactRange(m.root, prefix, prefix, true, valid), proof.StepAdjacency)
	wantSteps(t, proof.VerifyCompactRange(m.root, []byte{0x0D, 0x00}, prefix, false, valid), proof.StepKey)
	wantSteps(t, proof.VerifyCompactRange(m.root, []byte{0x18}, nil, false, valid), proof.StepKey)
	wantSteps(t, proof.VerifyCompactRange(m.root, prefix, nil, true, nil), proof.StepAdjacency)
	if err := proof.VerifyCompactRange(proof.EmptyRoot(), prefix, nil, true, nil); err != nil {
		t.Errorf("empty tree: %v", err)
	}
}

// TestCompactSizes checks ranges that are too large for a page or a proof, and that a page has at least one row.
//
// Rules: T3.9.
func TestCompactSizes(t *testing.T) {
	t.Parallel()
	rowsOf := func(n, size int) (rows []modelRow) {
		for i := range n {
			rows = append(rows, modelRow{binary.BigEndian.AppendUint32([]byte{0x0E}, uint32(i)), make([]byte, size)})
		}
		return rows
	}
	for name, rows := range map[string][]modelRow{"rows": rowsOf(proof.MaxCompactRows+1, 1), "bytes": rowsOf(600, proof.MaxValueSize)} {
		if _, err := proof.CompactRange(newModel(rows...), []byte{0x0E}); !errors.Is(err, proof.ErrTooLarge) {
			t.Errorf("too many %s: %v", name, err)
		}
	}
	if _, err := proof.CompactRange(newModel(), []byte{0x18}); !errors.Is(err, proof.ErrKey) {
		t.Errorf("derived rows: %v", err)
	}
	m := newModel(rowsOf(300, proof.MaxValueSize)...)
	full := compactRange(t, m, []byte{0x0E})
	wantSteps(t, proof.VerifyCompactRange(m.root, []byte{0x0E}, nil, true, full), proof.StepBounds)
	page, complete := proof.CompactPage(full, nil, proof.MaxCompactRows, proof.MaxAnswerSize)
	if size := proto.Size(page); complete || size > proof.MaxAnswerSize || size < proof.MaxAnswerSize*8/10 {
		t.Errorf("page of %d bytes, complete %v", size, complete)
	}
	if err := proof.VerifyCompactRange(m.root, []byte{0x0E}, nil, false, page); err != nil {
		t.Error(err)
	}
	if page, complete = proof.CompactPage(full, nil, 10, 1); len(page.GetRows()) != 1 || complete {
		t.Errorf("page of %d rows", len(page.GetRows()))
	}
}

// TestCompactFlippedBytes flips every bit of an encoded proof. One that still verifies may differ only in fields that are not read.
//
// Rules: T3.9.
func TestCompactFlippedBytes(t *testing.T) {
	t.Parallel()
	m := sample(rand.New(rand.NewPCG(6, 26)), alphabet(3), 2)
	prefix := []byte{0x0D, 0x01}
	full := compactRange(t, m, prefix)
	part, _ := proof.CompactPage(full, nil, 3, proof.MaxAnswerSize)
	for name, valid := range map[string]*pb.CompactRangeProof{"complete": full, "first rows": part} {
		encoded, err := proto.Marshal(valid)
		if err != nil || len(valid.GetRows()) < 3 {
			t.Fatalf("%s: %d rows: %v", name, len(valid.GetRows()), err)
		}
		for i := range 8 * len(encoded) {
			flipped := bytes.Clone(encoded)
			flipped[i/8] ^= 1 << (i % 8)
			page := new(pb.CompactRangeProof)
			if proto.Unmarshal(flipped, page) != nil || proof.VerifyCompactRange(m.root, prefix, nil, name == "complete", page) != nil {
				continue
			}
			page.ProtoReflect().SetUnknown(nil)
			if !proto.Equal(page, valid) {
				t.Fatalf("%s: bit %d flipped: a different proof verifies: %v", name, i, page)
			}
		}
	}
}
