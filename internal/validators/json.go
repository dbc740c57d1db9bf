package validators

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"makechain/internal/genesis"
	"makechain/internal/ident"
	"makechain/internal/ledger"
)

// The JSON form of a change, in which operators exchange and review it. It has the field of one kind.
type (
	changeJSON struct {
		ChainID    string                      `json:"chain_id"`
		Sequence   uint64                      `json:"sequence,string"`
		Validators *[]entryJSON                `json:"validators,omitempty"`
		Settlement *genesis.SettlementDocument `json:"settlement,omitempty"`
		Rules      *activationJSON             `json:"rules,omitempty"`
		Signatures []signatureJSON             `json:"signatures"`
	}
	activationJSON struct {
		Version uint64 `json:"version,string"`
		Height  uint64 `json:"height,string"`
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
	file := changeJSON{ChainID: c.ChainID, Sequence: c.Sequence, Signatures: []signatureJSON{}}
	c.Content.document(&file)
	for _, s := range c.Signatures {
		file.Signatures = append(file.Signatures, signatureJSON{PublicKey: s.Key.String(), Signature: hex.EncodeToString(s.Signature[:])})
	}
	encoded, err := json.MarshalIndent(file, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Name(), err)
	}
	return append(encoded, '\n'), nil
}

func (p Powers) document(file *changeJSON) {
	entries := []entryJSON{}
	for _, v := range p {
		entries = append(entries, entryJSON{PublicKey: v.Key.String(), Power: v.Power})
	}
	file.Validators = &entries
}

func (s Settlement) document(file *changeJSON) {
	settlement := ledger.Settlement(s)
	file.Settlement = genesis.NewSettlementDocument(&settlement)
}

func (a Activation) document(file *changeJSON) {
	file.Rules = &activationJSON{Version: a.Version, Height: a.Height}
}

// ParseJSON parses the output of FormatJSON.
func ParseJSON(encoded []byte) (*Change, error) {
	var file changeJSON
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&file); err != nil {
		return nil, fmt.Errorf("change: %w", err)
	}
	if decoder.More() {
		return nil, errors.New("change: unexpected data after the JSON object")
	}
	content, err := file.content()
	if err != nil {
		return nil, fmt.Errorf("change: %w", err)
	}
	c := &Change{ChainID: file.ChainID, Sequence: file.Sequence, Content: content}
	for _, entry := range file.Signatures {
		key, err := ident.ParsePublicKey(entry.PublicKey)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name(), err)
		}
		signature, err := hex.DecodeString(entry.Signature)
		if err != nil || len(signature) != SignatureSize {
			return nil, fmt.Errorf("%s: the signature of %s is not %d hex-encoded bytes", c.Name(), key, SignatureSize)
		}
		c.Signatures = append(c.Signatures, Signature{Key: key, Signature: [SignatureSize]byte(signature)})
	}
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", c.Name(), err)
	}
	return c, nil
}

// content returns what the change sets.
func (file *changeJSON) content() (Content, error) {
	switch {
	case file.Validators != nil && file.Settlement == nil && file.Rules == nil:
		var p Powers
		for _, entry := range *file.Validators {
			key, err := ident.ParsePublicKey(entry.PublicKey)
			if err != nil {
				return nil, err
			}
			p = append(p, Validator{Key: key, Power: entry.Power})
		}
		return p, nil
	case file.Settlement != nil && file.Validators == nil && file.Rules == nil:
		settlement, err := file.Settlement.Parse()
		return Settlement(settlement), err
	case file.Rules != nil && file.Validators == nil && file.Settlement == nil:
		return Activation{Version: file.Rules.Version, Height: file.Rules.Height}, nil
	default:
		return nil, errors.New("want one of validators, settlement and rules")
	}
}

// Merge adds the signatures of another copy of the same change. It returns an error if the changes differ.
func (c *Change) Merge(other *Change) error {
	if c.Digest() != other.Digest() {
		return fmt.Errorf("%s: the files contain different changes", c.Name())
	}
	for _, s := range other.Signatures {
		if at, found := slices.BinarySearchFunc(c.Signatures, s, bySigner); !found {
			c.Signatures = slices.Insert(c.Signatures, at, s)
		}
	}
	return nil
}
