package testnet

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	pb "makechain/gen/makechain"
	"makechain/internal/cli/usage"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/testnet"
)

// paidStorage has the flags of a network without a faucet.
type paidStorage struct {
	noFaucet          bool
	network, contract string
	chainID           uint64
	attesters         []string
	threshold         int
}

func (s *paidStorage) register(flags *pflag.FlagSet) {
	flags.BoolVar(&s.noFaucet, "no-faucet", false, "storage is paid for on a settlement chain; requires the other flags about it")
	flags.StringVar(&s.network, "network", "devnet", "devnet or testnet; testnet requires --no-faucet")
	flags.Uint64Var(&s.chainID, "settlement-chain-id", 0, "id of the settlement chain")
	flags.StringVar(&s.contract, "contract", "", "address of the settlement contract")
	flags.StringSliceVar(&s.attesters, "attesters", nil, "attesters, as key=URL")
	flags.IntVar(&s.threshold, "threshold", 0, "how many attesters must sign a payment (default more than half)")
}

// apply sets the network and its settlement.
func (s *paidStorage) apply(command *cobra.Command, options *testnet.Options) error {
	switch s.network {
	case "devnet":
		options.Network = pb.Network_NETWORK_DEVNET
	case "testnet":
		options.Network = pb.Network_NETWORK_TESTNET
	case "mainnet":
		return usage.Errorf(command, "--network: the keys of a MAINNET must not be created on one machine")
	default:
		return usage.Errorf(command, "--network: %q is not devnet or testnet", s.network)
	}
	if !s.noFaucet {
		for _, flag := range []string{"settlement-chain-id", "contract", "attesters", "threshold"} {
			if command.Flags().Changed(flag) {
				return usage.Errorf(command, "--%s is for --no-faucet", flag)
			}
		}
		if options.Network != pb.Network_NETWORK_DEVNET {
			return usage.Errorf(command, "--network %s has no faucet: want --no-faucet", s.network)
		}
		return nil
	}
	if s.chainID == 0 || s.contract == "" || len(s.attesters) == 0 {
		return usage.Errorf(command, "--no-faucet requires --settlement-chain-id, --contract and --attesters")
	}
	settlement, err := s.settlement()
	if err == nil {
		err = settlement.Validate(options.Network)
	}
	if err != nil {
		return usage.Errorf(command, "%w", err)
	}
	options.Settlement = settlement
	return nil
}

func (s *paidStorage) settlement() (*ledger.Settlement, error) {
	made := &ledger.Settlement{ChainID: s.chainID, Threshold: s.threshold}
	var err error
	if made.Contract, err = ident.ParseAddress(s.contract); err != nil {
		return nil, fmt.Errorf("--contract: %w", err)
	}
	for _, text := range s.attesters {
		digits, url, hasURL := strings.Cut(text, "=")
		key, err := ident.ParsePublicKey(digits)
		if err != nil || !hasURL || url == "" {
			return nil, fmt.Errorf("--attesters: %q is not key=URL", text)
		}
		made.Attesters = append(made.Attesters, ledger.Attester{Key: key, URL: url})
	}
	if made.Threshold == 0 {
		made.Threshold = len(made.Attesters)/2 + 1
	}
	return made, nil
}
