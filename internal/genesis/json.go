package genesis

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledger"
)

// The JSON form of a genesis. All fields are always written.
type (
	document struct {
		RulesVersion uint64              `json:"rules_version"`
		ChainID      string              `json:"chain_id"`
		Network      string              `json:"network"`
		Time         time.Time           `json:"time"`
		Settlement   json.RawMessage     `json:"settlement"` // the form depends on RulesVersion
		Consensus    consensusDocument   `json:"consensus"`
		Validators   []validatorDocument `json:"validators"`
	}
	consensusDocument struct {
		MaxBlockBytes         int64 `json:"max_block_bytes"`
		MaxEvidenceBytes      int64 `json:"max_evidence_bytes"`
		EvidenceMaxAgeBlocks  int64 `json:"evidence_max_age_blocks"`
		EvidenceMaxAgeSeconds int64 `json:"evidence_max_age_seconds"`
	}
	validatorDocument struct {
		PublicKey string `json:"public_key"`
		Power     int64  `json:"power"`
		Name      string `json:"name"`
	}
)

// firstRules is the version of the rules of a genesis without the field.
const firstRules = 1

// maxNesting exceeds the nesting of a genesis.
const maxNesting = 8

// Encode validates a genesis and returns it as JSON.
func Encode(g *Genesis) ([]byte, error) {
	if err := g.Validate(); err != nil {
		return nil, err
	}
	settlement, err := g.encodeSettlement()
	if err != nil {
		return nil, err
	}
	doc := document{
		RulesVersion: g.rules(),

		ChainID:    g.ChainID,
		Network:    networkName(g.Network),
		Time:       g.Time,
		Settlement: settlement,
		Consensus: consensusDocument{
			MaxBlockBytes:         g.Consensus.MaxBlockBytes,
			MaxEvidenceBytes:      g.Consensus.MaxEvidenceBytes,
			EvidenceMaxAgeBlocks:  g.Consensus.EvidenceMaxAgeBlocks,
			EvidenceMaxAgeSeconds: int64(g.Consensus.EvidenceMaxAge / time.Second),
		},
	}
	for _, validator := range g.Validators {
		doc.Validators = append(doc.Validators, validatorDocument{
			PublicKey: validator.PublicKey.String(), Power: validator.Power, Name: validator.Name,
		})
	}
	return json.MarshalIndent(doc, "", "  ")
}

// ErrRules is returned for the genesis of a chain with other rules than those of this program.
var ErrRules = errors.New("the chain has rules of another version")

// Parse parses and validates a genesis. It returns an error for unknown and duplicate fields, and ErrRules for a
// rules_version that this program does not support. The first version had no such field.
func Parse(encoded []byte) (*Genesis, error) {
	if err := checkDuplicates(json.NewDecoder(bytes.NewReader(encoded)), maxNesting); err != nil {
		return nil, fmt.Errorf("genesis: %w", err)
	}
	// Other versions have other fields.
	var version struct {
		RulesVersion uint64 `json:"rules_version"`
	}
	if err := json.Unmarshal(encoded, &version); err == nil && !ledger.SupportsRules(version.RulesVersion) {
		return nil, fmt.Errorf("genesis: %w: rules_version is %d, this program has versions %d and %d",
			ErrRules, max(version.RulesVersion, firstRules), ledger.OldestRulesVersion, ledger.RulesVersion)
	}
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.DisallowUnknownFields()
	var doc document
	if err := decoder.Decode(&doc); err != nil {
		return nil, fmt.Errorf("genesis: %w", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("genesis: unexpected data after the JSON object")
	}
	g, err := doc.genesis()
	if err != nil {
		return nil, err
	}
	return g, g.Validate()
}

func (d *document) genesis() (*Genesis, error) {
	g := &Genesis{
		Rules:   d.RulesVersion,
		ChainID: d.ChainID,
		Network: parseNetwork(d.Network),
		Time:    d.Time,
		Consensus: Consensus{
			MaxBlockBytes:        d.Consensus.MaxBlockBytes,
			MaxEvidenceBytes:     d.Consensus.MaxEvidenceBytes,
			EvidenceMaxAgeBlocks: d.Consensus.EvidenceMaxAgeBlocks,
		},
	}
	seconds := d.Consensus.EvidenceMaxAgeSeconds
	if seconds < 0 || seconds > int64(math.MaxInt64/time.Second) {
		return nil, invalid("consensus.evidence_max_age_seconds", "%d is out of range", seconds)
	}
	g.Consensus.EvidenceMaxAge = time.Duration(seconds) * time.Second
	var err error
	if g.Settlement, err = g.parseSettlement(d.Settlement); err != nil {
		return nil, err
	}
	for i, validator := range d.Validators {
		key, err := ident.ParsePublicKey(validator.PublicKey)
		if err != nil {
			return nil, invalid(fmt.Sprintf("validators[%d].public_key", i), "%v", err)
		}
		g.Validators = append(g.Validators, Validator{PublicKey: key, Power: validator.Power, Name: validator.Name})
	}
	return g, nil
}

func parseNetwork(name string) pb.Network {
	for _, network := range []pb.Network{pb.Network_NETWORK_MAINNET, pb.Network_NETWORK_TESTNET, pb.Network_NETWORK_DEVNET} {
		if networkName(network) == name {
			return network
		}
	}
	return pb.Network_NETWORK_NONE
}

// checkDuplicates reads one JSON value and returns an error for an object with a duplicate name, because two parsers
// could use different values. Names that differ only in case are duplicates, as they are for the decoder.
func checkDuplicates(decoder *json.Decoder, depth int) error {
	if depth == 0 {
		return errors.New("nested too deeply")
	}
	token, err := decoder.Token()
	if err != nil {
		return err
	}
	opening, isDelim := token.(json.Delim)
	if !isDelim {
		return nil
	}
	seen := make(map[string]bool)
	for decoder.More() {
		if opening == '{' {
			name, err := decoder.Token()
			if err != nil {
				return err
			}
			folded := strings.ToLower(fmt.Sprint(name))
			if seen[folded] {
				return fmt.Errorf("%v is a duplicate name", name)
			}
			seen[folded] = true
		}
		if err := checkDuplicates(decoder, depth-1); err != nil {
			return err
		}
	}
	_, err = decoder.Token() // the closing bracket
	return err
}
