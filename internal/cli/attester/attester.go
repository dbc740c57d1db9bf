// Package attester has the commands of an attester of payments for storage.
package attester

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"makechain/internal/attester"
	"makechain/internal/cli/settings"
	"makechain/internal/cli/usage"
	"makechain/internal/contentserver"
	"makechain/internal/evm"
	"makechain/internal/ident"
	"makechain/internal/keystore"
	"makechain/internal/rest"
	"makechain/internal/server"
	"makechain/internal/settlement"
)

const (
	// defaultHome is the default directory of an attester.
	defaultHome = "makechain-attester"
	// defaultListen is the default address to serve on.
	defaultListen = "localhost:8070"
	// keyFile and dataDir are names in the directory.
	keyFile = "attester_key.hex"
	dataDir = "data"
	// minProviders is how many providers have to agree, without --single-provider.
	minProviders = 2
	// maxProviders bounds the work of a scan.
	maxProviders = 8
)

type flags struct {
	home, genesis, listen   string
	node                    string
	providers               []string
	single                  bool
	fromBlock, rescanBlocks uint64
	poll                    time.Duration
	signer, signerKey       string
	serving                 settings.ServerFlags
	logs                    settings.LogFlags
}

// New returns the command attester.
func New() *cobra.Command {
	var f flags
	command := &cobra.Command{
		Use:   "attester",
		Short: "Sign payments for storage that were made on an EVM chain",
		Long: `The attester reads the payments of the settlement contract that the genesis names, in finalized
blocks only, and signs those on which all RPC providers agree. It serves the signatures over
HTTP; whoever collects enough of them claims the storage: makechain storage claim.

With --node it follows changes of the settlement, verified from the genesis on: it signs for the
contract in force, and only while its key is one of the attesters in force.

While a provider fails, lags, disagrees or serves another chain, new payments are not signed.
The reason is at /status, in the metrics and in the log.`,
		Example: `  makechain attester key --home att
  makechain attester --home att --genesis genesis.json --node node.example:50051 --rpc https://one.example --rpc https://two.example`,
		Args: cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error { return f.run(command) },
	}
	set := command.Flags()
	set.StringVar(&f.home, "home", defaultHome, "directory of the key and of the payments that were read")
	set.StringVar(&f.genesis, "genesis", "", "genesis file of the Makechain network (required)")
	set.StringVar(&f.node, "node", "", "node of the Makechain network, host:port or https://host, from which the settlement in force is read; "+
		"without it that of the genesis file is used, even after the validators have changed it")
	set.StringArrayVar(&f.providers, "rpc", nil, "URL of a JSON-RPC provider of the settlement chain; at least two, which have to agree")
	set.BoolVar(&f.single, "single-provider", false, "trust a single provider: if it lies, payments are signed that were not made")
	set.Uint64Var(&f.fromBlock, "from-block", 0, "first block to read: the one in which the contract was deployed, or an earlier one")
	set.Uint64Var(&f.rescanBlocks, "rescan-blocks", attester.DefaultRescanBlocks, "finalized blocks that are read again every day")
	set.DurationVar(&f.poll, "poll", attester.DefaultPoll, "how often the providers are asked for new finalized blocks")
	set.StringVar(&f.signer, "signer", "", "program that signs instead of the key in the directory; it reads a JSON line and prints the signature")
	set.StringVar(&f.signerKey, "signer-key", "", "public key of the program that signs")
	set.StringVar(&f.listen, "listen", defaultListen, "address to serve on")
	f.serving.Register(set)
	f.logs.Register(set)
	command.AddCommand(newKeyCommand())
	return command
}

func newKeyCommand() *cobra.Command {
	var home string
	command := &cobra.Command{
		Use:     "key",
		Short:   "Print the public key of an attester, and create the key if there is none",
		Example: "  makechain attester key --home att",
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			if err := os.MkdirAll(home, 0o700); err != nil {
				return err
			}
			key, err := loadKey(home)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(command.OutOrStdout(), key.Key())
			return err
		},
	}
	command.Flags().StringVar(&home, "home", defaultHome, "directory of the attester")
	return command
}

// loadKey reads the key of a directory, which only its owner may be able to read, or creates it.
func loadKey(home string) (*settlement.Attester, error) {
	path := filepath.Join(home, keyFile)
	info, err := os.Stat(path)
	if err == nil {
		err = keystore.CheckPrivate(path, info)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return settlement.LoadAttester(path, rand.Reader)
}

// check checks the flags.
func (f *flags) check(command *cobra.Command) error {
	switch {
	case f.genesis == "":
		return usage.Errorf(command, "--genesis is required: the genesis file of the Makechain network")
	case len(f.providers) == 0:
		return usage.Errorf(command, "--rpc is required, twice: the URLs of two JSON-RPC providers of the settlement chain")
	case len(f.providers) < minProviders && !f.single:
		return usage.Errorf(command, "one --rpc provider would have to be trusted: add another --rpc, or --single-provider")
	case len(f.providers) > maxProviders:
		return usage.Errorf(command, "--rpc: %d providers, at most %d", len(f.providers), maxProviders)
	case (f.signer == "") != (f.signerKey == ""):
		return usage.Errorf(command, "--signer and --signer-key need each other")
	case f.poll <= 0:
		return usage.Errorf(command, "--poll: %v is not positive", f.poll)
	case f.rescanBlocks == 0:
		return usage.Errorf(command, "--rescan-blocks: at least 1")
	}
	for i, url := range f.providers {
		if slices.Contains(f.providers[:i], url) {
			return usage.Errorf(command, "--rpc: provider %d has the URL of another one", i+1)
		}
	}
	return nil
}

// newSigner returns the signer that the flags name.
func (f *flags) newSigner(command *cobra.Command) (attester.Signer, error) {
	if f.signer == "" {
		return loadKey(f.home)
	}
	key, err := ident.ParsePublicKey(f.signerKey)
	if err != nil {
		return nil, usage.Errorf(command, "--signer-key: %w", err)
	}
	return attester.CommandSigner{Command: f.signer, PublicKey: key}, nil
}

func (f *flags) run(command *cobra.Command) error {
	if err := f.check(command); err != nil {
		return err
	}
	log, err := f.logs.Logger(command.ErrOrStderr())
	if err != nil {
		return err
	}
	read, disconnect, err := f.settlement(command)
	if err != nil {
		return err
	}
	defer disconnect()
	if err := os.MkdirAll(f.home, 0o700); err != nil {
		return err
	}
	lock, err := contentserver.LockDir(f.home)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Close() }() // the process ends
	signer, err := f.newSigner(command)
	if err != nil {
		return err
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	config := attester.Config{
		Dir: filepath.Join(f.home, dataDir), Settlement: read, Signer: signer,
		FromBlock: f.fromBlock, RescanBlocks: f.rescanBlocks, Poll: f.poll, Now: time.Now, Log: log, Registerer: registry,
	}
	for i, url := range f.providers {
		client, err := evm.Dial(url, 0)
		if err != nil {
			return usage.Errorf(command, "--rpc: provider %d: %w", i+1, err)
		}
		defer client.Close()
		config.Providers = append(config.Providers, client)
	}
	return f.serve(command, config, registry)
}

// serve runs the attester and its server until the context of the command is done.
func (f *flags) serve(command *cobra.Command, config attester.Config, registry *prometheus.Registry) error {
	server.SetMemoryLimit(int64(f.serving.Memory))
	a, err := attester.New(config)
	if err != nil {
		return err
	}
	serving := f.serving.Server()
	serving.Addr, serving.Log, serving.Registerer, serving.WriteError = f.listen, config.Log, registry, rest.WriteError
	served, err := server.New(serving, a.Mounts(registry, serving.Limits.LimitLoopback)...)
	if err != nil {
		return settings.AdviseOnPorts(err, "another port: --listen localhost:8071")
	}
	scheme := "http"
	if serving.Secure() {
		scheme = "https"
	}
	group, ctx := errgroup.WithContext(command.Context())
	group.Go(func() error { return a.Run(ctx) })
	group.Go(func() error { return served.Serve(ctx) })
	described := "not known yet"
	found, err := config.Settlement(ctx)
	if err == nil {
		described = fmt.Sprintf("chain %d, contract %s", found.Domain.SettlementChainID, found.Domain.Contract)
	}
	_, err = fmt.Fprintf(command.OutOrStdout(), "chain       %s\nsettlement  %s\nattester    %s\nserving     %s://%s\nstop        Ctrl-C\n",
		found.Domain.ChainID, described, config.Signer.Key(), scheme, served.Addr())
	return errors.Join(err, group.Wait())
}
