package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"google.golang.org/protobuf/proto"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/schema"
	"makechain/internal/term"
)

const (
	// proofFormat names the layout of a file with a proof.
	proofFormat = "makechain-proof-1"
	// maxProofFile bounds such a file, in bytes: the longest proof and the largest light block, in hex.
	maxProofFile = 2 << 20
)

// proofFile is a proof in a file.
type proofFile struct {
	Format      string   `json:"format"`
	ChainID     string   `json:"chain_id"`
	BlockNumber uint64   `json:"block_number,string"`
	Root        hexBytes `json:"root"`
	Key         hexBytes `json:"key"`
	Value       hexBytes `json:"value"` // null proves that there is no row
	Proof       hexBytes `json:"proof"`
	LightBlock  hexBytes `json:"light_block"`
}

// hexBytes are bytes as JSON has them here: lower-case hex, or null.
type hexBytes []byte

// MarshalJSON is part of json.Marshaler.
func (b hexBytes) MarshalJSON() ([]byte, error) {
	if b == nil {
		return []byte("null"), nil
	}
	return json.Marshal(hex.EncodeToString(b))
}

// UnmarshalJSON is part of json.Unmarshaler.
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

func newProofFile(chainID string, e *client.RowProof) *proofFile {
	return &proofFile{
		Format: proofFormat, ChainID: chainID, BlockNumber: e.Block, Root: e.Root[:], Key: e.Key, Value: e.Value, Proof: e.Proof, LightBlock: e.LightBlock,
	}
}

func (f *proofFile) encode() ([]byte, error) {
	encoded, err := json.MarshalIndent(f, "", "  ")
	return append(encoded, '\n'), err
}

// readProof reads a file strictly: what it does not say cannot be believed.
func readProof(path string, in io.Reader) (*proofFile, error) {
	if path != "-" {
		file, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer func() { _ = file.Close() }()
		in = file
	}
	content, err := io.ReadAll(io.LimitReader(in, maxProofFile+1))
	if err != nil {
		return nil, err
	}
	if len(content) > maxProofFile {
		return nil, fmt.Errorf("%s is larger than %d bytes, and no proof", path, maxProofFile)
	}
	file := new(proofFile)
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(file); err != nil {
		return nil, fmt.Errorf("%s is no proof: %w", path, err)
	}
	if file.Format != proofFormat {
		return nil, fmt.Errorf("%s has format %q, want %q", path, file.Format, proofFormat)
	}
	return file, nil
}

// claim is the statement of a proof in words. Only its key and value speak, whatever the file is called.
func (f *proofFile) claim(p *term.Printer) string {
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

var errRow = errors.New("no row has such a value")

// row decodes the value of a proof as its key says. It is nil for absence.
func (f *proofFile) row() (proto.Message, error) {
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

// emptyRow is a row of the kind that a key is for.
func emptyRow(key schema.Key) proto.Message {
	switch key.Prefix {
	case schema.PrefixTombstone:
		return new(pb.TombstoneRow)
	case schema.PrefixAccount:
		return new(pb.AccountRow)
	case schema.PrefixAccountMetadata:
		return new(pb.AccountMetadataRow)
	case schema.PrefixKey:
		if key.Tag == schema.FamilyCustody {
			return new(pb.CustodyKeyRow)
		}
		return new(pb.DelegatedKeyRow)
	case schema.PrefixKeyOwner:
		return new(pb.KeyOwnerRow)
	case schema.PrefixUsername:
		return new(pb.UsernameRow)
	case schema.PrefixVerification:
		return new(pb.VerificationRow)
	case schema.PrefixProject:
		return new(pb.ProjectRow)
	case schema.PrefixProjectMetadata:
		return new(pb.ProjectMetadataRow)
	case schema.PrefixProjectName:
		return new(pb.ProjectNameRow)
	case schema.PrefixRef:
		return new(pb.RefRow)
	case schema.PrefixCommit:
		return new(pb.CommitRow)
	case schema.PrefixCollaborator:
		return new(pb.CollaboratorRow)
	case schema.PrefixLink, schema.PrefixLinkByTarget:
		return new(pb.LinkRow)
	case schema.PrefixReaction, schema.PrefixReactionByTarget:
		return new(pb.ReactionRow)
	case schema.PrefixCounter:
		return new(pb.CounterRow)
	case schema.PrefixPruneMarker:
		return new(pb.PruneMarkerRow)
	case schema.PrefixStorageGrant:
		return new(pb.StorageGrantRow)
	case schema.PrefixClaim:
		return new(pb.ClaimRow)
	case schema.PrefixForkParent:
		return new(pb.ForkParentRow)
	case schema.PrefixMergeRequest:
		return new(pb.MergeRequestRow)
	default:
		return new(pb.MergeRequestByRequesterRow)
	}
}
