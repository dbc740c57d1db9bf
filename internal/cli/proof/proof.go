// Package proof has the commands that read proofs from a node and verify them.
package proof

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/proto"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/cli/connection"
	"makechain/internal/cli/input"
	"makechain/internal/cli/query"
	"makechain/internal/cli/usage"
	"makechain/internal/schema"
	"makechain/internal/term"
)

// New returns the command proof.
func New() *cobra.Command {
	command := &cobra.Command{
		Use:   "proof",
		Short: "Get and verify proofs",
		Long: `A proof is a file which proves that the state did or did not contain a row after a block, up to
the signatures of the chain's validators. With the file and the validators it can be verified
without a node, and without trusting the node that it came from.`,
		Example: "  makechain proof get project alice/hello --out hello.proof\n" +
			"  makechain proof verify hello.proof --genesis makechain-data/config/genesis.json",
	}
	command.AddCommand(newGetCommand(), newVerifyCommand(), newValidatorsCommand())
	return command
}

func newGetCommand() *cobra.Command {
	var flags query.Flags
	var key, out string
	command := &cobra.Command{
		Use:   "get <kind> <name>... | get --key <hex>",
		Short: "Get a proof that a row exists, or does not exist",
		Long: "The kinds are\n\n" + describeKinds() + `
A name that is not taken gives a proof of non-existence.`,
		Example: "  makechain proof get project alice/hello --out hello.proof\n" +
			"  makechain proof get ref alice/hello@main > main.proof\n" +
			"  makechain proof get account unused --out unused.proof",
		ValidArgs: kindNames(),
		Args: func(command *cobra.Command, args []string) error {
			if key != "" && len(args) > 0 {
				return usage.Errorf(command, "--key cannot be combined with %q", args[0])
			}
			return nil
		},
		RunE: func(command *cobra.Command, args []string) error {
			return flags.Run(command, func(q *query.Query) error {
				wanted, err := resolveKey(q, key, args)
				if err != nil {
					return err
				}
				evidence, err := q.Client.ProveRow(q.Context(), wanted)
				if err != nil {
					return err
				}
				trust, err := q.Client.Trust(q.Context())
				if err != nil {
					return err
				}
				return write(q, out, newFile(trust.ChainID, evidence), verifyCommand(q, &flags.Connection, out, trust.ChainID))
			})
		},
	}
	flags.Register(command)
	command.Flags().StringVar(&key, "key", "", "the key of the row in hex, instead of a kind and a name")
	command.Flags().StringVar(&out, "out", "", "file to write (default standard output)")
	return command
}

// verifyCommand returns the command that verifies a proof with the validators that this command trusted.
func verifyCommand(q *query.Query, from *connection.Flags, path, chainID string) string {
	verify := "makechain proof verify " + path
	if from.Genesis != "" {
		return verify + " --genesis " + from.Genesis
	}
	if _, _, err := q.ConfigDir().KnownChain(chainID); err == nil {
		return verify
	}
	validators := "makechain proof validators"
	if from.Node != client.DefaultTarget {
		validators += " --node " + from.Node
	}
	return validators + " > validators.json && " + verify + " --validators validators.json"
}

// write writes a proof to a file and prints what it proves and how to verify it, or writes it to standard output.
func write(q *query.Query, path string, f *file, verify string) error {
	encoded, err := f.encode()
	if err != nil {
		return err
	}
	if path == "" {
		_, err := q.Command.OutOrStdout().Write(encoded)
		return err
	}
	if err := os.WriteFile(path, encoded, publicMode); err != nil {
		return err
	}
	if q.JSON() {
		return nil
	}
	p := q.Printer()
	p.Line("%s: %s", path, f.claim(p.Printer))
	next := fmt.Sprintf("after block %d of %s; verify it with %s", f.BlockNumber, term.Text(f.ChainID), verify)
	p.Line("%s", p.Style(term.Dim, next))
	return p.Err()
}

// publicMode is the mode of files that others may read.
const publicMode = 0o644

func newValidatorsCommand() *cobra.Command {
	var flags query.Flags
	command := &cobra.Command{
		Use:   "validators",
		Short: "Print the trusted validators, for --validators on another machine",
		Long: `The trusted validators are those of --genesis if it is given, else those of the first connection
to the node.`,
		Example: "  makechain proof validators > validators.json\n  makechain proof validators --genesis genesis.json",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			return flags.Run(command, func(q *query.Query) error {
				trust, err := q.Client.Trust(q.Context())
				if err != nil {
					return err
				}
				return json.NewEncoder(command.OutOrStdout()).Encode(connection.Chain{
					ChainID: trust.ChainID, ValidatorsHash: hex.EncodeToString(trust.ValidatorsHash),
				})
			})
		},
	}
	flags.Register(command)
	return command
}

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
		schema.PrefixClosedMergeRequest:      new(pb.ClosedMergeRequestRow),
		schema.PrefixContent:                 new(pb.ContentRow),
		schema.PrefixSettlement:              new(pb.SettlementRow),
		schema.PrefixRules:                   new(pb.RulesRow),
		schema.PrefixMergeRequestByRequester: new(pb.MergeRequestByRequesterRow),
	}[key.Prefix]
}
