package proof

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"google.golang.org/protobuf/proto"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/cli/input"
	"makechain/internal/schema"
	"makechain/internal/term"
)

const (
	// format is the format of proof files.
	format = "makechain-proof-1"
	// maxFile is the largest size of a proof file, in bytes: the longest proof and the largest light block, in hex.
	maxFile = 2 << 20
)

// file is the content of a proof file.
type file struct {
	Format      string   `json:"format"`
	ChainID     string   `json:"chain_id"`
	BlockNumber uint64   `json:"block_number,string"`
	Root        hexBytes `json:"root"`
	Key         hexBytes `json:"key"`
	Value       hexBytes `json:"value"` // null for a proof of non-existence
	Proof       hexBytes `json:"proof"`
	LightBlock  hexBytes `json:"light_block"`
}

// hexBytes are bytes in JSON as lower-case hex, or null.
type hexBytes []byte

// MarshalJSON implements json.Marshaler.
func (b hexBytes) MarshalJSON() ([]byte, error) {
	if b == nil {
		return []byte("null"), nil
	}
	return json.Marshal(hex.EncodeToString(b))
}

// UnmarshalJSON implements json.Unmarshaler.
func (b *hexBytes) UnmarshalJSON(text []byte) error {
	var digits *string
	if err := json.Unmarshal(text, &digits); err != nil {
		return err
	}
	if digits == nil {
		*b = nil
		return nil
	}
	decoded, err := hex.DecodeString(*digits)
	*b = append(hexBytes{}, decoded...)
	return err
}

func newFile(chainID string, e *client.RowProof) *file {
	return &file{
		Format: format, ChainID: chainID, BlockNumber: e.Block, Root: e.Root[:], Key: e.Key, Value: e.Value, Proof: e.Proof, LightBlock: e.LightBlock,
	}
}

func (f *file) encode() ([]byte, error) {
	encoded, err := json.MarshalIndent(f, "", "  ")
	return append(encoded, '\n'), err
}

// readFile reads a proof file, or standard input for "-". Unknown fields are an error.
func readFile(path string, in io.Reader) (*file, error) {
	var content []byte
	var err error
	if path == "-" {
		content, err = input.Read(in, input.StandardInput, maxFile)
	} else {
		content, err = input.ReadFile(path, maxFile)
	}
	if err != nil {
		return nil, err
	}
	f := new(file)
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(f); err != nil {
		return nil, fmt.Errorf("%s is not a proof file: %w", path, err)
	}
	if f.Format != format {
		return nil, fmt.Errorf("%s has format %q, want %q", path, f.Format, format)
	}
	return f, nil
}

// claim describes what a proof states, by its key and value.
func (f *file) claim(p *term.Printer) string {
	key, err := schema.ParseKey(f.Key)
	switch {
	case err != nil:
		return err.Error()
	case f.Value == nil:
		return p.Style(term.Bold, "there is no "+describeKey(&key))
	default:
		return p.Style(term.Bold, "there is "+describeKey(&key))
	}
}

// errRow is returned for a value that does not decode as the row of its key.
var errRow = errors.New("the value is not a row of this kind")

// row decodes the value of a proof. It is nil for a proof of non-existence.
func (f *file) row() (proto.Message, error) {
	key, err := schema.ParseKey(f.Key)
	if err != nil || f.Value == nil {
		return nil, err
	}
	row := emptyRow(key)
	if err := schema.Decode(f.Value, row); err != nil {
		return nil, errors.Join(errRow, err)
	}
	return row, nil
}

// emptyRow returns an empty row of the type of a key.
func emptyRow(key schema.Key) proto.Message {
	if key.Prefix == schema.PrefixKey && key.Tag == schema.FamilyCustody {
		return new(pb.CustodyKeyRow)
	}
	return map[schema.Prefix]proto.Message{
		schema.PrefixKey:                     new(pb.DelegatedKeyRow),
		schema.PrefixTombstone:               new(pb.TombstoneRow),
		schema.PrefixAccount:                 new(pb.AccountRow),
		schema.PrefixAccountMetadata:         new(pb.AccountMetadataRow),
		schema.PrefixKeyOwner:                new(pb.KeyOwnerRow),
		schema.PrefixUsername:                new(pb.UsernameRow),
		schema.PrefixVerification:            new(pb.VerificationRow),
		schema.PrefixProject:                 new(pb.ProjectRow),
		schema.PrefixProjectMetadata:         new(pb.ProjectMetadataRow),
		schema.PrefixProjectName:             new(pb.ProjectNameRow),
		schema.PrefixRef:                     new(pb.RefRow),
		schema.PrefixCommit:                  new(pb.CommitRow),
		schema.PrefixCollaborator:            new(pb.CollaboratorRow),
		schema.PrefixLink:                    new(pb.LinkRow),
		schema.PrefixLinkByTarget:            new(pb.LinkRow),
		schema.PrefixReaction:                new(pb.ReactionRow),
		schema.PrefixReactionByTarget:        new(pb.ReactionRow),
		schema.PrefixCounter:                 new(pb.CounterRow),
		schema.PrefixPruneMarker:             new(pb.PruneMarkerRow),
		schema.PrefixStorageGrant:            new(pb.StorageGrantRow),
		schema.PrefixClaim:                   new(pb.ClaimRow),
		schema.PrefixForkParent:              new(pb.ForkParentRow),
		schema.PrefixMergeRequest:            new(pb.MergeRequestRow),
		schema.PrefixValidators:              new(pb.ValidatorsRow),
		schema.PrefixMergeRequestByRequester: new(pb.MergeRequestByRequesterRow),
	}[key.Prefix]
}
