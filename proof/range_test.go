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

// cursorOf returns the cursor of a page under prefix that ended with the row at last.
func cursorOf(prefix, last []byte) []byte {
	return append(binary.BigEndian.AppendUint16(nil, uint16(len(prefix))), last...)
}

// span splits the rows of a model into those before, in and after a range. A nil after means from the start.
func (m *model) span(prefix, after []byte) (before, in, behind []modelRow) {
	for _, row := range m.rows {
		switch under := bytes.HasPrefix(row.key, prefix); {
		case under && (after == nil || bytes.Compare(row.key, after) > 0):
			in = append(in, row)
		case under || bytes.Compare(row.key, prefix) < 0:
			before = append(before, row)
		default:
			behind = append(behind, row)
		}
	}
	return before, in, behind
}

// TestRangePages reads random ranges in random pages and compares the rows with the model's. Sometimes the tree changes
// between two pages, which may delete the row of the cursor.
//
// Rules: T3.4.
func TestRangePages(t *testing.T) {
	t.Parallel()
	keys := alphabet(4)
	for seed := range uint64(80) {
		rng := rand.New(rand.NewPCG(seed, 2))
		m := sample(rng, keys, 1+rng.IntN(10))
		prefix := keys[rng.IntN(len(keys))]
		var cursor, after []byte
		for {
			limit := 1 + rng.IntN(7)
			page, err := proof.Range(m, prefix, uint32(limit), cursor)
			if err != nil {
				t.Fatal(err)
			}
			if err := proof.VerifyRange(m.root, prefix, cursor, page); err != nil {
				t.Fatalf("seed %d: range %x after %x: %v", seed, prefix, cursor, err)
			}
			_, want, _ := m.span(prefix, after)
			complete := len(want) <= limit
			want = want[:min(limit, len(want))]
			if got := entryRows(page); !slices.EqualFunc(got, want, sameRow) || page.GetComplete() != complete {
				t.Fatalf("seed %d: page %x complete %v, want %x complete %v", seed, got, page.GetComplete(), want, complete)
			}
			if complete {
				break
			}
			cursor, after = page.GetNextCursor(), want[len(want)-1].key
			if rng.IntN(4) == 0 {
				m = sample(rng, keys, 1+rng.IntN(10))
			}
		}
	}
}

func sameRow(a, b modelRow) bool { return bytes.Equal(a.key, b.key) && bytes.Equal(a.value, b.value) }

func entryRows(page *pb.GetRangeProofResponse) []modelRow {
	var rows []modelRow
	for _, e := range page.GetEntries() {
		rows = append(rows, modelRow{e.GetKey(), e.GetValue()})
	}
	return rows
}

// TestRangeArbitraryPages checks that exactly the correct pages verify among all pages that a node could assemble from the
// rows of a small tree: any rows as entries, any neighbours, complete or not, for every prefix and cursor. The cases
// include a row omitted in the middle, at an end or at a page boundary, an empty page of a non-empty range, a prefix that
// is the key of a row, and the empty tree.
//
// Rules: T3.4.
func TestRangeArbitraryPages(t *testing.T) {
	t.Parallel()
	candidates := [][]byte{{0x0C, 0xFF}, {0x0D}, {0x0D, 0x00}, {0x0D, 0x00, 0x01}, {0x0D, 0x00, 0xFF}, {0x0D, 0xFF}, {0x0E, 0x00}}
	prefixes := [][]byte{{0x0C}, {0x0D}, {0x0D, 0x00}, {0x0D, 0xFF}, {0x03}, {0x1C}}
	for size, trees := range []int{1, 2, 4, 4, 3} {
		for seed := range trees {
			t.Run(fmt.Sprintf("%d rows/%d", size, seed), func(t *testing.T) {
				t.Parallel()
				rng := rand.New(rand.NewPCG(uint64(seed), uint64(size)))
				var rows []modelRow
				for _, i := range rng.Perm(len(candidates))[:size] {
					rows = append(rows, modelRow{candidates[i], []byte{byte(i + 1)}})
				}
				pages := newPageBuilder(t, newModel(rows...))
				valid := 0
				for _, prefix := range prefixes {
					valid += pages.countValid(t, prefix, nil)
					for _, after := range candidates {
						if bytes.HasPrefix(after, prefix) {
							valid += pages.countValid(t, prefix, after)
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

// pageBuilder assembles pages from valid proofs.
type pageBuilder struct {
	*model
	proofs [][]byte // by row; one more for no row
}

func newPageBuilder(t *testing.T, m *model) *pageBuilder {
	t.Helper()
	l := &pageBuilder{model: m}
	for i := range m.rows {
		l.proofs = append(l.proofs, m.exists(t, i))
	}
	l.proofs = append(l.proofs, nil)
	return l
}

// countValid assembles every page for a range, checks it and counts those that verify. Each choice of entries is a bit set.
func (l *pageBuilder) countValid(t *testing.T, prefix, after []byte) (valid int) {
	t.Helper()
	var cursor []byte
	if after != nil {
		cursor = cursorOf(prefix, after)
	}
	for chosen := range 1 << len(l.rows) {
		for lower := range l.proofs {
			for upper := range l.proofs {
				for _, complete := range []bool{true, false} {
					page := l.page(prefix, chosen, lower, upper, complete)
					err := proof.VerifyRange(l.root, prefix, cursor, page)
					if want := l.isCorrect(prefix, after, chosen, lower, upper, complete); (err == nil) != want {
						t.Fatalf("range %x after %x of rows %x: entries %b, lower %d, upper %d, complete %v: %v",
							prefix, after, l.rows, chosen, lower, upper, complete, err)
					}
					if err == nil {
						valid++
					}
				}
			}
		}
	}
	return valid
}

func (l *pageBuilder) page(prefix []byte, chosen, lower, upper int, complete bool) *pb.GetRangeProofResponse {
	page := &pb.GetRangeProofResponse{
		Root: l.root[:], LowerBoundProof: l.proofs[lower], UpperBoundProof: l.proofs[upper], Complete: complete,
	}
	for i, row := range l.rows {
		if chosen>>i&1 == 1 {
			page.Entries = append(page.Entries, &pb.RangeProofEntry{Key: row.key, Value: row.value, Proof: l.proofs[i]})
			if !complete {
				page.NextCursor = cursorOf(prefix, row.key)
			}
		}
	}
	return page
}

// isCorrect reports whether a page is correct, from the rows alone.
func (l *pageBuilder) isCorrect(prefix, after []byte, chosen, lower, upper int, complete bool) bool {
	before, in, behind := l.span(prefix, after)
	// Rows are sorted, so those of the range follow those before it, and a correct choice is a prefix of them.
	taken := 0
	for chosen>>(len(before)+taken)&1 == 1 {
		taken++
	}
	if chosen != (1<<taken-1)<<len(before) || taken > len(in) {
		return false
	}
	none := len(l.rows)
	if len(before) > 0 && lower != len(before)-1 || len(before) == 0 && lower != none {
		return false
	}
	if !complete {
		return taken > 0 && upper == none
	}
	next := len(before) + len(in)
	return taken == len(in) && (len(behind) > 0 && upper == next || len(behind) == 0 && upper == none)
}

// TestRangeClaims checks that a valid page with one change is refused.
//
// Rules: T3.4, T3.8.
func TestRangeClaims(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(4, 4))
	m := sample(rng, alphabet(4), 2)
	prefix, cursor := []byte{0x0D, 0x01}, cursorOf([]byte{0x0D, 0x01}, []byte{0x0D, 0x01})
	valid, err := proof.Range(m, prefix, 5, cursor)
	if err != nil || valid.GetComplete() || len(valid.GetEntries()) != 5 {
		t.Fatalf("page of %d rows, complete %v: %v", len(valid.GetEntries()), valid.GetComplete(), err)
	}
	tests := map[string]struct {
		change func(*pb.GetRangeProofResponse)
		steps  []string
	}{
		"other root":                     {func(p *pb.GetRangeProofResponse) { p.Root = make([]byte, 32) }, []string{proof.StepRoot}},
		"no root":                        {func(p *pb.GetRangeProofResponse) { p.Root = nil }, []string{proof.StepRoot}},
		"other value":                    {func(p *pb.GetRangeProofResponse) { p.Entries[1].Value = []byte("x") }, []string{"entry 1", proof.StepValue}},
		"other key":                      {func(p *pb.GetRangeProofResponse) { p.Entries[1].Key = []byte{0x0D, 0x01} }, []string{"entry 1", proof.StepKey}},
		"swapped rows":                   {func(p *pb.GetRangeProofResponse) { p.Entries[0], p.Entries[4] = p.Entries[4], p.Entries[0] }, []string{proof.StepClaim}},
		"row twice":                      {func(p *pb.GetRangeProofResponse) { p.Entries[2] = p.Entries[1] }, []string{proof.StepOrder}},
		"rows swapped":                   {func(p *pb.GetRangeProofResponse) { p.Entries[3], p.Entries[2] = p.Entries[2], p.Entries[3] }, []string{proof.StepAdjacency}},
		"row left out":                   {func(p *pb.GetRangeProofResponse) { p.Entries = slices.Delete(p.Entries, 1, 2) }, []string{proof.StepAdjacency}},
		"first left out":                 {func(p *pb.GetRangeProofResponse) { p.Entries = p.Entries[1:] }, []string{proof.StepAdjacency}},
		"last left out":                  {func(p *pb.GetRangeProofResponse) { p.Entries = p.Entries[:4] }, []string{proof.StepClaim}},
		"nil entry":                      {func(p *pb.GetRangeProofResponse) { p.Entries[1] = nil }, []string{"entry 1", proof.StepEncoding}},
		"no cursor":                      {func(p *pb.GetRangeProofResponse) { p.NextCursor = nil }, []string{proof.StepClaim}},
		"other cursor":                   {func(p *pb.GetRangeProofResponse) { p.NextCursor[3] ^= 1 }, []string{proof.StepClaim}},
		"marked complete":                {func(p *pb.GetRangeProofResponse) { p.Complete, p.NextCursor = true, nil }, []string{proof.StepAdjacency}},
		"complete, cursor":               {func(p *pb.GetRangeProofResponse) { p.Complete = true }, []string{proof.StepClaim}},
		"upper bound":                    {func(p *pb.GetRangeProofResponse) { p.UpperBoundProof = p.LowerBoundProof }, []string{proof.StepClaim}},
		"no lower bound":                 {func(p *pb.GetRangeProofResponse) { p.LowerBoundProof = nil }, []string{proof.StepAdjacency}},
		"row as its bound":               {func(p *pb.GetRangeProofResponse) { p.LowerBoundProof = p.Entries[0].Proof }, []string{"lower bound", proof.StepOrder}},
		"too many rows":                  {func(p *pb.GetRangeProofResponse) { p.Entries = slices.Repeat(p.Entries, 41) }, []string{proof.StepBounds}},
		"too many bytes":                 {func(p *pb.GetRangeProofResponse) { p.Entries[1].Value = make([]byte, 4<<20) }, []string{proof.StepBounds}},
		"neither complete nor with rows": {func(p *pb.GetRangeProofResponse) { p.Entries = nil }, []string{proof.StepClaim}},
		"everything absent":              {func(p *pb.GetRangeProofResponse) { *p = pb.GetRangeProofResponse{Root: p.Root, Complete: true} }, []string{proof.StepAdjacency}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			page := proto.Clone(valid).(*pb.GetRangeProofResponse)
			test.change(page)
			wantSteps(t, proof.VerifyRange(m.root, prefix, cursor, page), test.steps...)
		})
	}
}

// TestRangeCursors checks that the generator and the verifier refuse cursors of other lists.
//
// Rules: T3.4.
func TestRangeCursors(t *testing.T) {
	t.Parallel()
	m := sample(rand.New(rand.NewPCG(5, 5)), alphabet(3), 1)
	prefix := []byte{0x0D, 0x00}
	valid, err := proof.Range(m, prefix, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ prefix, cursor []byte }{
		"adjacent list":       {[]byte{0x0D, 0x01}, valid.GetNextCursor()},
		"wider list":          {[]byte{0x0D}, valid.GetNextCursor()},
		"narrower list":       {[]byte{0x0D, 0x00, 0x00}, valid.GetNextCursor()},
		"outside the list":    {prefix, cursorOf(prefix, []byte{0x0D, 0x01})},
		"truncated":           {prefix, valid.GetNextCursor()[:1]},
		"longer than any key": {prefix, append(valid.GetNextCursor(), make([]byte, proof.MaxKeySize)...)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := proof.Range(m, test.prefix, 2, test.cursor); !errors.Is(err, proof.ErrCursor) {
				t.Errorf("generated: %v", err)
			}
			err := proof.VerifyRange(m.root, test.prefix, test.cursor, valid)
			wantSteps(t, err, proof.StepKey)
			if !errors.Is(err, proof.ErrCursor) {
				t.Errorf("verified: %v", err)
			}
		})
	}
	wantSteps(t, proof.VerifyRange(m.root, prefix, valid.GetNextCursor(), valid), "entry 0", proof.StepOrder)
}

// TestRangePageSizes checks the default limit, a limit that is too large, and rows too large for one response.
//
// Rules: T3.4.
func TestRangePageSizes(t *testing.T) {
	t.Parallel()
	var small, large []modelRow
	for i := range 260 {
		key := binary.BigEndian.AppendUint16([]byte{0x0E}, uint16(i))
		small = append(small, modelRow{key, []byte("v")})
		large = append(large, modelRow{key, make([]byte, proof.MaxValueSize)})
	}
	for name, test := range map[string]struct {
		rows     []modelRow
		limit    uint32
		min, max int
	}{
		"default":         {small, 0, proof.DefaultPageRows, proof.DefaultPageRows},
		"limit too large": {small, 1 << 31, proof.MaxPageRows, proof.MaxPageRows},
		"rows too large":  {large, 200, 50, 199},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newModel(test.rows...)
			page, err := proof.Range(m, []byte{0x0E}, test.limit, nil)
			if err != nil {
				t.Fatal(err)
			}
			if n := len(page.GetEntries()); n < test.min || n > test.max || page.GetComplete() || proto.Size(page) > proof.MaxAnswerSize {
				t.Errorf("%d rows, %d bytes, complete %v", n, proto.Size(page), page.GetComplete())
			}
			if err := proof.VerifyRange(m.root, []byte{0x0E}, nil, page); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestRangeFlippedBytes flips every bit of an encoded page. One that still verifies may differ only in the block number,
// which the root does not cover, and in fields that are not read.
//
// Rules: T3.4.
func TestRangeFlippedBytes(t *testing.T) {
	t.Parallel()
	m := sample(rand.New(rand.NewPCG(6, 6)), alphabet(3), 3)
	prefix := []byte{0x0D, 0x01}
	valid, err := proof.Range(m, prefix, 0, nil)
	if err != nil || len(valid.GetEntries()) < 2 {
		t.Fatalf("%d rows: %v", len(valid.GetEntries()), err)
	}
	valid.BlockNumber = 77
	encoded, err := proto.Marshal(valid)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 8 * len(encoded) {
		flipped := bytes.Clone(encoded)
		flipped[i/8] ^= 1 << (i % 8)
		page := new(pb.GetRangeProofResponse)
		if proto.Unmarshal(flipped, page) != nil || proof.VerifyRange(m.root, prefix, nil, page) != nil {
			continue
		}
		page.BlockNumber = valid.BlockNumber
		page.ProtoReflect().SetUnknown(nil)
		if !proto.Equal(page, valid) {
			t.Fatalf("bit %d flipped: a different page verifies: %v", i, page)
		}
	}
}
