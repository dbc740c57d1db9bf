package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"makechain/bench/model"
	"makechain/internal/term"
)

// Defaults of the machines of the model.
const (
	defaultCores    = 8
	defaultMegabits = 1_000
	defaultPeers    = 20
)

// modelFlags are the networks to compute.
type modelFlags struct {
	validators []int
	regions    []string
	delay      time.Duration
	peers      int
	cores      float64
	megabits   float64
}

func newModelCommand() *cobra.Command {
	var given modelFlags
	command := &cobra.Command{
		Use:   "model",
		Short: "Compute block time and capacity of larger networks",
		Long: `Compute block time and capacity of networks of several machines, from costs that were measured
on one and latencies between regions. Nothing is measured. The regions are
` + strings.Join(model.Regions(), ", ") + `;
world stands for all of them. Without --regions and --delay the table has one region, four
regions around the Atlantic, and the world.`,
		Example: "  go run -C bench . model\n  go run -C bench . model --validators 20 --regions ireland,frankfurt,virginia\n" +
			"  go run -C bench . model --validators 4,7 --delay 50ms",
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error { return given.print(command) },
	}
	set := command.Flags()
	set.IntSliceVar(&given.validators, "validators", []int{4, 20, 100}, "numbers of validators")
	set.StringSliceVar(&given.regions, "regions", nil, "regions of the validators, in turn")
	set.DurationVar(&given.delay, "delay", -1, "one-way latency between any two validators, instead of regions")
	set.IntVar(&given.peers, "peers", defaultPeers, "peers of each validator")
	set.Float64Var(&given.cores, "cores", defaultCores, "cores of each validator")
	set.Float64Var(&given.megabits, "bandwidth", defaultMegabits, "bandwidth of each validator in Mbit/s")
	return command
}

// print computes all networks and prints a table.
func (f *modelFlags) print(command *cobra.Command) error {
	p := term.New(command.OutOrStdout(), term.Options{})
	table := p.Table("validators", "latency", "block", "readable", "by CPU", "by block size", "by bandwidth", "limit")
	for _, regions := range f.placements() {
		for _, validators := range f.validators {
			network, name, err := f.network(validators, regions)
			if err != nil {
				return err
			}
			costs := model.Default()
			r := costs.Compute(network)
			rate, by := r.Limit()
			table.Row(strconv.Itoa(validators), name, milliseconds(r.Block), milliseconds(r.Readable), perSecond(r.ByCPU), perSecond(r.ByBlock),
				perSecond(r.ByNetwork), perSecond(rate)+" by "+by)
		}
	}
	table.Print("no networks")
	return p.Err()
}

// placements returns the regions of each group of rows, nil for one with a fixed latency.
func (f *modelFlags) placements() [][]string {
	switch {
	case f.delay >= 0:
		return [][]string{nil}
	case len(f.regions) > 0:
		return [][]string{f.regions}
	default:
		return [][]string{{"frankfurt"}, {"virginia", "ireland", "frankfurt", "oregon"}, {model.World}}
	}
}

// network returns a network and how its latencies are printed.
func (f *modelFlags) network(validators int, regions []string) (*model.Network, string, error) {
	if validators < 1 || validators > maxModelValidators || f.peers < 2 || f.cores <= 0 || f.megabits <= 0 {
		return nil, "", fmt.Errorf("want 1 to %d --validators, at least 2 --peers, and positive --cores and --bandwidth", maxModelValidators)
	}
	network := &model.Network{Validators: validators, Peers: f.peers, Cores: f.cores, Bandwidth: f.megabits * 1e6 / 8}
	if regions == nil {
		network.Delay = func(int, int) time.Duration { return f.delay }
		return network, f.delay.String(), nil
	}
	placed, err := model.Place(regions, validators)
	if err != nil {
		return nil, "", fmt.Errorf("--regions: %w", err)
	}
	network.Delay = placed.Delay
	name := placed.Name
	if len(regions) > 2 {
		name = fmt.Sprintf("%d regions", len(regions))
	}
	return network, name, nil
}

// maxModelValidators bounds the time of a computation.
const maxModelValidators = 300

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.0f ms", float64(d)/float64(time.Millisecond))
}

func perSecond(rate float64) string { return fmt.Sprintf("%.0f/s", rate) }
