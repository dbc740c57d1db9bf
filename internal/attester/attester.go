// Package attester signs payments for storage that were made on an EVM chain (P8.2). It reads the events of the settlement contract from
// several providers, stores those in finalized blocks on which all providers agree, and serves signatures over them.
//
// Invariants: only events of finalized blocks are stored, since a reorganization can change the log index of a transaction's event, and
// so the claim id of a payment. What is served was stored durably before. While providers fail, lag or disagree, nothing is stored; the
// reason is in the status, the metrics and the log, and reading continues by itself when they agree again.
package attester

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"makechain/internal/backoff"
	"makechain/internal/evm"
	"makechain/internal/ident"
	"makechain/message"
)

// Defaults of Config.
const (
	// DefaultPoll is how often the providers are asked for new finalized blocks: about once per block of Ethereum.
	DefaultPoll = 12 * time.Second
	// DefaultRescanBlocks is the number of finalized blocks that are read again every day: about a week of Ethereum.
	DefaultRescanBlocks = 50_000
	// RescanInterval is how often they are.
	RescanInterval = 24 * time.Hour
)

// A Provider is a JSON-RPC provider of the settlement chain; evm.Client implements it.
type Provider interface {
	Name() string
	ChainID(ctx context.Context) (uint64, error)
	Finalized(ctx context.Context) (evm.Block, error)
	Blocks(ctx context.Context, from uint64, count int) ([]evm.Block, error)
	Rents(ctx context.Context, contract ident.Address, blocks []evm.Block) ([][]evm.Rent, error)
	Receipt(ctx context.Context, tx ident.Hash) (evm.Receipt, error)
}

// A Signer signs digests with an Ed25519 key.
type Signer interface {
	Key() ident.PublicKey
	Sign(ctx context.Context, digest ident.Hash) ([]byte, error)
}

// A Settlement is what attestations are valid for, and whose are.
type Settlement struct {
	Domain    message.SettlementDomain
	Attesters []ident.PublicKey
}

// Config configures an attester.
type Config struct {
	// Dir is the directory of the stores, one for each contract.
	Dir string
	// Settlement returns the settlement that is in force now.
	Settlement func(ctx context.Context) (Settlement, error)
	// Providers have to agree. There is at least one.
	Providers []Provider
	Signer    Signer
	// FromBlock is the first block that is read, no later than the one in which the contract was deployed.
	FromBlock uint64
	// RescanBlocks is the number of blocks that a rescan reads; 0 means DefaultRescanBlocks. Poll is 0 for DefaultPoll.
	RescanBlocks uint64
	Poll         time.Duration
	Now          func() time.Time
	Log          *slog.Logger
	// Registerer receives the metrics. Nil means that they are not exported.
	Registerer prometheus.Registerer

	// BeforeStep is called before each step of a scan, for tests: an error ends Run as a crash would. It may be nil.
	BeforeStep func(name string) error
}

// A Reason is why an attester does not sign.
type Reason string

// Reasons.
const (
	ReasonStarting     Reason = "starting"       // no scan has ended yet
	ReasonSettlement   Reason = "settlement"     // the settlement in force is not known, or has no contract
	ReasonNotAttester  Reason = "not_attester"   // the key is not one of the attesters in force
	ReasonProvider     Reason = "provider_error" // a provider does not respond, or not with what was asked for
	ReasonRateLimited  Reason = "rate_limited"   // a provider limits the rate of requests
	ReasonChainID      Reason = "chain_id"       // a provider serves another chain
	ReasonLagging      Reason = "lagging"        // a provider is behind the others
	ReasonDisagreement Reason = "disagreement"   // providers return different blocks or events
	ReasonFinality     Reason = "finality"       // a block or event that was finalized has changed
	ReasonSigner       Reason = "signer"         // the external signer failed
)

// reasons are all reasons, for metrics. read-only: a table.
var reasons = []Reason{
	ReasonStarting, ReasonSettlement, ReasonNotAttester, ReasonProvider, ReasonRateLimited, ReasonChainID, ReasonLagging, ReasonDisagreement,
	ReasonFinality, ReasonSigner,
}

// A HaltError is why nothing new is signed. Reading is tried again.
type HaltError struct {
	Reason   Reason
	Provider string // may be empty
	Detail   string
}

// Error returns the reason and the detail.
func (e *HaltError) Error() string {
	if e.Provider != "" {
		return fmt.Sprintf("%s: %s: %s", e.Reason, e.Provider, e.Detail)
	}
	return fmt.Sprintf("%s: %s", e.Reason, e.Detail)
}

// halt returns the HaltError of an error of a provider.
func halt(provider Provider, err error) error {
	if _, ok := errors.AsType[*HaltError](err); ok {
		return err
	}
	reason := ReasonProvider
	if errors.Is(err, evm.ErrRateLimited) {
		reason = ReasonRateLimited
	}
	return &HaltError{reason, provider.Name(), err.Error()}
}

// An Attester reads, stores and signs payments.
type Attester struct {
	config  Config
	metrics *metrics

	mu         sync.Mutex // guards the fields below
	store      *Store     // of the settlement in force; nil until it is known
	settlement Settlement
	halted     *HaltError     // nil while all is well
	heads      []evm.Block    // finalized, of each provider, when they were last asked
	suspended  map[event]bool // payments that the last rescan did not find
	changed    chan struct{}  // is closed when payments were added or the settlement changed
	signatures map[ident.Hash][]byte

	rescan    *rescan // is used by Run only, like rescanned
	rescanned int64   // when the last rescan ended, in Unix seconds
}

// New returns an attester. Run starts it.
func New(config Config) (*Attester, error) {
	if len(config.Providers) == 0 {
		return nil, errors.New("an attester needs an RPC provider")
	}
	if config.Poll == 0 {
		config.Poll = DefaultPoll
	}
	if config.RescanBlocks == 0 {
		config.RescanBlocks = DefaultRescanBlocks
	}
	if config.BeforeStep == nil {
		config.BeforeStep = func(string) error { return nil }
	}
	a := &Attester{
		config: config, changed: make(chan struct{}), signatures: map[ident.Hash][]byte{}, suspended: map[event]bool{},
		halted: &HaltError{ReasonStarting, "", "the chain was not read yet"},
	}
	var err error
	a.metrics, err = newMetrics(config.Registerer, a)
	return a, err
}

// Run reads the chain until ctx is done. Errors of the settlement chain and its providers do not end it, those of the disk do.
func (a *Attester) Run(ctx context.Context) error {
	defer a.closeStore()
	for {
		isBehind, err := a.Step(ctx)
		stopped, isHalt := errors.AsType[*HaltError](err)
		if err != nil && !isHalt {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		if ctx.Err() != nil {
			return nil
		}
		a.report(stopped)
		if !isBehind || isHalt {
			if backoff.Sleep(ctx, a.config.Poll) != nil {
				return nil
			}
		}
	}
}

// Step reads the settlement in force and the next blocks of the settlement chain. It reports whether more can be read at once. The error
// is a *HaltError unless the disk failed.
func (a *Attester) Step(ctx context.Context) (isBehind bool, err error) {
	store, settlement, err := a.refresh(ctx)
	if err != nil {
		return false, err
	}
	isBehind, err = a.scan(ctx, store, settlement.Domain)
	if err == nil && !isBehind && !settlement.has(a.config.Signer.Key()) {
		return false, &HaltError{ReasonNotAttester, "", fmt.Sprintf("%s is not one of the attesters in force", a.config.Signer.Key())}
	}
	return isBehind, err
}

func (s *Settlement) has(key ident.PublicKey) bool {
	return slices.Contains(s.Attesters, key)
}

// refresh reads the settlement, and opens the store of its contract if it is another one.
func (a *Attester) refresh(ctx context.Context) (*Store, Settlement, error) {
	settlement, err := a.config.Settlement(ctx)
	if err != nil {
		return nil, settlement, &HaltError{ReasonSettlement, "", err.Error()}
	}
	domain := settlement.Domain
	if domain.Contract == (ident.Address{}) {
		return nil, settlement, &HaltError{ReasonSettlement, "", "the chain has no settlement contract"}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.store != nil && domain == a.settlement.Domain {
		a.settlement = settlement
		return a.store, settlement, nil
	}
	opened, err := OpenStore(filepath.Join(a.config.Dir, fmt.Sprintf("%d-%s", domain.SettlementChainID, domain.Contract)),
		domain.SettlementChainID, domain.Contract)
	if err != nil {
		return nil, settlement, fmt.Errorf("open the store of payments: %w", err)
	}
	if a.store != nil {
		_ = a.store.Close() // it was only read since its last sync
	}
	a.store, a.settlement, a.rescan, a.rescanned = opened, settlement, nil, 0
	if opened.Cursor().Hash == (ident.Hash{}) {
		a.rescanned = a.config.Now().Unix() // everything is about to be read for the first time
	}
	clear(a.suspended)
	clear(a.signatures)
	a.notify()
	a.config.Log.Info("settlement", "chain", domain.ChainID, "settlement_chain", domain.SettlementChainID, "contract", domain.Contract.String(),
		"payments", opened.Count(), "block", opened.Cursor().Number)
	return a.store, settlement, nil
}

// notify wakes streams. a.mu must be held.
func (a *Attester) notify() {
	close(a.changed)
	a.changed = make(chan struct{})
}

func (a *Attester) closeStore() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.store != nil {
		_ = a.store.Close() // what was acknowledged is durable
		a.store = nil
	}
	a.notify() // ends streams
}

// report records why nothing is signed, or that all is well, and logs changes.
func (a *Attester) report(halted *HaltError) {
	a.mu.Lock()
	defer a.mu.Unlock()
	before := a.halted
	a.halted = halted
	if halted != nil && halted.Reason == ReasonDisagreement && (before == nil || before.Reason != ReasonDisagreement) {
		a.metrics.disagreements.Inc()
	}
	switch {
	case halted != nil && (before == nil || before.Reason != halted.Reason):
		a.config.Log.Warn("new payments are not signed", "reason", string(halted.Reason), "provider", halted.Provider, "detail", halted.Detail)
	case halted == nil && before != nil:
		a.config.Log.Info("payments are signed")
	}
}

// Halted returns why new payments are not signed, or nil.
func (a *Attester) Halted() *HaltError {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.halted
}
