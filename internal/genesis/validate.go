package genesis

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledger"
)

// FieldError is returned for a field of a genesis that is not valid. Field is its JSON name.
type FieldError struct {
	Field  string
	Reason string
}

// Error returns the field and the reason.
func (e *FieldError) Error() string { return "genesis: " + e.Field + ": " + e.Reason }

func invalid(field, format string, args ...any) error {
	return &FieldError{Field: field, Reason: fmt.Sprintf(format, args...)}
}

// Validate checks the genesis. It returns a *FieldError for the first field that is not valid.
func (g *Genesis) Validate() error {
	if !ledger.SupportsRules(g.rules()) {
		return invalid("rules_version", "is %d, want %d to %d", g.rules(), ledger.OldestRulesVersion, ledger.RulesVersion)
	}
	if err := checkChainID(g.ChainID); err != nil {
		return err
	}
	if networkName(g.Network) == "" {
		return invalid("network", "%v is not mainnet, testnet or devnet", g.Network)
	}
	if err := checkTime(g.Time); err != nil {
		return err
	}
	if err := g.checkSettlement(); err != nil {
		return err
	}
	if err := checkValidators(g.Validators); err != nil {
		return err
	}
	return g.Consensus.check(len(g.Validators))
}

func checkChainID(id string) error {
	const allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."
	if id == "" || len(id) > MaxChainIDLength {
		return invalid("chain_id", "has %d bytes, want 1 to %d", len(id), MaxChainIDLength)
	}
	if strings.Trim(id, allowed) != "" {
		return invalid("chain_id", "%q has characters other than letters, digits, '-', '_' and '.'", id)
	}
	return nil
}

func checkTime(t time.Time) error {
	if seconds := t.Unix(); seconds < 1 || seconds > math.MaxUint32 {
		return invalid("time", "%v is not between 1970 and 2106", t)
	}
	if t.Nanosecond() != 0 {
		return invalid("time", "%v is not in whole seconds", t)
	}
	if t.Location() != time.UTC {
		return invalid("time", "%v is not in UTC", t)
	}
	return nil
}

func checkKey(field string, key ident.PublicKey, before []ident.PublicKey) error {
	if key == (ident.PublicKey{}) {
		return invalid(field, "is not set")
	}
	if key.SmallOrder() {
		return invalid(field, "%v is a key of small order", key)
	}
	if slices.Contains(before, key) {
		return invalid(field, "%v is a duplicate", key)
	}
	return nil
}

func checkValidators(validators []Validator) error {
	if len(validators) == 0 || len(validators) > MaxValidators {
		return invalid("validators", "has %d entries, want 1 to %d", len(validators), MaxValidators)
	}
	var total int64
	keys := make([]ident.PublicKey, 0, len(validators))
	for i, validator := range validators {
		field := fmt.Sprintf("validators[%d].", i)
		if err := checkKey(field+"public_key", validator.PublicKey, keys); err != nil {
			return err
		}
		if validator.Power < 1 || validator.Power > MaxTotalPower-total {
			return invalid(field+"power", "is %d, want at least 1 and a total of at most %d", validator.Power, int64(MaxTotalPower))
		}
		if len(validator.Name) > MaxValidatorNameLength || !utf8.ValidString(validator.Name) {
			return invalid(field+"name", "has %d bytes, want UTF-8 and at most %d", len(validator.Name), MaxValidatorNameLength)
		}
		total += validator.Power
		keys = append(keys, validator.PublicKey)
	}
	return nil
}

// check validates the limits. The messages of a full block (P6.5) must fit together with signatures and evidence.
func (c *Consensus) check(validators int) error {
	if c.MaxEvidenceBytes < 1 || c.MaxEvidenceBytes > MaxBlockBytes {
		return invalid("consensus.max_evidence_bytes", "is %d, want 1 to %d", c.MaxEvidenceBytes, MaxBlockBytes)
	}
	least := ledger.MaxBlockBytes + blockOverhead + int64(validators)*signatureOverhead + c.MaxEvidenceBytes
	if c.MaxBlockBytes < least || c.MaxBlockBytes > MaxBlockBytes {
		return invalid("consensus.max_block_bytes", "is %d, want %d to %d", c.MaxBlockBytes, least, MaxBlockBytes)
	}
	if c.EvidenceMaxAgeBlocks < 1 {
		return invalid("consensus.evidence_max_age_blocks", "is %d, want at least 1", c.EvidenceMaxAgeBlocks)
	}
	if c.EvidenceMaxAge < time.Second || c.EvidenceMaxAge%time.Second != 0 {
		return invalid("consensus.evidence_max_age_seconds", "is %v, want whole seconds and at least one", c.EvidenceMaxAge)
	}
	return nil
}

// ValidatorLimit returns the maximum number of validators of any later set. With that many signatures, the messages of a
// full block and a change still fit into a block.
func (g *Genesis) ValidatorLimit() int {
	free := g.Consensus.MaxBlockBytes - ledger.MaxBlockBytes - blockOverhead - g.Consensus.MaxEvidenceBytes
	return int(min(max(free/signatureOverhead, 0), MaxValidators))
}

// networkName returns the JSON name of a network, or the empty string if it is not one of the three.
func networkName(network pb.Network) string {
	switch network {
	case pb.Network_NETWORK_MAINNET:
		return "mainnet"
	case pb.Network_NETWORK_TESTNET:
		return "testnet"
	case pb.Network_NETWORK_DEVNET:
		return "devnet"
	default:
		return ""
	}
}
