package proof

import ics23 "github.com/cosmos/ics23/go"

// Spec returns the ICS-23 specification of proofs of this chain: that of Tendermint's trees with a greater depth, because
// an author can lengthen the paths of its own rows (T1.4). Callers must not modify it.
func Spec() *ics23.ProofSpec {
	return &ics23.ProofSpec{
		LeafSpec:  ics23.TendermintSpec.LeafSpec,
		InnerSpec: ics23.TendermintSpec.InnerSpec,
		MaxDepth:  MaxDepth,
	}
}
