package message

import (
	"github.com/oasisprotocol/curve25519-voi/primitives/ed25519"
	"github.com/zeebo/blake3"
)

// batchContext keeps the coefficients of batch verification apart from every other use of the hash.
const batchContext = "makechain:ed25519-batch:v1"

// VerifySignature checks that the signer signed the message's hash, by the rules of ZIP-215 (P2.4).
func (e *Envelope) VerifySignature() *Refusal {
	if !ed25519.VerifyWithOptions(e.Signer[:], e.Hash[:], e.Signature[:], zip215()) {
		return e.badSignature()
	}
	return nil
}

// VerifyBatch checks many signatures at once, in less time than one by one, the less the more signers come
// again. It answers in the order of the envelopes, with what VerifySignature would say of each.
func VerifyBatch(envelopes []*Envelope) []*Refusal {
	refusals := make([]*Refusal, len(envelopes))
	if len(envelopes) == 0 {
		return refusals
	}
	batch := ed25519.NewBatchVerifierWithCapacity(len(envelopes))
	transcript := blake3.NewDeriveKey(batchContext)
	keys := make(map[PublicKey]*ed25519.ExpandedPublicKey)
	for _, e := range envelopes {
		key, known := keys[e.Signer]
		if !known {
			// A signer that is no key stays nil, which fails its entries.
			key, _ = ed25519.NewExpandedPublicKey(e.Signer[:])
			keys[e.Signer] = key
		}
		batch.AddExpandedWithOptions(key, e.Hash[:], e.Signature[:], zip215())
		// Writing to a hash never fails.
		_, _ = transcript.Write(e.Signer[:])
		_, _ = transcript.Write(e.Hash[:])
		_, _ = transcript.Write(e.Signature[:])
	}
	// The coefficients follow from all that is checked. Whoever wants bad signatures to cancel out would have
	// to choose them before knowing the coefficients, just as with coefficients drawn at random.
	_, valid := batch.Verify(transcript.Digest())
	for i, ok := range valid {
		if !ok {
			refusals[i] = envelopes[i].badSignature()
		}
	}
	return refusals
}

func (e *Envelope) badSignature() *Refusal {
	return refuseField(CodeBadSignature, "signature", "not made by %s over %s", e.Signer, e.Hash)
}

func zip215() *ed25519.Options {
	return &ed25519.Options{Verify: ed25519.VerifyOptionsZIP_215}
}
