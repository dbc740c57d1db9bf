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

// FieldError says which field of a genesis is wrong, by its name in JSON, and why.
type FieldError struct {
	Field  string
	Reason string
}

// Error names the field first.
func (e *FieldError) Error() string { return "genesis: " + e.Field + ": " + e.Reason }

func wrong(field, format string, args ...any) error {
	return &FieldError{Field: field, Reason: fmt.Sprintf(format, args...)}
}

// Validate says what is wrong with the genesis, as a *FieldError, or nothing.
func (g *Genesis) Validate() error {
	if err := checkChainID(g.ChainID); err != nil {
		return err
	}
	if networkName(g.Network) == "" {
		return wrong("network", "%v is not mainnet, testnet or devnet", g.Network)
	}
	if err := checkTime(g.Time); err != nil {
		return err
	}
	if err := g.Settlement.check(); err != nil {
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
		return wrong("chain_id", "has %d bytes, want 1 to %d", len(id), MaxChainIDLength)
	}
	if rest := strings.Trim(id, allowed); rest != "" {
		return wrong("chain_id", "%q has characters other than letters, digits, '-', '_' and '.'", id)
	}
	return nil
}

func checkTime(t time.Time) error {
	if seconds := t.Unix(); seconds < 1 || seconds > math.MaxUint32 {
		return wrong("time", "%v is not between 1970 and 2106", t)
	}
	if t.Nanosecond() != 0 {
		return wrong("time", "%v is not in whole seconds", t)
	}
	if t.Location() != time.UTC {
		return wrong("time", "%v is not in UTC", t)
	}
	return nil
}

func (s *Settlement) check() error {
	if len(s.Attesters) > MaxAttesters {
		return wrong("settlement.attesters", "are %d, at most %d", len(s.Attesters), MaxAttesters)
	}
	for i, attester := range s.Attesters {
		field := fmt.Sprintf("settlement.attesters[%d]", i)
		if err := checkKey(field, attester, s.Attesters[:i]); err != nil {
			return err
		}
	}
	if len(s.Attesters) == 0 && s.Threshold != 0 {
		return wrong("settlement.threshold", "is %d without attesters, want 0", s.Threshold)
	}
	if len(s.Attesters) > 0 && (s.Threshold < 1 || s.Threshold > len(s.Attesters)) {
		return wrong("settlement.threshold", "is %d, want 1 to %d", s.Threshold, len(s.Attesters))
	}
	return nil
}

func checkKey(field string, key ident.PublicKey, before []ident.PublicKey) error {
	if key == (ident.PublicKey{}) {
		return wrong(field, "is not set")
	}
	if slices.Contains(before, key) {
		return wrong(field, "%v is there twice", key)
	}
	return nil
}

func checkValidators(validators []Validator) error {
	if len(validators) == 0 || len(validators) > MaxValidators {
		return wrong("validators", "are %d, want 1 to %d", len(validators), MaxValidators)
	}
	var total int64
	keys := make([]ident.PublicKey, 0, len(validators))
	for i, validator := range validators {
		field := fmt.Sprintf("validators[%d].", i)
		if err := checkKey(field+"public_key", validator.PublicKey, keys); err != nil {
			return err
		}
		if validator.Power < 1 || validator.Power > MaxTotalPower-total {
			return wrong(field+"power", "is %d, want at least 1 and in sum at most %d", validator.Power, int64(MaxTotalPower))
		}
		if len(validator.Name) > MaxValidatorNameLength || !utf8.ValidString(validator.Name) {
			return wrong(field+"name", "has %d bytes, want UTF-8 and at most %d", len(validator.Name), MaxValidatorNameLength)
		}
		total += validator.Power
		keys = append(keys, validator.PublicKey)
	}
	return nil
}

// check makes sure that the messages a block may hold (P6.5) fit next to everything else in it.
func (c *Consensus) check(validators int) error {
	if c.MaxEvidenceBytes < 1 || c.MaxEvidenceBytes > MaxBlockBytes {
		return wrong("consensus.max_evidence_bytes", "is %d, want 1 to %d", c.MaxEvidenceBytes, MaxBlockBytes)
	}
	least := ledger.MaxBlockBytes + blockOverhead + int64(validators)*signatureOverhead + c.MaxEvidenceBytes
	if c.MaxBlockBytes < least || c.MaxBlockBytes > MaxBlockBytes {
		return wrong("consensus.max_block_bytes", "is %d, want %d to %d", c.MaxBlockBytes, least, MaxBlockBytes)
	}
	if c.EvidenceMaxAgeBlocks < 1 {
		return wrong("consensus.evidence_max_age_blocks", "is %d, want at least 1", c.EvidenceMaxAgeBlocks)
	}
	if c.EvidenceMaxAge < time.Second || c.EvidenceMaxAge%time.Second != 0 {
		return wrong("consensus.evidence_max_age_seconds", "is %v, want whole seconds and at least one", c.EvidenceMaxAge)
	}
	return nil
}

// ValidatorLimit is how many validators can sign blocks of the largest size that consensus allows. No later set is
// larger, so that messages always fit beside signatures and the change that led to them.
func (g *Genesis) ValidatorLimit() int {
	room := g.Consensus.MaxBlockBytes - ledger.MaxBlockBytes - blockOverhead - g.Consensus.MaxEvidenceBytes
	return int(min(max(room/signatureOverhead, 0), MaxValidators))
}

// networkName is the network's name in JSON, or empty for none of the three.
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
