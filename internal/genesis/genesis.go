// Package genesis defines the parameters with which a chain starts: version of the rules, chain id and network, start time, attesters of storage
// claims, limits of consensus, and validators.
//
// A genesis is encoded as JSON in the application state of CometBFT's genesis file. All nodes of a chain have the same
// one. The package is pure.
//
// Invariants: Parse returns only valid genesis, and parsing the output of Encode returns an equal genesis.
package genesis

import (
	"slices"
	"time"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledger"
)

// Defaults of Consensus.
const (
	// DefaultMaxBlockBytes is more than the messages of a block (P6.5), its signatures and evidence need.
	DefaultMaxBlockBytes = 4 << 20
	// DefaultMaxEvidenceBytes is enough for evidence against more than a hundred misbehaving validators.
	DefaultMaxEvidenceBytes = 64 << 10
	// DefaultEvidenceMaxAgeBlocks and DefaultEvidenceMaxAge are the maximum age of evidence. Evidence expires when it
	// is older than both.
	DefaultEvidenceMaxAgeBlocks = 100_000
	DefaultEvidenceMaxAge       = 48 * time.Hour
)

// Limits that Validate checks.
const (
	// MaxChainIDLength is the maximum length that CometBFT accepts, in bytes.
	MaxChainIDLength = 50
	// MaxValidators is the maximum number that a client accepts in the proof of a root.
	MaxValidators = 1000
	// MaxValidatorNameLength is the maximum length of a validator's name, in bytes.
	MaxValidatorNameLength = 64
	// MaxTotalPower is the maximum total voting power. It keeps sums far from overflow.
	MaxTotalPower = 1 << 56
	// MaxBlockBytes is the upper limit of Consensus.MaxBlockBytes. A block is held in memory as a whole.
	MaxBlockBytes = 16 << 20

	// blockOverhead is reserved for the header and the framing of the maximum number of messages.
	blockOverhead = 64 << 10
	// signatureOverhead is reserved for the signature of one validator, of any key type.
	signatureOverhead = 4 << 10
)

// Genesis is the initial parameters and validators of a chain.
type Genesis struct {
	// Rules is the version of the rules with which the chain starts. 0 is ledger.RulesVersion, for a new chain.
	Rules      uint64
	ChainID    string
	Network    pb.Network
	Time       time.Time // the time of the first block, in whole seconds
	Settlement ledger.Settlement
	Consensus  Consensus
	// Validators is the initial validator set.
	Validators []Validator
}

// Consensus has the limits of CometBFT's blocks and evidence.
type Consensus struct {
	MaxBlockBytes        int64
	MaxEvidenceBytes     int64
	EvidenceMaxAgeBlocks int64
	EvidenceMaxAge       time.Duration // whole seconds
}

// Validator is an Ed25519 key with a voting power.
type Validator struct {
	PublicKey ident.PublicKey
	Power     int64
	Name      string // informational
}

// DefaultConsensus returns limits that suit a chain of up to a few hundred validators.
func DefaultConsensus() Consensus {
	return Consensus{
		MaxBlockBytes:        DefaultMaxBlockBytes,
		MaxEvidenceBytes:     DefaultMaxEvidenceBytes,
		EvidenceMaxAgeBlocks: DefaultEvidenceMaxAgeBlocks,
		EvidenceMaxAge:       DefaultEvidenceMaxAge,
	}
}

// Params returns the parameters of the ledger.
func (g *Genesis) Params() ledger.Params {
	settlement := g.Settlement
	settlement.Attesters = slices.Clone(settlement.Attesters)
	return ledger.Params{Network: g.Network, ChainID: g.ChainID, Rules: g.rules(), Settlement: settlement}
}

// Difference returns the JSON name of the first field in which two genesis differ, or the empty string.
func (g *Genesis) Difference(other *Genesis) string {
	switch {
	case g.rules() != other.rules():
		return "rules_version"
	case g.ChainID != other.ChainID:
		return "chain_id"
	case g.Network != other.Network:
		return "network"
	case !g.Time.Equal(other.Time):
		return "time"
	case !g.Settlement.Equal(&other.Settlement):
		return "settlement"
	case g.Consensus != other.Consensus:
		return "consensus"
	case !slices.Equal(g.Validators, other.Validators):
		return "validators"
	default:
		return ""
	}
}
