// Package genesis is what a chain fixes at its beginning: its name and network, when it begins, who vouches
// for storage claims, how large consensus lets blocks become, and who validates.
//
// A genesis travels as JSON, in the application state of the consensus engine's own genesis file. All nodes
// of a chain hold the same one. The package only calculates.
//
// Invariants: what Parse returns is valid, and Encode of it gives a genesis that Parse reads as the same.
package genesis

import (
	"slices"
	"time"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/message"
)

// Defaults of Consensus.
const (
	// DefaultMaxBlockBytes leaves ample room around the messages of a block (P6.5) for signatures and evidence.
	DefaultMaxBlockBytes = 4 << 20
	// DefaultMaxEvidenceBytes is room for evidence against more than a hundred misbehaving validators.
	DefaultMaxEvidenceBytes = 64 << 10
	// DefaultEvidenceMaxAgeBlocks and DefaultEvidenceMaxAge say how long evidence counts. It is too old when
	// it is older than both.
	DefaultEvidenceMaxAgeBlocks = 100_000
	DefaultEvidenceMaxAge       = 48 * time.Hour
)

// Bounds of what Validate accepts.
const (
	// MaxChainIDLength is what the consensus engine accepts, in bytes.
	MaxChainIDLength = 50
	// MaxAttesters is as many as a claim can carry attestations (P5).
	MaxAttesters = message.MaxAttestations
	// MaxValidators is as many as a client accepts in the proof of a root.
	MaxValidators = 1000
	// MaxValidatorNameLength is in bytes.
	MaxValidatorNameLength = 64
	// MaxTotalPower keeps sums of voting power far from overflow.
	MaxTotalPower = 1 << 56
	// MaxBlockBytes is the largest MaxBlockBytes of Consensus. Blocks travel in one piece of memory.
	MaxBlockBytes = 16 << 20

	// blockOverhead is room for the header and for the framing of as many messages as a block may hold.
	blockOverhead = 64 << 10
	// signatureOverhead is room for one validator's signature in a block, of any kind of key.
	signatureOverhead = 4 << 10
)

// Genesis is what a chain fixes for its life.
type Genesis struct {
	ChainID    string
	Network    pb.Network
	Time       time.Time // of the first block; whole seconds
	Settlement Settlement
	Consensus  Consensus
	// Validators sign the first blocks.
	Validators []Validator
}

// Settlement says who vouches for storage claims (P8.2). Without attesters no claim is accepted.
type Settlement struct {
	Attesters []ident.PublicKey
	Threshold int
}

// Consensus limits what the consensus engine puts into a block.
type Consensus struct {
	MaxBlockBytes        int64
	MaxEvidenceBytes     int64
	EvidenceMaxAgeBlocks int64
	EvidenceMaxAge       time.Duration // whole seconds
}

// Validator takes part in consensus with an Ed25519 key and the weight of its power.
type Validator struct {
	PublicKey ident.PublicKey
	Power     int64
	Name      string // for people
}

// DefaultConsensus are limits that suit a chain of up to a few hundred validators.
func DefaultConsensus() Consensus {
	return Consensus{
		MaxBlockBytes:        DefaultMaxBlockBytes,
		MaxEvidenceBytes:     DefaultMaxEvidenceBytes,
		EvidenceMaxAgeBlocks: DefaultEvidenceMaxAgeBlocks,
		EvidenceMaxAge:       DefaultEvidenceMaxAge,
	}
}

// Params is the part of the genesis that the ledger goes by.
func (g *Genesis) Params() ledger.Params {
	return ledger.Params{
		Network:   g.Network,
		Attesters: slices.Clone(g.Settlement.Attesters),
		Threshold: g.Settlement.Threshold,
	}
}

// Difference names the first field in which two genesis differ, as in JSON, or nothing.
func (g *Genesis) Difference(other *Genesis) string {
	switch {
	case g.ChainID != other.ChainID:
		return "chain_id"
	case g.Network != other.Network:
		return "network"
	case !g.Time.Equal(other.Time):
		return "time"
	case !slices.Equal(g.Settlement.Attesters, other.Settlement.Attesters):
		return "settlement.attesters"
	case g.Settlement.Threshold != other.Settlement.Threshold:
		return "settlement.threshold"
	case g.Consensus != other.Consensus:
		return "consensus"
	case !slices.Equal(g.Validators, other.Validators):
		return "validators"
	default:
		return ""
	}
}
