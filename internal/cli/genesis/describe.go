package genesis

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	pb "makechain/gen/makechain"
	"makechain/internal/cli/output"
	"makechain/internal/genesis"
	"makechain/internal/term"
)

// description is a genesis in JSON. Integers of 64 bits are strings, as in REST.
type description struct {
	Hash         string      `json:"hash"`
	ChainID      string      `json:"chain_id"`
	Network      string      `json:"network"`
	Time         time.Time   `json:"time"`
	RulesVersion uint64      `json:"rules_version"`
	Settlement   settlement  `json:"settlement"`
	Validators   []validator `json:"validators"`
	Warnings     []string    `json:"warnings"`
}

type settlement struct {
	ChainID   uint64     `json:"chain_id"`
	Contract  string     `json:"contract"`
	Threshold int        `json:"threshold"`
	Attesters []attester `json:"attesters"`
}

type attester struct {
	PublicKey string `json:"public_key"`
	URL       string `json:"url"`
}

type validator struct {
	Name      string  `json:"name"`
	PublicKey string  `json:"public_key"`
	Power     string  `json:"power"`
	Share     float64 `json:"share"` // of the voting power, 0 to 1
}

// describe prints a genesis and its hash.
func describe(command *cobra.Command, flags *output.Flags, g *genesis.Genesis, encoded []byte) error {
	network := strings.ToLower(strings.TrimPrefix(g.Network.String(), "NETWORK_"))
	rules, err := rulesVersion(encoded)
	if err != nil {
		return err
	}
	d := &description{
		Hash: hash(encoded), ChainID: g.ChainID, Network: network, Time: g.Time, RulesVersion: rules,
		Settlement: settlement{
			ChainID: g.Settlement.ChainID, Contract: g.Settlement.Contract.String(), Threshold: g.Settlement.Threshold, Attesters: []attester{},
		},
		Warnings: warnings(g),
	}
	for _, one := range g.Settlement.Attesters {
		d.Settlement.Attesters = append(d.Settlement.Attesters, attester{one.Key.String(), one.URL})
	}
	total := totalPower(g)
	for _, one := range g.Validators {
		d.Validators = append(d.Validators, validator{
			one.Name, one.PublicKey.String(), strconv.FormatInt(one.Power, 10), float64(one.Power) / float64(total),
		})
	}
	return flags.PrintValue(command, d, d.write)
}

func (d *description) write(p *term.Printer) {
	p.Facts(
		term.Fact{Label: "chain", Value: d.ChainID + ", " + d.Network},
		term.Fact{Label: "starts", Value: d.Time.Format(time.RFC3339)},
		term.Fact{Label: "rules", Value: "version " + strconv.FormatUint(d.RulesVersion, 10)},
		term.Fact{Label: "settlement", Value: fmt.Sprintf("contract %s of chain %d, %d of %d attesters", d.Settlement.Contract, d.Settlement.ChainID,
			d.Settlement.Threshold, len(d.Settlement.Attesters))},
	)
	attesters := p.Table("attester", "URL")
	for _, one := range d.Settlement.Attesters {
		attesters.Row(one.PublicKey, term.Text(one.URL))
	}
	attesters.Print("no attesters")
	validators := p.Table("validator", "power", "share", "key")
	for _, one := range d.Validators {
		validators.Row(term.Text(one.Name), one.Power, fmt.Sprintf("%.1f %%", 100*one.Share), one.PublicKey)
	}
	validators.Print("")
	for _, text := range d.Warnings {
		p.Line("warning: %s", text)
	}
	p.Line("hash: %s", d.Hash)
}

func totalPower(g *genesis.Genesis) (total int64) {
	for _, one := range g.Validators {
		total += one.Power
	}
	return total
}

// warnings returns what is allowed but not wanted in a network of several operators.
func warnings(g *genesis.Genesis) []string {
	all := []string{}
	for _, one := range g.Validators {
		if share := float64(one.Power) / float64(totalPower(g)); share >= 1.0/3 {
			all = append(all, term.Text(one.Name)+" has a third of the voting power or more: without it the chain stops")
		}
	}
	if count := len(g.Settlement.Attesters); count > 0 && g.Settlement.Threshold <= count/2 {
		all = append(all, "the threshold is not more than half of the attesters")
	}
	for _, one := range g.Settlement.Attesters {
		if one.URL == "" && g.Network != pb.Network_NETWORK_DEVNET {
			all = append(all, fmt.Sprintf("attester %s has no URL, so no program collects its signatures", one.Key))
		}
	}
	return all
}
