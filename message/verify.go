package message

import (
	"io"

	"github.com/oasisprotocol/curve25519-voi/primitives/ed25519"
	"github.com/oasisprotocol/curve25519-voi/primitives/ed25519/extra/cache"
	"github.com/zeebo/blake3"
)

// batchContext separates the coefficients of batch verification from every other use of the hash.
const batchContext = "makechain:ed25519-batch:v1"

// VerifySignature checks that the signer signed the message's hash, by the rules of ZIP-215 (P2.4).
func (e *Envelope) VerifySignature() *Refusal {
	if !ed25519.VerifyWithOptions(e.Signer[:], e.Hash[:], e.Signature[:], zip215()) {
		return e.badSignature()
	}
	return nil
}

// VerifyBatch checks many signatures at once, which is faster than one by one, in particular when signers repeat. The
// result has one entry for each envelope: what VerifySignature would return for it.
func VerifyBatch(envelopes []*Envelope) []*Refusal {
	return NewVerifier(max(1, len(envelopes))).Batch(envelopes)
}

// Verifier checks batches of signatures. It caches the expanded keys of recent signers. It is safe for concurrent use.
type Verifier struct{ keys *cache.Verifier }

// NewVerifier returns a verifier that caches the given number of keys, 1.5 KB each.
func NewVerifier(keys int) *Verifier { return &Verifier{cache.NewVerifier(cache.NewLRUCache(keys))} }

// Batch checks signatures as VerifyBatch does.
func (v *Verifier) Batch(envelopes []*Envelope) []*Refusal {
	refusals := make([]*Refusal, len(envelopes))
	if len(envelopes) == 0 {
		return refusals
	}
	batch, coefficients := v.collect(envelopes)
	_, valid := batch.Verify(coefficients)
	for i, ok := range valid {
		if !ok {
			refusals[i] = envelopes[i].badSignature()
		}
	}
	return refusals
}

// All reports whether all signatures are valid. It does not find out which one is not.
func (v *Verifier) All(envelopes []*Envelope) bool {
	if len(envelopes) == 0 {
		return true
	}
	batch, coefficients := v.collect(envelopes)
	return batch.VerifyBatchOnly(coefficients)
}

// collect returns a batch of the signatures and the source of its coefficients. The coefficients are derived from all
// signatures: an attacker who wants invalid signatures to cancel out would have to choose them before the coefficients
// are known, as with random coefficients.
func (v *Verifier) collect(envelopes []*Envelope) (batch *ed25519.BatchVerifier, coefficients io.Reader) {
	batch = ed25519.NewBatchVerifierWithCapacity(len(envelopes))
	transcript := blake3.NewDeriveKey(batchContext)
	for _, e := range envelopes {
		v.keys.AddWithOptions(batch, e.Signer[:], e.Hash[:], e.Signature[:], zip215())
		// Writing to a hash never fails.
		_, _ = transcript.Write(e.Signer[:])
		_, _ = transcript.Write(e.Hash[:])
		_, _ = transcript.Write(e.Signature[:])
	}
	return batch, transcript.Digest()
}

func (e *Envelope) badSignature() *Refusal {
	return refuseField(CodeBadSignature, "signature", "not made by %s over %s", e.Signer, e.Hash)
}

func zip215() *ed25519.Options {
	return &ed25519.Options{Verify: ed25519.VerifyOptionsZIP_215}
}
