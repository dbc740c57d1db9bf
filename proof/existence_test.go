package proof_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"testing"

	ics23 "github.com/cosmos/ics23/go"

	"makechain/internal/ident"
	"makechain/internal/schema"
	"makechain/proof"
)

// TestEveryKey proves that each key of a small alphabet is present or absent in random trees. Each proof also verifies
// with the unmodified ICS-23 package, and does not verify for the opposite or for another value.
//
// Rules: T1.3, T1.4, T3.1, T3.2.
func TestEveryKey(t *testing.T) {
	t.Parallel()
	keys := alphabet(3)
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 1))
		m := sample(rng, keys, 1+rng.IntN(12))
		for _, key := range keys {
			checkEitherWay(t, m, key)
		}
	}
}

func checkEitherWay(t *testing.T, m *model, key []byte) {
	t.Helper()
	i, ok := m.find(key)
	present, existsErr := proof.Exists(m, key)
	absent, absentErr := proof.Absent(m, key)
	if ok != (existsErr == nil) || ok != errors.Is(absentErr, proof.ErrPresent) || ok == errors.Is(existsErr, proof.ErrAbsent) || ok == (absentErr == nil) {
		t.Fatalf("%x: in the model %v, exists %v, absent %v", key, ok, existsErr, absentErr)
	}
	if !ok {
		if err := proof.VerifyExclusion(m.root, key, absent.GetProof()); err != nil {
			t.Fatalf("%x of %d rows: %v", key, len(m.rows), err)
		}
		if len(m.rows) > 0 && !ics23.VerifyNonMembership(ics23.TendermintSpec, m.root[:], decodeProof(t, absent.GetProof()), key) {
			t.Fatalf("%x: ICS-23 refuses the non-existence proof", key)
		}
		wantSteps(t, proof.VerifyOperation(m.root, key, []byte("value"), absent.GetProof()), proof.StepEncoding)
		return
	}
	value := m.rows[i].value
	if err := proof.VerifyOperation(m.root, key, value, present.GetProof()); err != nil {
		t.Fatalf("%x: %v", key, err)
	}
	if !ics23.VerifyMembership(ics23.TendermintSpec, m.root[:], decodeProof(t, present.GetProof()), key, value) {
		t.Fatalf("%x: ICS-23 refuses the existence proof", key)
	}
	wantSteps(t, proof.VerifyOperation(m.root, key, append(value, 'x'), present.GetProof()), proof.StepValue)
	wantSteps(t, proof.VerifyOperation(m.root, append(key, 'x'), value, present.GetProof()), proof.StepKey)
	wantSteps(t, proof.VerifyOperation([32]byte{}, key, value, present.GetProof()), proof.StepRoot)
	wantSteps(t, proof.VerifyExclusion(m.root, key, present.GetProof()), proof.StepEncoding)
}

// TestFlippedBytes flips each bit of proofs. Because a statement has exactly one accepted encoding, no changed proof may
// verify for the same statement.
//
// Rules: T3.1, T3.2.
func TestFlippedBytes(t *testing.T) {
	t.Parallel()
	for _, known := range knownTrees(t) {
		m := known.model()
		for _, p := range known.Proofs {
			for i := range p.Proof {
				for bit := range 8 {
					flipped := bytes.Clone(p.Proof)
					flipped[i] ^= 1 << bit
					err := proof.VerifyExclusion(m.root, p.Key, flipped)
					if p.Present {
						err = proof.VerifyOperation(m.root, p.Key, p.Value, flipped)
					}
					if err == nil {
						t.Fatalf("%s: proof of %x holds with bit %d of byte %d flipped", known.Name, p.Key, bit, i)
					}
				}
			}
		}
	}
}

// TestHiddenKey builds a false proof that ICS-23 accepts. The name of a ref ends in the bytes of another leaf's key; a
// leaf prefix that covers the start of the real key then proves the hidden key, with the ref's row as its value.
//
// Rules: T3.1, T3.8.
func TestHiddenKey(t *testing.T) {
	t.Parallel()
	victim := schema.AccountKey(ident.Address{1, 2, 3})
	actual := schema.RefKey(ident.Hash{9}, append([]byte{byte(len(victim))}, victim...))
	value := []byte("row of a ref")
	m := newModel(modelRow{actual, value}, modelRow{[]byte{0x0E, 1}, value})

	forged := decodeProof(t, m.exists(t, 0))
	forged.GetExist().Key = victim
	forged.GetExist().Leaf = &ics23.LeafOp{
		Hash: ics23.HashOp_SHA256, PrehashValue: ics23.HashOp_SHA256, Length: ics23.LengthOp_VAR_PROTO,
		Prefix: slices.Concat([]byte{0, byte(len(actual))}, actual[:len(actual)-len(victim)-1]),
	}
	if !ics23.VerifyMembership(ics23.TendermintSpec, m.root[:], forged, victim, value) {
		t.Fatal("ICS-23 refuses the false proof too")
	}
	wantSteps(t, proof.VerifyOperation(m.root, victim, value, encodeProof(t, forged)), proof.StepShape)
}

// TestOlderRoot checks that a proof of an older state is refused and that the error has the root it leads to.
//
// Rules: T3.7.
func TestOlderRoot(t *testing.T) {
	t.Parallel()
	key, gone := []byte{4, 1}, []byte{4, 2}
	older := newModel(modelRow{key, []byte("a")}, modelRow{[]byte{5}, []byte("x")})
	newer := newModel(modelRow{key, []byte("a")}, modelRow{[]byte{5}, []byte("y")})
	err := proof.VerifyOperation(newer.root, key, []byte("a"), older.exists(t, 0))
	wantSteps(t, err, proof.StepRoot)
	if named := hex.EncodeToString(older.root[:]); !strings.Contains(err.Error(), named) {
		t.Errorf("%v does not name %s", err, named)
	}
	absent, err := proof.Absent(older, gone)
	if err != nil {
		t.Fatal(err)
	}
	wantSteps(t, proof.VerifyExclusion(newer.root, gone, absent.GetProof()), "row 0401", proof.StepRoot)
}

// TestImports checks that verifying clients do not link storage, network and server packages.
//
// Rules: T3.8.
func TestImports(t *testing.T) {
	t.Parallel()
	list, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	imports := strings.Fields(string(list))
	if !slices.Contains(imports, "makechain/internal/schema") {
		t.Fatalf("these are not the imports of this package: %q", imports)
	}
	for _, path := range imports {
		for _, forbidden := range []string{
			"net", "database", "os/exec", "google.golang.org/grpc", "connectrpc.com", "github.com/cometbft", "github.com/cockroachdb",
			"makechain/internal/merkle", "makechain/internal/store", "makechain/internal/ledger",
		} {
			if path == forbidden || strings.HasPrefix(path, forbidden+"/") {
				t.Errorf("imports %s", path)
			}
		}
	}
}

// TestRefusedShapes checks that nodes of any other form than the spec's are refused.
//
// Rules: T1.3, T1.4, T3.8.
func TestRefusedShapes(t *testing.T) {
	t.Parallel()
	m := newModel(modelRow{[]byte{4, 1}, []byte("a")}, modelRow{[]byte{4, 2}, []byte("b")}, modelRow{[]byte{5}, []byte("c")})
	tests := map[string]struct {
		change func(*ics23.ExistenceProof)
		step   string
	}{
		"no leaf":             {func(e *ics23.ExistenceProof) { e.Leaf = nil }, proof.StepShape},
		"other leaf hash":     {func(e *ics23.ExistenceProof) { e.Leaf.Hash = ics23.HashOp_SHA512 }, proof.StepShape},
		"long leaf prefix":    {func(e *ics23.ExistenceProof) { e.Leaf.Prefix = []byte{0, 0} }, proof.StepShape},
		"other inner hash":    {func(e *ics23.ExistenceProof) { e.Path[0].Hash = ics23.HashOp_SHA512 }, proof.StepShape},
		"inner like a leaf":   {func(e *ics23.ExistenceProof) { e.Path[0].Prefix[0] = 0 }, proof.StepShape},
		"other inner prefix":  {func(e *ics23.ExistenceProof) { e.Path[0].Prefix[0] = 2 }, proof.StepRoot},
		"only child":          {func(e *ics23.ExistenceProof) { e.Path[0].Suffix = nil }, proof.StepShape},
		"three children":      {func(e *ics23.ExistenceProof) { e.Path[0].Suffix = make([]byte, 64) }, proof.StepShape},
		"children both sides": {func(e *ics23.ExistenceProof) { e.Path[0].Prefix = append([]byte{1}, make([]byte, 32)...) }, proof.StepShape},
		"missing step":        {func(e *ics23.ExistenceProof) { e.Path = e.Path[1:] }, proof.StepRoot},
		"no path":             {func(e *ics23.ExistenceProof) { e.Path = nil }, proof.StepRoot},
		"too deep": {func(e *ics23.ExistenceProof) {
			e.Path = slices.Repeat(e.Path[:1], proof.MaxDepth+1)
		}, proof.StepShape},
		"long key":   {func(e *ics23.ExistenceProof) { e.Key = make([]byte, proof.MaxKeySize+1) }, proof.StepBounds},
		"long value": {func(e *ics23.ExistenceProof) { e.Value = make([]byte, proof.MaxValueSize+1) }, proof.StepBounds},
		"too large":  {func(e *ics23.ExistenceProof) { e.Path[0].Prefix = make([]byte, 1<<20) }, proof.StepBounds},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			changed := decodeProof(t, m.exists(t, 0))
			changed.GetExist().Leaf = &ics23.LeafOp{
				Hash: 1, PrehashValue: 1, Length: 1, Prefix: []byte{0},
			}
			test.change(changed.GetExist())
			wantSteps(t, proof.VerifyOperation(m.root, m.rows[0].key, m.rows[0].value, encodeProof(t, changed)), test.step)
		})
	}
}

// TestRowWithoutValue checks that a row without a value is refused although it leads to the root, as ICS-23 refuses it.
//
// Rules: T3.8.
func TestRowWithoutValue(t *testing.T) {
	t.Parallel()
	m := newModel(modelRow{[]byte{4, 1}, nil}, modelRow{[]byte{4, 2}, []byte("b")})
	exists, sibling := decodeProof(t, m.exists(t, 1)), m.leafHash(1)
	exists.GetExist().Key, exists.GetExist().Value = m.rows[0].key, nil
	exists.GetExist().Path = []*ics23.InnerOp{{Hash: ics23.HashOp_SHA256, Prefix: []byte{1}, Suffix: sibling[:]}}
	wantSteps(t, proof.VerifyOperation(m.root, m.rows[0].key, nil, encodeProof(t, exists)), proof.StepShape)
	if ics23.VerifyMembership(proof.Spec(), m.root[:], exists, m.rows[0].key, nil) {
		t.Error("ICS-23 accepts the proof")
	}
}

// TestNotCanonical checks that proofs with bytes that a decoder ignores are refused.
//
// Rules: T3.8.
func TestNotCanonical(t *testing.T) {
	t.Parallel()
	m := newModel(modelRow{[]byte{4, 1}, []byte("a")}, modelRow{[]byte{4, 2}, []byte("b")})
	good := m.exists(t, 0)
	for name, bad := range map[string][]byte{
		"unknown field": append(bytes.Clone(good), 0x78, 1),
		"given twice":   append(bytes.Clone(good), good...),
		"truncated":     good[:len(good)-1],
		"nothing":       nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantSteps(t, proof.VerifyOperation(m.root, m.rows[0].key, m.rows[0].value, bad), proof.StepEncoding)
		})
	}
}

// TestDeepPaths checks the longest path that ref names can make. Beyond 128 steps ICS-23 needs the published spec.
//
// Rules: T1.4.
func TestDeepPaths(t *testing.T) {
	t.Parallel()
	// Every proper prefix of one name, and the same with the last bit of its next letter changed.
	full := schema.RefKey(ident.Hash{7}, bytes.Repeat([]byte{0xFF}, 254))
	rows := []modelRow{{full, []byte("v")}}
	for n := 34; n < len(full); n++ {
		for bit := range 8 {
			other := bytes.Clone(full[:n])
			other[n-1] ^= 1 << bit
			rows = append(rows, modelRow{other, []byte("v")})
		}
		rows = append(rows, modelRow{full[:n], []byte("v")})
	}
	m := newModel(rows...)
	i, _ := m.find(full)
	if len(m.paths[i]) < 2000 {
		t.Fatalf("path has only %d steps", len(m.paths[i]))
	}
	deep := m.exists(t, i)
	if err := proof.VerifyOperation(m.root, full, []byte("v"), deep); err != nil {
		t.Fatalf("%d steps: %v", len(m.paths[i]), err)
	}
	if !ics23.VerifyMembership(proof.Spec(), m.root[:], decodeProof(t, deep), full, []byte("v")) {
		t.Fatal("ICS-23 with the published spec refuses the proof")
	}
	if ics23.VerifyMembership(ics23.TendermintSpec, m.root[:], decodeProof(t, deep), full, []byte("v")) {
		t.Fatal("ICS-23 with its own spec goes deeper than expected")
	}
}

// TestSpec compares the published spec with the one of the ICS-23 package.
//
// Rules: T1.4.
func TestSpec(t *testing.T) {
	t.Parallel()
	spec := *proof.Spec()
	if spec.MaxDepth != 4096 {
		t.Errorf("max depth %d", spec.MaxDepth)
	}
	spec.MaxDepth = ics23.TendermintSpec.MaxDepth
	if got, want := spec.String(), ics23.TendermintSpec.String(); got != want {
		t.Errorf("spec %s, want %s", got, want)
	}
}

// TestRefusedKeys checks that keys outside of the state root have no proofs.
//
// Rules: T3.6.
func TestRefusedKeys(t *testing.T) {
	t.Parallel()
	m := newModel(modelRow{[]byte{4, 1}, []byte("a")})
	for first := range 256 {
		key := []byte{byte(first), 7}
		inRoot := first >= 0x03 && first <= 0x17 || first >= 0x1A && first <= 0x21
		checkRefused(t, m, key, !inRoot)
	}
	checkRefused(t, m, nil, true)
	checkRefused(t, m, bytes.Repeat([]byte{0x0D}, proof.MaxKeySize), false)
	checkRefused(t, m, bytes.Repeat([]byte{0x0D}, proof.MaxKeySize+1), true)
}

func checkRefused(t *testing.T, m *model, key []byte, refused bool) {
	t.Helper()
	_, existsErr := proof.Exists(m, key)
	absent, absentErr := proof.Absent(m, key)
	_, rangeErr := proof.Range(m, key, 0, nil)
	for what, err := range map[string]error{"exists": existsErr, "absent": absentErr, "range": rangeErr} {
		if errors.Is(err, proof.ErrKey) != refused {
			t.Errorf("%s of %x: %v", what, key, err)
		}
	}
	if refused {
		wantSteps(t, proof.VerifyOperation(m.root, key, nil, nil), proof.StepKey)
		wantSteps(t, proof.VerifyExclusion(m.root, key, nil), proof.StepKey)
		wantSteps(t, proof.VerifyRange(m.root, key, nil, nil), proof.StepKey)
	} else if err := proof.VerifyExclusion(m.root, key, absent.GetProof()); err != nil {
		t.Errorf("%x: %v", key, err)
	}
}

func ExampleVerifyOperation() {
	m := newModel(modelRow{[]byte{0x0D, 1}, []byte("a")}, modelRow{[]byte{0x0D, 2}, []byte("b")})
	answer, _ := proof.Exists(m, []byte{0x0D, 1})
	fmt.Println(proof.VerifyOperation(m.root, []byte{0x0D, 1}, []byte("a"), answer.GetProof()))
	fmt.Println(proof.VerifyOperation(m.root, []byte{0x0D, 1}, []byte("b"), answer.GetProof()))
	// Output:
	// <nil>
	// value: proof is for another value than the given 1 bytes
}
