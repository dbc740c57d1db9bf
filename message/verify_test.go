package message

import (
	"crypto/ed25519"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestEdgeCaseSignatures verifies each edge case alone, in a batch of one, and in a batch with all others.
//
// Rules: P2.4.
func TestEdgeCaseSignatures(t *testing.T) {
	t.Parallel()
	cases := edgeCases(t)
	all := make([]*Envelope, len(cases))
	disputed := 0
	for i, c := range cases {
		all[i] = c.Envelope
		if c.valid && !ed25519.Verify(c.Signer[:], c.Hash[:], c.Signature[:]) {
			disputed++
		}
		if refusal := c.VerifySignature(); (refusal == nil) != c.valid {
			t.Errorf("%s: alone: %v, want valid %t", c.name, refusal, c.valid)
		}
		if refusal := VerifyBatch([]*Envelope{c.Envelope})[0]; (refusal == nil) != c.valid {
			t.Errorf("%s: batch of one: %v, want valid %t", c.name, refusal, c.valid)
		}
	}
	if disputed < 10 {
		t.Errorf("the equation without cofactor refuses only %d of the valid cases: they are not edge cases", disputed)
	}
	for i, refusal := range VerifyBatch(all) {
		if (refusal == nil) != cases[i].valid {
			t.Errorf("%s: among all: %v, want valid %t", cases[i].name, refusal, cases[i].valid)
		}
		if refusal != nil {
			wantRefusal(t, refusal, Verification, CodeBadSignature, "signature", "not made by "+all[i].Signer.String())
		}
	}
}

// TestSmallOrderMatrix checks that ZIP-215 accepts every pair of encodings of points of small order as key and as R,
// 196 pairs with s = 0.
//
// Rules: P2.4.
func TestSmallOrderMatrix(t *testing.T) {
	t.Parallel()
	encodings := smallOrderEncodings(t)
	distinct := map[[32]byte]bool{}
	var matrix []*Envelope
	for _, key := range encodings {
		distinct[key] = true
		if !decodePoint(t, key).IsSmallOrder() {
			t.Errorf("%x is not of small order", key)
		}
		for _, r := range encodings {
			matrix = append(matrix, smallOrderCase(key, r))
		}
	}
	if len(distinct) != 14 || len(matrix) != 196 {
		t.Fatalf("%d encodings and %d pairs, want 14 and 196", len(distinct), len(matrix))
	}
	for _, e := range matrix {
		if refusal := e.VerifySignature(); refusal != nil {
			t.Errorf("alone: %v", refusal)
		}
	}
	matrix = append(matrix, mustSign(t, ProjectArchive(projectID)))
	for i, refusal := range VerifyBatch(matrix) {
		if refusal != nil {
			t.Errorf("%d: in one batch: %v", i, refusal)
		}
	}
	// One bad signature makes the verifier check the batch one by one.
	for i, refusal := range VerifyBatch(append(matrix, smallOrderCase(testAuthorKey(1), encodings[0]))) {
		if (refusal != nil) != (i == len(matrix)) {
			t.Errorf("%d: with a bad one: %v", i, refusal)
		}
	}
}

// TestBatchAgreesWithSingle checks random batches around the edge cases, with a verifier that caches fewer keys than
// there are signers.
//
// Rules: P2.4.
func TestBatchAgreesWithSingle(t *testing.T) {
	t.Parallel()
	cases := edgeCases(t)
	for _, e := range goodMessages(t) {
		cases = append(cases, signatureCase{"good", true, e})
	}
	verifier := NewVerifier(4)
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.OneOf(rapid.IntRange(0, 8), rapid.IntRange(90, 100)).Draw(t, "size")
		onlyValid := rapid.Bool().Draw(t, "only valid")
		var batch []*Envelope
		var want []bool
		for len(batch) < size {
			if c := rapid.SampledFrom(cases).Draw(t, "case"); c.valid || !onlyValid {
				batch, want = append(batch, c.Envelope), append(want, c.valid)
			}
		}
		got := verifier.Batch(batch)
		if all := verifier.All(batch); all == slices.Contains(want, false) {
			t.Fatalf("all %d signatures are valid: %t", size, all)
		}
		if len(got) != size {
			t.Fatalf("%d results, want %d", len(got), size)
		}
		for i, refusal := range got {
			if (refusal == nil) != want[i] {
				t.Fatalf("%d of %d: %v, want valid %t", i, size, refusal, want[i])
			}
		}
	})
}

// TestSignaturesAreOrdinary verifies an author's signatures with the standard library.
//
// Rules: P2.1.
func TestSignaturesAreOrdinary(t *testing.T) {
	t.Parallel()
	seed := Seed{1}
	key := ed25519.NewKeyFromSeed(seed[:])
	for _, e := range goodMessages(t) {
		if e.Signer != PublicKey(key[32:]) || !ed25519.Verify(e.Signer[:], e.Hash[:], e.Signature[:]) {
			t.Errorf("%s: %x does not verify", e.Type(), e.Signature)
		}
	}
}
