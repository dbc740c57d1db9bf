package comet

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	abci "github.com/cometbft/cometbft/abci/types"
	cmtcfg "github.com/cometbft/cometbft/config"
	"github.com/cometbft/cometbft/node"
	"github.com/cometbft/cometbft/p2p"
	"github.com/cometbft/cometbft/privval"
	"github.com/cometbft/cometbft/proxy"
	"github.com/cometbft/cometbft/types"

	"makechain/internal/backoff"
	"makechain/internal/genesis"
)

// portAttempts is how often Start chooses a free port: another process may take the port before the engine listens on it.
const portAttempts = 5

// Start starts the engine in a home that Init has initialized. Before it returns, the application has executed all decided
// blocks. If the genesis time is in the future, Start waits for it, unless there are blocks: then the clock is wrong. The
// context is for starting only; Stop stops the engine. It returns ErrLocked while another engine runs in the home.
func Start(ctx context.Context, config Config, app Application, log *slog.Logger) (*Engine, error) {
	for attempt := 1; ; attempt++ {
		engine, err := startOnce(ctx, config, app, log)
		anyPort := strings.HasSuffix(config.ListenAddress, ":0")
		if !anyPort || !errors.Is(err, syscall.EADDRINUSE) || attempt == portAttempts {
			return engine, err
		}
	}
}

func startOnce(ctx context.Context, config Config, app Application, log *slog.Logger) (*Engine, error) {
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	settings := config.settings()
	if err := settings.ValidateBasic(); err != nil {
		return nil, fmt.Errorf("configure consensus: %w", err)
	}
	files, err := readHome(settings)
	if err != nil {
		return nil, err
	}
	engine := &Engine{
		genesis:      files.genesis,
		databases:    new(databases),
		address:      p2p.IDAddressString(files.nodeKey.ID(), config.ListenAddress),
		validatorKey: files.validator.Key.PubKey.Bytes(),
		policy:       newPeerPolicy(config),

		stopping: new(atomic.Bool),
		result:   newResult(),
	}
	engine.app = &application{
		Application: app, log: log, failed: engine.result.set, cache: &engine.cache, pool: config.Pool,
	}
	bridge := &logger{log: log, failed: engine.result.set, stopping: engine.stopping}
	options := []node.Option{withPeerPolicy(engine.policy), withBlockSyncReactor(engine.policy)}
	if config.StateSync != nil {
		// ValidateBasic must not see it: it requires the settings of CometBFT's own light client.
		settings.StateSync.Enable, settings.StateSync.DiscoveryTime = true, discoveryTime
		options = append(options, node.StateProvider(&stateProvider{source: config.StateSync, genesis: files.genesis}))
	}
	if config.Pool != nil {
		engine.gossip = newGossipReactor(engine.app, engine.policy)
		options = append(options, engine.gossip.install)
	} else {
		engine.app.recheck = &recheck{settings: settings.Mempool}
	}
	if err := engine.start(ctx, settings, files, bridge, options...); err != nil {
		return nil, errors.Join(fmt.Errorf("start consensus: %w", err), engine.abandon())
	}
	return engine, nil
}

func (e *Engine) start(
	ctx context.Context, settings *cmtcfg.Config, files *homeFiles, log *logger, options ...node.Option,
) (err error) {
	// CometBFT panics at unexpected data, such as a state that does not match the application.
	defer recovered(&err)
	executed, err := e.executed(ctx, settings)
	if err != nil {
		return err
	}
	if executed == 0 {
		start := files.document.GenesisTime
		if err := backoff.Sleep(ctx, time.Until(start)); err != nil {
			return fmt.Errorf("wait for the genesis time %v: %w", start, err)
		}
	}
	provide := func() (*types.GenesisDoc, error) { return files.document, nil }
	validator := &observedValidator{PrivValidator: files.validator}
	e.node, err = node.NewNodeWithContext(ctx, settings, validator, files.nodeKey,
		proxy.NewConnSyncLocalClientCreator(e.app), provide, e.databases.open,
		node.DefaultMetricsProvider(settings.Instrumentation), log, options...)
	if err != nil {
		return err
	}
	if err := checkStoredGenesis(e.node.GenesisDoc(), files.genesis); err != nil {
		return err
	}
	environment, err := e.node.ConfigureRPC()
	if err != nil {
		return err
	}
	e.blocks, e.states, e.consensus = e.node.BlockStore(), environment.StateStore, e.node.ConsensusReactor()
	if e.gossip != nil {
		e.consensus = replaceConsensus(e.node, environment, e.gossip.signal, log)
	}
	e.priorities = newProposerPriorities(e.databases.named(stateDatabase), e.states)
	e.app.absent = newAbsentProposers(settings.Consensus, e.priorities, files.validator.Key.Address, log.log)
	validator.absent = e.app.absent
	e.app.headers = e.newHeaderPruner(files.document.ConsensusParams.Evidence, log.log)
	if err := repairWAL(settings, int64(e.Height())); err != nil {
		return err
	}
	if executed > 0 {
		e.node.GenesisDoc().GenesisTime = time.Time{} // CometBFT would wait for it, too
	}
	return e.node.Start()
}

// executed returns the height of the application's state. It returns an error when the blocks of that state are missing, for
// which CometBFT's own error is not helpful.
func (e *Engine) executed(ctx context.Context, paths *cmtcfg.Config) (height int64, err error) {
	info, err := e.app.Info(ctx, new(abci.RequestInfo))
	if err != nil || info.LastBlockHeight == 0 {
		return 0, err
	}
	_, err = os.Stat(filepath.Join(paths.DBDir(), blockDatabase+databaseSuffix))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("the state has height %d, but the blocks are missing in %s", info.LastBlockHeight, paths.DBDir())
	}
	return info.LastBlockHeight, err
}

// abandon closes an engine that failed to start.
func (e *Engine) abandon() error {
	e.stopping.Store(true)
	var err error
	if e.node != nil {
		err = errors.Join(e.node.EventBus().Stop(), e.node.ProxyApp().Stop())
	}
	e.app.close()
	return errors.Join(err, e.databases.close())
}

// checkStoredGenesis compares the genesis in the databases, which CometBFT uses, with the genesis file of the home.
func checkStoredGenesis(stored *types.GenesisDoc, file *genesis.Genesis) error {
	parsed, err := genesis.Parse(stored.AppState)
	if err != nil {
		return err
	}
	if field := parsed.Difference(file); field != "" {
		return fmt.Errorf("the chain in this home started with a genesis other than its file: %s differs", field)
	}
	return nil
}

// homeFiles are the files of a home that the engine reads at the start.
type homeFiles struct {
	genesis   *genesis.Genesis
	document  *types.GenesisDoc
	nodeKey   *p2p.NodeKey
	validator *privval.FilePV
}

func readHome(paths *cmtcfg.Config) (*homeFiles, error) {
	document, parsed, err := readDocument(paths)
	if err != nil {
		return nil, err
	}
	nodeKey, err := loadNodeKey(paths)
	if err != nil {
		return nil, err
	}
	validator, err := loadValidator(paths)
	if err != nil {
		return nil, err
	}
	return &homeFiles{genesis: parsed, document: document, nodeKey: nodeKey, validator: validator}, nil
}

// recovered is deferred to convert a panic into an error. CometBFT's stores panic when they cannot read their databases.
func recovered(err *error) {
	if reason := recover(); reason != nil {
		*err = fmt.Errorf("consensus engine: %v", reason)
	}
}
