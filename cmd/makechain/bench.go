package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"makechain/internal/bench"
	"makechain/internal/bench/process"
	"makechain/internal/term"
)

// What a load is like unless somebody says otherwise: enough to tell what a node does, in less than a minute.
const (
	defaultRate     = 2_000
	defaultFor      = 20 * time.Second
	defaultWarmUp   = 3 * time.Second
	defaultBatch    = 100
	defaultAccounts = 1_000
	defaultProjects = 2
)

// benchFlags say whom to measure and how.
type benchFlags struct {
	nodes      []string
	dir        string
	validators int
	load       bench.Load
	options    bench.Options
	reads      map[string]string
	json       bool
	html       string
}

func newBenchCommand() *cobra.Command {
	var given benchFlags
	var mode string
	command := &cobra.Command{
		Use:   "bench",
		Short: "Measure what a node bears",
		Long: `Measure what a node bears: messages are submitted at a fixed rate, whether the node
keeps up or not, and latencies count from when each was due.

Without --nodes a development chain of one validator is started for it, in a temporary
directory, and thrown away afterwards. The messages are signed before the clock starts:
40 % bring commits, 40 % move refs, the rest is everything else. With --rate 0 they are
sent as fast as the node commits them.`,
		Example: "  makechain bench\n  makechain bench --rate 5000 --for 1m --json\n  makechain bench --rate 0 --batch 1",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			switch mode {
			case bench.ModeNode:
				return given.run(command, func(ctx context.Context, b *bench.Bench) (measured, error) { return b.Run(ctx, given.load) })
			case bench.ModePipeline:
				return given.runPipeline(command)
			default:
				return misused(command, "--mode: %q is neither %s nor %s", mode, bench.ModeNode, bench.ModePipeline)
			}
		},
	}
	given.register(command.Flags(), defaultRate, defaultFor)
	command.Flags().StringVar(&mode, "mode", bench.ModeNode, "node; or pipeline, as fast as it goes without consensus and network")
	command.AddCommand(newBenchSweepCommand(), newBenchGrowthCommand(), newBenchSoakCommand(), newBenchQuickCommand())
	return command
}

// register adds the flags of a command that measures at a rate for a time, unless it is told otherwise.
func (f *benchFlags) register(flags *pflag.FlagSet, rate float64, duration time.Duration) {
	flags.StringSliceVar(&f.nodes, "nodes", nil, "nodes of a development chain to measure, as host:port (default one of its own)")
	flags.StringVar(&f.dir, "dir", "", "directory to work in, on the disk that is to be measured (default a temporary one)")
	flags.IntVar(&f.validators, "validators", 1, "validators of a chain of its own")
	flags.Float64Var(&f.load.Rate, "rate", rate, "messages due in a second (0 sends as fast as they commit)")
	flags.DurationVar(&f.load.For, "for", duration, "how long to measure")
	flags.DurationVar(&f.load.WarmUp, "warm-up", defaultWarmUp, "how long to send before that")
	flags.IntVar(&f.load.Batch, "batch", defaultBatch, "messages of a call, 1 to 100")
	flags.IntVar(&f.options.Accounts, "accounts", defaultAccounts, "accounts that send")
	flags.IntVar(&f.options.Projects, "projects", defaultProjects, "projects of each")
	flags.Uint64Var(&f.options.Rows, "rows", 0, "rows that the state is filled to first")
	flags.StringToStringVar(&f.reads, "reads", nil, "reads in a second beside the writes: point=5000,list=50,proof=100")
	flags.StringVar(&f.options.Profile, "profile", "", "directory for profiles of the node's processor and memory")
	flags.StringVar(&f.options.Protocol, "protocol", bench.ProtocolConnect, "connect over HTTP/1.1, or grpc")
	flags.Uint64Var(&f.options.Seed, "seed", 1, "what accounts and messages follow from; another one for each run on the same chain")
	flags.BoolVar(&f.json, "json", false, "print one JSON object")
	flags.StringVar(&f.html, "html", "", "file for a page with plots")
}

// parseReads makes rates of --reads.
func (f *benchFlags) parseReads(command *cobra.Command) error {
	f.load.Reads = map[bench.ReadKind]float64{}
	for kind, rate := range f.reads {
		if !slices.Contains(bench.ReadKinds(), bench.ReadKind(kind)) {
			return misused(command, "--reads: %q is none of point, list and proof", kind)
		}
		perSecond, err := strconv.ParseFloat(rate, 64)
		if err != nil || perSecond < 0 {
			return misused(command, "--reads: %q reads in a second", rate)
		}
		f.load.Reads[bench.ReadKind(kind)] = perSecond
	}
	return nil
}

// measuring is one of the things a bench can do.
type measuring func(context.Context, *bench.Bench) (measured, error)

// run measures and prints what came of it.
func (f *benchFlags) run(command *cobra.Command, measure measuring) error {
	if err := f.parseReads(command); err != nil {
		return err
	}
	result, err := f.measure(command, measure)
	if err != nil {
		return err
	}
	return f.print(command, result)
}

// measure has a bench ready, with nodes of its own if need be, and cleans up after it.
func (f *benchFlags) measure(command *cobra.Command, measure measuring) (result measured, err error) {
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
	if len(f.nodes) == 0 {
		network, err := f.start(command.Context(), filepath.Join(dir, "net"))
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, network.Stop()) }()
		options.Nodes = network.Nodes
	}
	b, err := bench.Open(command.Context(), options)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	return measure(command.Context(), b)
}

func (f *benchFlags) optionsIn(dir string, progress *term.Progress) bench.Options {
	options := f.options
	options.Dir, options.Version, options.Progress = dir, programVersion(), progress.Set
	return options
}

func (f *benchFlags) start(ctx context.Context, dir string) (*process.Network, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	options := process.Options{Program: program, Dir: dir, Validators: f.validators}
	if f.options.Profile != "" {
		options.Flags = append(options.Flags, "--profiles")
	}
	return process.Start(ctx, options)
}

// measured is what came of it.
type measured interface {
	Print(p *term.Printer)
	HTML(out io.Writer) error
}

func (f *benchFlags) print(command *cobra.Command, result measured) error {
	if err := f.writePage(result); err != nil {
		return err
	}
	out := command.OutOrStdout()
	if f.json {
		return json.NewEncoder(out).Encode(result)
	}
	p := term.New(out, term.Options{Colour: term.Colourful(out)})
	result.Print(p)
	return p.Err()
}

func (f *benchFlags) writePage(result measured) error {
	if f.html == "" {
		return nil
	}
	file, err := os.Create(f.html)
	if err != nil {
		return err
	}
	return errors.Join(result.HTML(file), file.Close())
}
