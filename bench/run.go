package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"makechain/bench/loadtest"
	"makechain/bench/model"
	"makechain/bench/process"
	"makechain/internal/limit"
	"makechain/internal/term"
)

// flags are the nodes to measure, the load and the form of the result.
type flags struct {
	nodes      []string
	program    string
	dir        string
	validators int
	followers  int
	delay      time.Duration
	regions    []string
	load       loadtest.Load
	options    loadtest.Options
	reads      map[string]string
	json       bool
	html       string

	home      string
	fill      uint64
	nodeFlags []string
	chain     *chain // of measure; nil with --nodes
}

// register adds the flags of a command that measures, with its defaults for rate and duration.
func (f *flags) register(set *pflag.FlagSet, rate float64, duration time.Duration) {
	set.StringSliceVar(&f.nodes, "nodes", nil, "nodes of a development chain to measure, as host:port (default: start one)")
	set.StringVar(&f.program, "program", "", "makechain program to start (default: build it)")
	set.StringVar(&f.dir, "dir", "", "directory for temporary files, on the disk to measure (default: the system's)")
	set.IntVar(&f.validators, "validators", 1, "validators of the chain to start")
	set.IntVar(&f.followers, "followers", 0, "followers of the chain to start, to which the reads are sent")
	set.DurationVar(&f.delay, "delay", -1, "one-way latency between any two nodes; 0s counts bytes only (default: no proxies)")
	set.StringSliceVar(&f.regions, "regions", nil, "regions of the nodes, in turn, whose latencies delay messages: see model --help")
	set.Float64Var(&f.load.Rate, "rate", rate, "messages per second (0: as fast as they commit)")
	set.DurationVar(&f.load.For, "for", duration, "how long to measure")
	set.DurationVar(&f.load.WarmUp, "warm-up", defaultWarmUp, "how long to send before that")
	set.IntVar(&f.load.Batch, "batch", defaultBatch, fmt.Sprintf("messages per call, 1 to %d", limit.MaxBatch))
	set.IntVar(&f.options.Accounts, "accounts", defaultAccounts, "accounts that send messages")
	set.IntVar(&f.options.Projects, "projects", defaultProjects, "projects per account")
	set.Uint64Var(&f.options.Rows, "rows", 0, "rows that the state has before the load")
	set.Uint64Var(&f.fill, "fill", 0, "rows that are written straight into the state before the first start, without messages")
	set.StringVar(&f.home, "home", "", "directory of the chain, which is kept and continues in the next run (default: a temporary one)")
	set.StringSliceVar(&f.nodeFlags, "node-flags", nil, "flags of makechain node, such as --snapshot-every=0")
	set.StringToStringVar(&f.reads, "reads", nil, "reads per second beside the writes: point=5000,list=50,proof=100")
	set.StringVar(&f.options.Profile, "profile", "", "directory for CPU and heap profiles of the nodes")
	set.StringVar(&f.options.Protocol, "protocol", loadtest.ProtocolConnect, "connect (over HTTP/1.1) or grpc")
	set.Uint64Var(&f.options.Seed, "seed", 1, "seed of accounts and messages; use another one for each run on the same chain")
	set.BoolVar(&f.json, "json", false, "print one JSON object")
	set.StringVar(&f.html, "html", "", "file for an HTML page with plots")
}

// hide removes a flag from the help of a command that sets its value itself.
func hide(command *cobra.Command, name string) { command.Flags().Lookup(name).Hidden = true }

// parseReads converts --reads to rates.
func (f *flags) parseReads() error {
	f.load.Reads = map[loadtest.ReadKind]float64{}
	for kind, rate := range f.reads {
		if !slices.Contains(loadtest.ReadKinds(), loadtest.ReadKind(kind)) {
			return fmt.Errorf("--reads: unknown kind %q, want point, list or proof", kind)
		}
		perSecond, err := strconv.ParseFloat(rate, 64)
		if err != nil || perSecond < 0 {
			return fmt.Errorf("--reads: %q is not a rate", rate)
		}
		f.load.Reads[loadtest.ReadKind(kind)] = perSecond
	}
	return nil
}

// printable is a result of any command.
type printable interface {
	Print(p *term.Printer)
	HTML(out io.Writer) error
}

// measurement is what a command does with a generator.
type measurement func(context.Context, *loadtest.Generator) (printable, error)

// run measures and prints the result.
func (f *flags) run(command *cobra.Command, measure measurement) error {
	if err := f.parseReads(); err != nil {
		return err
	}
	result, err := f.measure(command, measure)
	if err != nil {
		return err
	}
	return f.print(command, result)
}

// measure opens a generator, starting nodes unless --nodes names some, and removes all files afterwards.
func (f *flags) measure(command *cobra.Command, measure measurement) (result printable, err error) {
	dir, err := os.MkdirTemp(f.dir, "makechain-bench-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	progress := term.StartProgress(command.ErrOrStderr(), "starting")
	defer progress.Stop()
	options := f.optionsIn(dir, progress)
	for _, address := range f.nodes {
		options.Nodes = append(options.Nodes, process.Node{Address: address})
	}
	if len(f.nodes) > 0 && (f.fill > 0 || f.home != "" || len(f.nodeFlags) > 0) {
		return nil, errors.New("--fill, --home and --node-flags are for a chain that this command starts: omit --nodes")
	}
	if len(f.nodes) == 0 {
		if f.chain, err = f.start(command.Context(), dir, progress.Set); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, f.chain.network.Stop()) }()
		network := f.chain.network
		options.Nodes, options.NetworkBytes, options.Delay = network.Nodes, network.Bytes, f.describeDelay()
	}
	g, err := loadtest.Open(command.Context(), options)
	if err != nil {
		return nil, err
	}
	defer g.Close()
	return measure(command.Context(), g)
}

func (f *flags) optionsIn(dir string, progress *term.Progress) loadtest.Options {
	options := f.options
	options.Dir, options.Progress = dir, progress.Set
	return options
}

// delays returns the latencies between nodes, nil if there are none.
func (f *flags) delays() (process.Delay, error) {
	switch {
	case len(f.regions) > 0:
		placed, err := model.Place(f.regions, f.validators+f.followers)
		if err != nil {
			return nil, fmt.Errorf("--regions: %w", err)
		}
		return placed.Delay, nil
	case f.delay >= 0:
		return func(int, int) time.Duration { return f.delay }, nil
	default:
		return nil, nil
	}
}

func (f *flags) describeDelay() string {
	switch {
	case len(f.regions) > 0:
		return "in " + strings.Join(f.regions, ", ")
	case f.delay > 0:
		return f.delay.String() + " apart"
	default:
		return ""
	}
}

// print writes the page of a result if --html is set, and the result as text or JSON.
func (f *flags) print(command *cobra.Command, result printable) error {
	if f.html != "" {
		file, err := os.Create(f.html)
		if err != nil {
			return err
		}
		if err := errors.Join(result.HTML(file), file.Close()); err != nil {
			return err
		}
	}
	out := command.OutOrStdout()
	if f.json {
		return json.NewEncoder(out).Encode(result)
	}
	p := term.New(out, term.Options{Colour: term.Colourful(out)})
	result.Print(p)
	return p.Err()
}
