package settings

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"makechain/internal/ident"
	"makechain/internal/ledger"
)

// SettlementFlags describe the settlement of a new network.
type SettlementFlags struct {
	contract  string
	chainID   uint64
	attesters []string
	threshold int
}

// Register adds the flags.
func (s *SettlementFlags) Register(flags *pflag.FlagSet) {
	flags.Uint64Var(&s.chainID, "settlement-chain-id", 0, "id of the settlement chain")
	flags.StringVar(&s.contract, "contract", "", "address of the settlement contract")
	flags.StringSliceVar(&s.attesters, "attesters", nil, "attesters, as key=URL")
	flags.IntVar(&s.threshold, "threshold", 0, "how many attesters must sign a payment (default more than half)")
}

// Settlement returns the settlement. All flags but the threshold are required.
func (s *SettlementFlags) Settlement() (*ledger.Settlement, error) {
	if s.chainID == 0 || s.contract == "" || len(s.attesters) == 0 {
		return nil, errors.New("--settlement-chain-id, --contract and --attesters are required")
	}
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
