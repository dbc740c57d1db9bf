// Package settings has the flags of nodes and gateways, which can also be set by the configuration file of a home.
package settings

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"

	"github.com/BurntSushi/toml"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"makechain/client"
	"makechain/internal/cli/connection"
	"makechain/internal/cli/usage"
	"makechain/internal/comet"
	"makechain/internal/gateway"
	"makechain/internal/node"
	"makechain/internal/server"
)

const treeRowsFlag = "tree-rows"

// NodeFlags are the flags of a node. Each flag but --home is also a key of the configuration file.
type NodeFlags struct {
	Home string
	GRPC string

	config  node.Config
	serving ServerFlags
	sync    stateSyncFlags
	content ContentFlags
	logs    LogFlags
}

// Register adds the flags to a command.
func (n *NodeFlags) Register(flags *pflag.FlagSet) {
	config := &n.config
	flags.StringVar(&n.Home, HomeFlag, node.DefaultHome, "directory of keys, configuration and data")
	flags.StringVar(&config.Genesis, "genesis", "", "genesis file of the chain to join (default that of the home)")
	flags.StringVar(&n.GRPC, "grpc-addr", client.DefaultTarget, "address for gRPC, gRPC-web and Connect")
	flags.StringVar(&config.RESTAddr, "rest-addr", gateway.DefaultAddr, "address for REST; '' for none")
	n.serving.Register(flags)
	flags.StringVar(&config.MetricsAddr, metricsFlag, "", "address for Prometheus metrics (default off)")
	flags.BoolVar(&config.Profiles, "profiles", false, "serve pprof profiles with the metrics, on loopback addresses only")
	flags.StringVar(&config.P2PAddr, "p2p-addr", node.DefaultP2P, "address for other nodes")
	flags.StringSliceVar(&config.Peers, "peers", nil, "persistent peers, as id@host:port")
	flags.IntVar(&config.PeersPerHost, "peers-per-host", 0,
		fmt.Sprintf("inbound peers of one host (default %d outside this machine and private networks)", comet.DefaultPeersPerHost))
	n.sync.register(flags)
	flags.DurationVar(&config.BlockInterval, "block-interval", comet.DefaultBlockInterval, "pause between blocks")
	flags.DurationVar(&config.Heartbeat, "heartbeat", comet.DefaultHeartbeat, "time after which an idle validator proposes an empty block (0 for never)")
	flags.Uint64Var(&config.SnapshotEvery, "snapshot-every", node.DefaultSnapshotEvery, "blocks between two snapshots of the state (0 takes none)")
	flags.Uint64Var(&config.RetainBlocks, "retain-blocks", 0,
		fmt.Sprintf("newest blocks to keep, at least %d and three times --snapshot-every (0 keeps all)", node.MinRetainBlocks))
	flags.IntVar(&config.TreeRows, treeRowsFlag, node.DefaultTreeRows,
		"rows of the state tree that are kept in memory, 80 bytes each; the other parts of the tree are in files")
	flags.BoolVar(&config.Faucet, faucetFlag, true, "grant storage to everyone, on DEVNET only")
	flags.StringVar(&config.Content.Mode, contentFlag, node.ContentAuto,
		"store and serve git content: on, off or auto, which is on except in validators of TESTNET and MAINNET")
	flags.StringVar(&config.Content.Dir, ContentDirFlag, "", "directory of content (default content in the home)")
	n.content.Register(flags)
	n.logs.Register(flags)
}

// Config returns the configuration that the flags, the environment and the file of the home describe.
func (n *NodeFlags) Config(command *cobra.Command) (node.Config, error) {
	if err := FromFile(command, n.Home); err != nil {
		return node.Config{}, err
	}
	log, err := n.logs.Logger(command.ErrOrStderr())
	if err != nil {
		return node.Config{}, err
	}
	config := n.config
	config.Home, config.Log, config.Version = n.Home, log, Version()
	config.GRPC, config.MemoryLimit = n.serving.Server(), int64(n.serving.Memory)
	config.GRPC.Addr = n.GRPC
	n.content.apply(&config.Content)
	if err := checkContentMode(config.Content.Mode); err != nil {
		return node.Config{}, usage.Errorf(command, "--content: %w", err)
	}
	if err := n.content.Check(); err != nil {
		return node.Config{}, usage.Errorf(command, "%w", err)
	}
	if config.StateSync, err = n.sync.stateSync(config.Peers); err != nil {
		return node.Config{}, usage.Errorf(command, "%w", err)
	}
	if err := node.CheckRetain(config.RetainBlocks, config.SnapshotEvery); err != nil {
		return node.Config{}, usage.Errorf(command, "--retain-blocks: %w", err)
	}
	if err := n.checkTreeRows(); err != nil {
		return node.Config{}, usage.Errorf(command, "--%s: %w", treeRowsFlag, err)
	}
	if err := n.checkProfiles(); err != nil {
		return node.Config{}, usage.Errorf(command, "--profiles: %w", err)
	}
	if err := errors.Join(n.checkNetwork(command)...); err != nil {
		return node.Config{}, &usage.Error{Err: err}
	}
	return config, nil
}

func (n *NodeFlags) checkProfiles() error {
	if n.config.Profiles && n.config.MetricsAddr == "" {
		return errors.New("profiles are served with the metrics, so --metrics-addr is required")
	}
	return nil
}

func (n *NodeFlags) checkTreeRows() error {
	if n.config.TreeRows < 1 {
		return fmt.Errorf("%d, want at least 1", n.config.TreeRows)
	}
	return nil
}

// Check returns the errors that would keep a node with these flags from starting, as far as they can be found without
// starting it.
func (n *NodeFlags) Check(command *cobra.Command) []error {
	var faults []error
	note := func(flag string, err error) {
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", usage.Source(command.Flags().Lookup(flag)), err))
		}
	}
	for _, addr := range []struct{ flag, value string }{
		{"grpc-addr", n.GRPC}, {"rest-addr", n.config.RESTAddr}, {metricsFlag, n.config.MetricsAddr}, {"p2p-addr", n.config.P2PAddr},
	} {
		if addr.value == "" && addr.flag != "grpc-addr" && addr.flag != "p2p-addr" {
			continue // off
		}
		_, err := net.ResolveTCPAddr("tcp", addr.value)
		note(addr.flag, err)
	}
	for _, peer := range n.config.Peers {
		note("peers", checkPeer(peer))
	}
	if _, err := n.sync.stateSync(n.config.Peers); err != nil {
		faults = append(faults, err)
	}
	note("profiles", n.checkProfiles())
	note(contentFlag, checkContentMode(n.config.Content.Mode))
	if err := n.content.Check(); err != nil {
		faults = append(faults, err)
	}
	note("retain-blocks", node.CheckRetain(n.config.RetainBlocks, n.config.SnapshotEvery))
	note(treeRowsFlag, n.checkTreeRows())
	if n.config.PeersPerHost < 0 {
		note("peers-per-host", fmt.Errorf("%d is negative", n.config.PeersPerHost))
	}
	if n.config.BlockInterval <= 0 {
		note("block-interval", fmt.Errorf("%s is not a positive duration", n.config.BlockInterval))
	}
	if n.config.Heartbeat < 0 {
		note("heartbeat", fmt.Errorf("%s is negative", n.config.Heartbeat))
	}
	_, err := n.logs.Logger(command.ErrOrStderr())
	if err != nil {
		faults = append(faults, err)
	}
	note("tls-cert", n.checkCertificate())
	return append(faults, n.checkNetwork(command)...)
}

func (n *NodeFlags) checkCertificate() error {
	cert, key := n.serving.config.CertFile, n.serving.config.KeyFile
	if cert == "" && key == "" {
		return nil
	}
	_, err := tls.LoadX509KeyPair(cert, key)
	return err
}

// checkPeer checks the form of a peer only: it may not be running yet.
func checkPeer(peer string) error {
	id, addr, found := strings.Cut(peer, "@")
	_, port, err := net.SplitHostPort(addr)
	if !found || len(id) != peerIDDigits || err != nil || port == "" {
		return fmt.Errorf("%q is not id@host:port", peer)
	}
	return nil
}

// peerIDDigits is the length of a node id in hex digits.
const peerIDDigits = 40

// The names of the flags of state sync.
const (
	stateSyncFlag = "state-sync"
	trustFlag     = "trust"
)

// stateSyncFlags are the flags of state sync.
type stateSyncFlags struct {
	targets []string
	trust   string
}

func (s *stateSyncFlags) register(flags *pflag.FlagSet) {
	flags.StringSliceVar(&s.targets, stateSyncFlag, nil,
		"restore the state from --peers instead of executing all blocks; nodes that serve the light blocks, as host:port of gRPC, preferably two or more")
	flags.StringVar(&s.trust, trustFlag, "", "with --state-sync, a block of the chain to trust, as number:hash")
}

// stateSync returns the configuration of state sync, or nil without these flags.
func (s *stateSyncFlags) stateSync(peers []string) (*node.StateSync, error) {
	switch {
	case len(s.targets) == 0 && s.trust == "":
		return nil, nil
	case len(s.targets) == 0:
		return nil, errors.New("--trust is for --state-sync, which names the nodes that serve light blocks")
	case s.trust == "":
		return nil, usage.Advise(errors.New("--state-sync needs --trust"),
			"--trust number:hash of a block of the chain, from makechain block get on a node that you trust")
	case len(peers) == 0:
		return nil, errors.New("--state-sync needs --peers, which serve the snapshots")
	}
	number, hash, err := connection.ParseTrustedBlock(s.trust)
	if err != nil {
		return nil, fmt.Errorf("--trust: %w", err)
	}
	wanted := &node.StateSync{Trust: node.TrustedBlock{Number: number, Hash: hash}}
	for _, target := range s.targets {
		c, err := client.New(target)
		if err != nil {
			return nil, fmt.Errorf("--state-sync: %w", err)
		}
		wanted.Sources = append(wanted.Sources, c)
	}
	return wanted, nil
}

// ServerFlags are the flags of a command that serves requests.
type ServerFlags struct {
	// Memory is the memory limit of the process, 0 for the default.
	Memory server.MemorySize

	config  server.Config
	proxies []net.IPNet
}

// Register adds the flags to a command.
func (s *ServerFlags) Register(flags *pflag.FlagSet) {
	flags.StringVar(&s.config.CertFile, "tls-cert", "", "PEM file of the server's certificate")
	flags.StringVar(&s.config.KeyFile, "tls-key", "", "PEM file of the certificate's key")
	flags.StringSliceVar(&s.config.AllowedOrigins, "cors-origins", nil, "allowed CORS origins (default all)")
	flags.Float64Var(&s.config.Limits.RequestsPerSecond, "rate-limit", server.DefaultRequestsPerSecond,
		"requests per second of one remote client address; one that takes more than 1 ms of processor time counts as several; -1 for no limit")
	flags.IntVar(&s.config.Limits.Burst, "rate-burst", 0, "requests of one remote client address that may arrive at once (default twice --rate-limit)")
	flags.BoolVar(&s.config.Limits.LimitLoopback, "limit-loopback", false, "apply the limits of one client address to this machine too")
	flags.Var(&s.Memory, "memory-limit", "memory to use, such as 2GiB (default 70% of the machine's or the control group's)")
	flags.IPNetSliceVar(&s.proxies, "trusted-proxies", nil, "networks of proxies whose X-Forwarded-For is trusted, such as 10.0.0.0/8")
}

// Server returns the configuration that the flags describe.
func (s *ServerFlags) Server() server.Config {
	config := s.config
	for _, network := range s.proxies {
		bits, _ := network.Mask.Size()
		if address, isValid := netip.AddrFromSlice(network.IP); isValid {
			config.TrustedProxies = append(config.TrustedProxies, netip.PrefixFrom(address, bits))
		}
	}
	return config
}

// AdviseOnPorts adds a next step to the error of a port that another program uses.
func AdviseOnPorts(err error, next string) error {
	if errors.Is(err, syscall.EADDRINUSE) {
		return usage.Advise(err, "%s", next)
	}
	return err
}

// LogFlags are the flags of a command that logs.
type LogFlags struct {
	level, format string
}

// Register adds the flags to a command.
func (l *LogFlags) Register(flags *pflag.FlagSet) {
	flags.StringVar(&l.level, "log-level", "info", "debug, info, warn or error")
	flags.StringVar(&l.format, "log-format", "text", "text or json")
}

// Logger returns the logger that the flags describe.
func (l *LogFlags) Logger(out io.Writer) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(l.level)); err != nil {
		return nil, &usage.Error{Err: fmt.Errorf("--log-level: %q is not debug, info, warn or error", l.level)}
	}
	options := &slog.HandlerOptions{Level: level}
	switch l.format {
	case "text":
		return slog.New(slog.NewTextHandler(out, options)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(out, options)), nil
	default:
		return nil, &usage.Error{Err: fmt.Errorf("--log-format: %q is not text or json", l.format)}
	}
}

// UnknownVersion stands for information that the Go tool did not record in the program.
const UnknownVersion = "unknown"

// Version returns the version of the program.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return UnknownVersion
	}
	return info.Main.Version
}

const (
	// HomeFlag is the flag that names the home of a node.
	HomeFlag = "home"
	// ConfigFile is the file in a home with the flags of its node: --grpc-addr is grpc-addr = "..." there.
	ConfigFile = "config.toml"
)

// FromFile sets the flags that neither the command line nor the environment has set from the configuration file of a
// home. The file may be missing. All errors of the file are reported at once.
func FromFile(command *cobra.Command, home string) error {
	path := filepath.Join(home, ConfigFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	values := map[string]any{}
	if _, err := toml.Decode(string(text), &values); err != nil {
		return fileSyntax(path, err)
	}
	lines := map[string]int{}
	for key := range values {
		lines[key] = lineOf(string(text), key)
	}
	var faults []error
	for _, key := range slices.SortedFunc(maps.Keys(values), func(a, b string) int { return cmp.Compare(lines[a], lines[b]) }) {
		source := fmt.Sprintf("%s:%d", path, lines[key])
		if err := setFromFile(command.Flags(), key, values[key], source); err != nil {
			faults = append(faults, fmt.Errorf("%s: %s: %w", source, key, err))
		}
	}
	if len(faults) > 0 {
		return &usage.Error{Err: errors.Join(faults...)}
	}
	return nil
}

func fileSyntax(path string, err error) error {
	wrong := toml.ParseError{}
	if errors.As(err, &wrong) {
		return &usage.Error{Err: fmt.Errorf("%s:%d: %s", path, wrong.Position.Line, wrong.Message)}
	}
	return &usage.Error{Err: fmt.Errorf("%s: %w", path, err)}
}

// setFromFile sets a flag, unless it is set already; then the value is only checked.
func setFromFile(flags *pflag.FlagSet, key string, value any, source string) error {
	flag := flags.Lookup(key)
	if flag == nil || key == HomeFlag || key == "help" {
		return errors.New("unknown key; the keys are the flags of makechain node")
	}
	texts, err := flagTexts(flag, value)
	if err != nil {
		return err
	}
	if flag.Changed {
		return nil
	}
	if list, isList := flag.Value.(pflag.SliceValue); isList {
		err = list.Replace(texts)
	} else {
		err = flag.Value.Set(texts[0])
	}
	if err != nil {
		return err
	}
	flag.Changed = true
	return usage.SetSource(flags, key, source)
}

// flagTexts returns a value in the form of the command line: one text, or the items of a list.
func flagTexts(flag *pflag.Flag, value any) ([]string, error) {
	_, wantsList := flag.Value.(pflag.SliceValue)
	items, isList := value.([]any)
	switch _, isTable := value.(map[string]any); {
	case isTable:
		return nil, errors.New("a table; want key = value")
	case wantsList && !isList:
		return nil, errors.New(`want a list, such as ["a", "b"]`)
	case !wantsList && isList:
		return nil, errors.New("a list; want one value")
	case !isList:
		return []string{fmt.Sprint(value)}, nil
	}
	texts := make([]string, len(items))
	for i, item := range items {
		text, isText := item.(string)
		if !isText {
			return nil, fmt.Errorf("item %d is not a string", i+1)
		}
		texts[i] = text
	}
	return texts, nil
}

// lineOf returns the line of a key, which the parser has found in the text.
func lineOf(text, key string) int {
	written := regexp.MustCompile(`(?m)^[ \t]*\[*[ \t]*["']?` + regexp.QuoteMeta(key) + `["']?[ \t]*[=.\]]`)
	found := written.FindStringIndex(text)
	if found == nil {
		return 1
	}
	return 1 + strings.Count(text[:found[0]], "\n")
}
