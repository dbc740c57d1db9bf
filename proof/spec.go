package proof

import ics23 "github.com/cosmos/ics23/go"

// Spec is the ICS-23 specification that proofs of this chain satisfy: the ready-made one for Tendermint's
// trees with a greater depth, because a writer may lengthen the paths of its own rows (T1.4).
// The result shares its parts with the package's own value and is not to be changed.
func Spec() *ics23.ProofSpec {
	return &ics23.ProofSpec{
		LeafSpec:  ics23.TendermintSpec.LeafSpec,
		InnerSpec: ics23.TendermintSpec.InnerSpec,
		MaxDepth:  MaxDepth,
	}
}
