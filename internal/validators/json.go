package validators

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"makechain/internal/ident"
)

// The JSON form of a change, in which operators exchange and review it.
type (
	changeJSON struct {
		ChainID    string          `json:"chain_id"`
		Sequence   uint64          `json:"sequence,string"`
		Validators []entryJSON     `json:"validators"`
		Signatures []signatureJSON `json:"signatures"`
	}
	entryJSON struct {
		PublicKey string `json:"public_key"`
		Power     int64  `json:"power,string"` // 0 removes
	}
	signatureJSON struct {
		PublicKey string `json:"public_key"`
		Signature string `json:"signature"`
	}
)

// FormatJSON returns a change as JSON.
func FormatJSON(c *Change) ([]byte, error) {
	file := changeJSON{ChainID: c.ChainID, Sequence: c.Sequence, Validators: []entryJSON{}, Signatures: []signatureJSON{}}
	for _, v := range c.Validators {
		file.Validators = append(file.Validators, entryJSON{PublicKey: v.Key.String(), Power: v.Power})
	}
	for _, s := range c.Signatures {
		file.Signatures = append(file.Signatures, signatureJSON{PublicKey: s.Key.String(), Signature: hex.EncodeToString(s.Signature[:])})
	}
	encoded, err := json.MarshalIndent(file, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("validator change: %w", err)
	}
	return append(encoded, '\n'), nil
}

// ParseJSON parses the output of FormatJSON.
func ParseJSON(encoded []byte) (*Change, error) {
	var file changeJSON
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&file); err != nil {
		return nil, fmt.Errorf("validator change: %w", err)
	}
	if decoder.More() {
		return nil, errors.New("validator change: unexpected data after the JSON object")
	}
	c := &Change{ChainID: file.ChainID, Sequence: file.Sequence}
	for _, entry := range file.Validators {
		key, err := ident.ParsePublicKey(entry.PublicKey)
		if err != nil {
			return nil, fmt.Errorf("validator change: %w", err)
		}
		c.Validators = append(c.Validators, Validator{Key: key, Power: entry.Power})
	}
	for _, entry := range file.Signatures {
		key, err := ident.ParsePublicKey(entry.PublicKey)
		if err != nil {
			return nil, fmt.Errorf("validator change: %w", err)
		}
		signature, err := hex.DecodeString(entry.Signature)
		if err != nil || len(signature) != SignatureSize {
			return nil, fmt.Errorf("validator change: the signature of %s is not %d hex-encoded bytes", key, SignatureSize)
		}
		c.Signatures = append(c.Signatures, Signature{Key: key, Signature: [SignatureSize]byte(signature)})
	}
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("validator change: %w", err)
	}
	return c, nil
}

// NewChange returns an unsigned change of the set of, with its entries sorted by key.
func NewChange(chainID string, of *Set, entries []Validator) *Change {
	ordered := slices.Clone(entries)
	slices.SortFunc(ordered, byKey)
	return &Change{ChainID: chainID, Sequence: of.Sequence + 1, Validators: ordered}
}

// Merge adds the signatures of another copy of the same change. It returns an error if the changes differ.
func (c *Change) Merge(other *Change) error {
	if c.Digest() != other.Digest() {
		return errors.New("validator change: the files contain different changes")
	}
	for _, s := range other.Signatures {
		if at, found := slices.BinarySearchFunc(c.Signatures, s, bySigner); !found {
			c.Signatures = slices.Insert(c.Signatures, at, s)
		}
	}
	return nil
}
