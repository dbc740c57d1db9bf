// Package genesis has the commands with which the operators of a new network agree on its genesis file.
package genesis

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	pb "makechain/gen/makechain"
	"makechain/internal/cli/input"
	"makechain/internal/cli/output"
	"makechain/internal/cli/settings"
	"makechain/internal/cli/usage"
	"makechain/internal/comet"
	"makechain/internal/genesis"
	"makechain/internal/ident"
	"makechain/internal/node"
)

const (
	// maxFile is the maximum size of a genesis file or an entry of a validator.
	maxFile = 4 << 20
	// defaultPower is the default voting power of a validator. Only the ratio of powers matters.
	defaultPower = 10
	// publicMode is the mode of genesis files.
	publicMode = 0o644
)

// New returns the command genesis.
func New() *cobra.Command {
	command := &cobra.Command{
		Use:   "genesis",
		Short: "Create and verify the genesis file of a network",
		Long: `Each operator of a validator creates its keys on its own machine with genesis key, and sends the
printed entry to one of them, who creates the file with genesis new and genesis add. All operators then
compare the hash that genesis verify prints, before they start their nodes with makechain node --genesis.`,
		Example: "  makechain genesis key --home home --name alice --address alice.example:26656 > alice.json\n" +
			"  makechain genesis add genesis.json bob.json carol.json\n  makechain genesis verify genesis.json",
	}
	command.AddCommand(newKeyCommand(), newNewCommand(), newAddCommand(), newVerifyCommand())
	return command
}

// entry is a validator as its operator describes it.
type entry struct {
	Name      string `json:"name"`
	PublicKey string `json:"public_key"`
	Peer      string `json:"peer,omitempty"` // address for peers, nodeid@host:port
}

func newKeyCommand() *cobra.Command {
	var home, name, address string
	command := &cobra.Command{
		Use:   "key",
		Short: "Create the keys of a validator and print its entry",
		Long: `The keys are created in the home unless they exist, and never leave it. The entry has the public key,
and with --address the address for the --peers of the other nodes.`,
		Example: "  makechain genesis key --home home --name alice --address alice.example:26656 > alice.json",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			if err := checkName(name); err != nil {
				return usage.Errorf(command, "--name: %w", err)
			}
			if _, _, err := net.SplitHostPort(address); address != "" && err != nil {
				return usage.Errorf(command, "--address: %w", err)
			}
			identity, err := comet.EnsureKeys(home)
			if err != nil {
				return err
			}
			described := entry{Name: name, PublicKey: identity.Validator.String()}
			if address != "" {
				described.Peer = identity.NodeID + "@" + address
			}
			return json.NewEncoder(command.OutOrStdout()).Encode(described)
		},
	}
	flags := command.Flags()
	flags.StringVar(&home, settings.HomeFlag, node.DefaultHome, "directory of the node")
	flags.StringVar(&name, "name", "", "name of the validator")
	flags.StringVar(&address, "address", "", "host:port at which other nodes reach this one")
	return command
}

func checkName(name string) error {
	if name == "" || len(name) > genesis.MaxValidatorNameLength || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r > '~' }) {
		return fmt.Errorf("%q is not a name of 1 to %d printable ASCII characters", name, genesis.MaxValidatorNameLength)
	}
	return nil
}

// readEntry reads the entry of a validator.
func readEntry(path string, power int64) (genesis.Validator, error) {
	content, err := input.ReadFile(path, maxFile)
	if err != nil {
		return genesis.Validator{}, err
	}
	var described entry
	if err := json.Unmarshal(content, &described); err != nil {
		return genesis.Validator{}, fmt.Errorf("%s is not an entry of makechain genesis key: %w", path, err)
	}
	key, err := ident.ParsePublicKey(described.PublicKey)
	if err == nil {
		err = checkName(described.Name)
	}
	if err != nil {
		return genesis.Validator{}, fmt.Errorf("%s: %w", path, err)
	}
	return genesis.Validator{PublicKey: key, Power: power, Name: described.Name}, nil
}

func newNewCommand() *cobra.Command {
	var chainID, network, start, out string
	var power int64
	var paid settings.SettlementFlags
	command := &cobra.Command{
		Use:   "new <entry>...",
		Short: "Create a genesis file with the first validators",
		Long: `The file has the chain id, the network, the settlement, the default limits of consensus, and the
validators of the entries. The chain starts at --time; until then nodes wait.`,
		Example: "  makechain genesis new alice.json --chain-id makechain-1 --network mainnet --settlement-chain-id 1 --contract 0x5fbd... \\\n" +
			"    --attesters 3b6a27...=https://a.example,8a88e3...=https://b.example,77c0...=https://c.example --threshold 2 --out genesis.json",
		Args: usage.Args("<entry>..."),
		RunE: func(command *cobra.Command, args []string) error {
			g := &genesis.Genesis{ChainID: chainID, Time: time.Now().UTC().Truncate(time.Second), Consensus: genesis.DefaultConsensus()}
			g.Network = pb.Network(pb.Network_value["NETWORK_"+strings.ToUpper(network)])
			if g.Network == pb.Network_NETWORK_NONE {
				return usage.Errorf(command, "--network: %q is not mainnet, testnet or devnet", network)
			}
			if start != "" {
				at, err := time.Parse(time.RFC3339, start)
				if err != nil {
					return usage.Errorf(command, "--time: %q is not a time such as 2026-03-01T12:00:00Z", start)
				}
				g.Time = at.UTC()
			}
			made, err := paid.Settlement()
			if err != nil {
				return usage.Errorf(command, "%w", err)
			}
			g.Settlement = *made
			if err := add(g, args, power); err != nil {
				return err
			}
			encoded, err := encode(g)
			if err != nil {
				return err
			}
			if err := create(out, encoded); err != nil {
				return err
			}
			return describe(command, &output.Flags{Full: true}, g, encoded)
		},
	}
	flags := command.Flags()
	flags.StringVar(&chainID, "chain-id", "", "id of the chain, which no other network has")
	flags.StringVar(&network, "network", "mainnet", "mainnet, testnet or devnet")
	flags.StringVar(&start, "time", "", "time of the first block, as 2026-03-01T12:00:00Z (default now)")
	flags.Int64Var(&power, "power", defaultPower, "voting power of each validator")
	flags.StringVar(&out, "out", "genesis.json", "the new file")
	paid.Register(flags)
	return command
}

func newAddCommand() *cobra.Command {
	var power int64
	command := &cobra.Command{
		Use:   "add <genesis> <entry>...",
		Short: "Add validators to a genesis file",
		Long: `The result does not depend on the order in which validators are added. A chain that has started cannot be
changed this way: see makechain validator change.`,
		Example: "  makechain genesis add genesis.json bob.json carol.json",
		Args:    usage.Args("<genesis>", "<entry>..."),
		RunE: func(command *cobra.Command, args []string) error {
			g, err := read(args[0])
			if err != nil {
				return err
			}
			if err := add(g, args[1:], power); err != nil {
				return err
			}
			encoded, err := encode(g)
			if err != nil {
				return err
			}
			if err := output.ReplaceFile(args[0], encoded); err != nil {
				return err
			}
			if err := os.Chmod(args[0], publicMode); err != nil {
				return err
			}
			return describe(command, &output.Flags{Full: true}, g, encoded)
		},
	}
	command.Flags().Int64Var(&power, "power", defaultPower, "voting power of each added validator")
	return command
}

func newVerifyCommand() *cobra.Command {
	var flags output.Flags
	command := &cobra.Command{
		Use:   "verify <genesis>",
		Short: "Validate a genesis file and print its hash",
		Long: `All operators compare the hash over a channel that they trust. It is the SHA-256 of the file as a node writes it
to config/genesis.json of its home, whatever the formatting of the file that is verified.`,
		Example: "  makechain genesis verify genesis.json",
		Args:    usage.Args("<genesis>"),
		RunE: func(command *cobra.Command, args []string) error {
			g, err := read(args[0])
			if err != nil {
				return err
			}
			encoded, err := encode(g)
			if err != nil {
				return err
			}
			return describe(command, &flags, g, encoded)
		},
	}
	flags.RegisterJSON(command.Flags())
	return command
}

// add adds validators, in the order of their keys.
func add(g *genesis.Genesis, entries []string, power int64) error {
	for _, path := range entries {
		validator, err := readEntry(path, power)
		if err != nil {
			return err
		}
		for _, before := range g.Validators {
			if before.Name == validator.Name || before.PublicKey == validator.PublicKey {
				return fmt.Errorf("%s: the genesis has validator %s with key %s already", path, before.Name, before.PublicKey)
			}
		}
		g.Validators = append(g.Validators, validator)
	}
	slices.SortFunc(g.Validators, func(a, b genesis.Validator) int { return slices.Compare(a.PublicKey[:], b.PublicKey[:]) })
	return nil
}

// encode validates a genesis and returns its file. Test keys are refused on MAINNET, as by makechain node.
func encode(g *genesis.Genesis) ([]byte, error) {
	if g.Network != pb.Network_NETWORK_DEVNET && len(g.Settlement.Attesters) == 0 {
		return nil, errors.New("genesis: settlement.attesters: is empty, so nobody could have storage")
	}
	if g.Network == pb.Network_NETWORK_MAINNET {
		if err := g.CheckKeys(); err != nil {
			return nil, err
		}
	}
	return comet.EncodeGenesis(g)
}

func read(path string) (*genesis.Genesis, error) {
	content, err := input.ReadFile(path, maxFile)
	if err != nil {
		return nil, err
	}
	g, err := comet.ParseGenesis(content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return g, nil
}

// create writes a new file.
func create(path string, content []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, publicMode)
	if errors.Is(err, os.ErrExist) {
		return usage.Advise(err, "--out with another file, or makechain genesis add to add validators")
	}
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	return errors.Join(err, file.Sync(), file.Close())
}

// hash returns the hash that operators compare.
func hash(encoded []byte) string { return fmt.Sprintf("%x", sha256.Sum256(encoded)) }

// rulesVersion returns the version of the rules with which the chain of a genesis file starts.
func rulesVersion(encoded []byte) (uint64, error) {
	var file struct {
		AppState struct {
			RulesVersion uint64 `json:"rules_version"`
		} `json:"app_state"`
	}
	err := json.Unmarshal(encoded, &file)
	return file.AppState.RulesVersion, err
}
