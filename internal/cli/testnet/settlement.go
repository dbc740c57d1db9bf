package testnet

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	pb "makechain/gen/makechain"
	"makechain/internal/cli/settings"
	"makechain/internal/cli/usage"
	"makechain/internal/testnet"
)

// paidStorage has the flags of a network without a faucet.
type paidStorage struct {
	settings.SettlementFlags

	noFaucet bool
	network  string
}

func (s *paidStorage) register(flags *pflag.FlagSet) {
	flags.BoolVar(&s.noFaucet, "no-faucet", false, "storage is paid for on a settlement chain; requires the other flags about it")
	flags.StringVar(&s.network, "network", "devnet", "devnet or testnet; testnet requires --no-faucet")
	s.Register(flags)
}

// apply sets the network and its settlement.
func (s *paidStorage) apply(command *cobra.Command, options *testnet.Options) error {
	switch s.network {
	case "devnet":
		options.Network = pb.Network_NETWORK_DEVNET
	case "testnet":
		options.Network = pb.Network_NETWORK_TESTNET
	case "mainnet":
		return usage.Errorf(command, "--network: the keys of a MAINNET must not be created on one machine; makechain genesis creates one")
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
	settlement, err := s.Settlement()
	if err == nil {
		err = settlement.Validate(options.Network)
	}
	if err != nil {
		return usage.Errorf(command, "%w", err)
	}
	options.Settlement = settlement
	return nil
}
