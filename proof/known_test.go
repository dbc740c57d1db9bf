package proof_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"testing"

	"makechain/proof"
)

// hexBytes is a byte slice that a vector file represents as hex.
type hexBytes []byte

func (h *hexBytes) UnmarshalText(text []byte) (err error) {
	*h, err = hex.DecodeString(string(text))
	return err
}

type knownTree struct {
	Name string
	Rows []struct{ Key, Value hexBytes }
	Root hexBytes
	// Proofs were made by an independent implementation.
	Proofs []struct {
		Key, Value, Proof hexBytes
		Present           bool
	}
}

func knownTrees(t testing.TB) []knownTree {
	t.Helper()
	text, err := os.ReadFile("../testdata/vectors/known/tree.json")
	if err != nil {
		t.Fatal(err)
	}
	var trees []knownTree
	if err := json.Unmarshal(text, &trees); err != nil {
		t.Fatal(err)
	}
	if len(trees) == 0 {
		t.Fatal("no known trees")
	}
	return trees
}

func (k *knownTree) model() *model {
	rows := make([]modelRow, 0, len(k.Rows))
	for _, row := range k.Rows {
		rows = append(rows, modelRow{row.Key, row.Value})
	}
	return newModel(rows...)
}

// TestKnownTrees checks roots and proofs of an implementation that shares no code with this one: they verify, and the
// proofs generated here are the same bytes.
//
// Rules: T1.3, T3.1, T3.2.
func TestKnownTrees(t *testing.T) {
	t.Parallel()
	for _, known := range knownTrees(t) {
		t.Run(known.Name, func(t *testing.T) {
			t.Parallel()
			m := known.model()
			if !bytes.Equal(m.root[:], known.Root) {
				t.Fatalf("root %x, want %x", m.root, known.Root)
			}
			for _, p := range known.Proofs {
				if p.Present {
					if err := proof.VerifyOperation(m.root, p.Key, p.Value, p.Proof); err != nil {
						t.Errorf("%x: %v", p.Key, err)
					}
					made, err := proof.Exists(m, p.Key)
					if err != nil || !bytes.Equal(made.GetProof(), p.Proof) {
						t.Errorf("%x: generated proof %x (%v), want %x", p.Key, made.GetProof(), err, p.Proof)
					}
					continue
				}
				if err := proof.VerifyExclusion(m.root, p.Key, p.Proof); err != nil {
					t.Errorf("%x: %v", p.Key, err)
				}
				made, err := proof.Absent(m, p.Key)
				if err != nil || !bytes.Equal(made.GetProof(), p.Proof) {
					t.Errorf("%x: generated proof %x (%v), want %x", p.Key, made.GetProof(), err, p.Proof)
				}
			}
		})
	}
}
