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

// portAttempts is how many free ports are tried when any will do: somebody else may take one before the engine
// listens there.
const portAttempts = 5

// Start runs the engine in a home that Init has made. It brings the application up to the last decided block
// before it returns. A chain that begins in the future is waited for, unless there are blocks of it: then it is the
// clock that is wrong. The context is for starting only: Stop ends the engine.
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
	begin, err := readHome(settings)
	if err != nil {
		return nil, err
	}
	engine := &Engine{
		genesis:      begin.genesis,
		databases:    new(databases),
		address:      p2p.IDAddressString(begin.nodeKey.ID(), config.ListenAddress),
		validatorKey: begin.validator.Key.PubKey.Bytes(),

		stopping: new(atomic.Bool),
		end:      newEnding(),
	}
	engine.app = &application{
		Application: app, log: log, failed: engine.end.set, recheck: &recheck{settings: settings.Mempool}, cache: &engine.cache,
	}
	bridge := &logger{log: log, failed: engine.end.set, stopping: engine.stopping}
	var options []node.Option
	if config.StateSync != nil {
		// What CometBFT would check is for headers that it fetches itself.
		settings.StateSync.Enable, settings.StateSync.DiscoveryTime = true, discoveryTime
		options = append(options, node.StateProvider(&stateProvider{source: config.StateSync, genesis: begin.genesis}))
	}
	if config.AdmitGossip != nil {
		options = append(options, withGossipReactor(engine.app.guard(config.AdmitGossip), log)) //nolint:contextcheck // the context is for starting only
	}
	if err := engine.start(ctx, settings, begin, bridge, options...); err != nil {
		return nil, errors.Join(fmt.Errorf("start consensus: %w", err), engine.abandon())
	}
	return engine, nil
}

func (e *Engine) start(
	ctx context.Context, settings *cmtcfg.Config, begin *homeFiles, log *logger, options ...node.Option,
) (err error) {
	// CometBFT panics on what it does not expect to find, such as a state that is not the application's.
	defer recovered(&err)
	executed, err := e.executed(ctx, settings)
	if err != nil {
		return err
	}
	if executed == 0 {
		start := begin.document.GenesisTime
		if err := backoff.Sleep(ctx, time.Until(start)); err != nil {
			return fmt.Errorf("wait for the genesis time %v: %w", start, err)
		}
	}
	provide := func() (*types.GenesisDoc, error) { return begin.document, nil }
	e.node, err = node.NewNodeWithContext(ctx, settings, begin.validator, begin.nodeKey,
		proxy.NewConnSyncLocalClientCreator(e.app), provide, e.databases.open,
		node.DefaultMetricsProvider(settings.Instrumentation), log, options...)
	if err != nil {
		return err
	}
	if err := checkStoredGenesis(e.node.GenesisDoc(), begin.genesis); err != nil {
		return err
	}
	environment, err := e.node.ConfigureRPC()
	if err != nil {
		return err
	}
	e.blocks, e.states = e.node.BlockStore(), environment.StateStore
	e.priorities = newProposerPriorities(e.databases.named(stateDatabase), e.states)
	e.app.headers = e.newHeaders(begin.document.ConsensusParams.Evidence, log.log)
	if err := repairWAL(settings, int64(e.Height())); err != nil {
		return err
	}
	if executed > 0 {
		e.node.GenesisDoc().GenesisTime = time.Time{} // for which CometBFT too would wait
	}
	return e.node.Start()
}

// executed is the height of the application's state. It refuses an application that has executed blocks when the engine
// has lost them: CometBFT would fail in a way that helps nobody.
func (e *Engine) executed(ctx context.Context, paths *cmtcfg.Config) (height int64, err error) {
	info, err := e.app.Info(ctx, new(abci.RequestInfo))
	if err != nil || info.LastBlockHeight == 0 {
		return 0, err
	}
	_, err = os.Stat(filepath.Join(paths.DBDir(), blockDatabase+databaseSuffix))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("the state is that of block %d, and the blocks are gone from %s", info.LastBlockHeight, paths.DBDir())
	}
	return info.LastBlockHeight, err
}

// abandon lets go of what an engine that did not start has taken.
func (e *Engine) abandon() error {
	e.stopping.Store(true)
	var err error
	if e.node != nil {
		err = errors.Join(e.node.EventBus().Stop(), e.node.ProxyApp().Stop())
	}
	e.app.close()
	return errors.Join(err, e.databases.close())
}

// checkBegan compares the genesis that the databases remember, and would go on with, with that of the home.
func checkStoredGenesis(remembered *types.GenesisDoc, of *genesis.Genesis) error {
	began, err := genesis.Parse(remembered.AppState)
	if err != nil {
		return err
	}
	if field := began.Difference(of); field != "" {
		return fmt.Errorf("the chain in this home began with another genesis than its file says: %s differs", field)
	}
	return nil
}

// beginning is what a home holds before the engine has run.
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

// recovered turns a panic of CometBFT, which is how its databases report what they cannot read, into an error.
func recovered(err *error) {
	if reason := recover(); reason != nil {
		*err = fmt.Errorf("consensus engine: %v", reason)
	}
}
