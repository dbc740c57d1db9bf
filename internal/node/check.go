package node

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"makechain/internal/comet"
	"makechain/internal/fsck"
	"makechain/internal/genesis"
	"makechain/internal/ident"
	"makechain/internal/index"
	"makechain/internal/ledger"
	"makechain/internal/schema"
	"makechain/internal/store"
	"makechain/internal/validators"
	"makechain/message"
)

// CheckOptions say how much to check, and who is told of it.
type CheckOptions struct {
	// Replay executes every block since genesis once more.
	Replay bool
	// Note is told what was checked, a line each.
	Report func(line string)
}

// Check looks through a home in which no node runs: whether the rows of the state give its root, blocks build on
// one another up to it, rows agree with one another, and indexes with blocks. It ends at the first kind of
// difference, with an error that says what differs.
func Check(home string, options CheckOptions) (err error) {
	if err := checkImported(home); err != nil {
		return err
	}
	begin, err := comet.Genesis(home)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %s", comet.ErrNoChain, home)
	}
	if err != nil {
		return err
	}
	blocks, err := comet.OpenBlocks(home)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, blocks.Close()) }()
	state, err := store.Open(filepath.Join(home, stateDir), store.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, state.Close()) }()
	origin, err := state.RestoredHeight()
	if err != nil {
		return err
	}
	latest := state.Snapshot()
	defer func() { err = errors.Join(err, latest.Close()) }()
	c := &check{CheckOptions: options, genesis: begin, blocks: keptBlocks{blocks, origin}, state: latest}
	return c.run()
}

// check is a check under way.
type check struct {
	CheckOptions

	genesis *genesis.Genesis
	blocks  keptBlocks
	state   *store.Snapshot
}

// keptBlocks are the blocks of a home whose state was taken over after a block, the origin, or made here when that is
// 0. There is no block before the one that follows the origin.
type keptBlocks struct {
	*comet.Blocks
	origin uint64
}

func (k keptBlocks) Base() uint64 { return max(k.Blocks.Base(), k.origin+1) }

func (k keptBlocks) Height() uint64 { return max(k.Blocks.Height(), k.origin) }

func (c *check) note(format string, args ...any) {
	if c.Report != nil {
		c.Report(fmt.Sprintf(format, args...))
	}
}

func (c *check) run() error {
	// A store whose rows do not give its root does not open.
	c.note("state    block %d, %d rows, root %x", c.state.Height(), c.state.Len(), c.state.Root())
	steps := []func() error{c.checkBlocks, c.checkRows, c.checkIndexes}
	if c.Replay {
		steps = append(steps, c.replay)
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// checkBlocks checks that blocks build on one another, and that the state is that of the last one, or of the one
// before it when the node died in between.
func (c *check) checkBlocks() error {
	base, newest, height := c.blocks.Base(), c.blocks.Height(), c.state.Height()
	if height > newest || newest > height+1 {
		return fmt.Errorf("blocks: the state is that of block %d, the newest block is %d", height, newest)
	}
	var before comet.Header
	for number := base; number <= newest; number++ {
		header, err := c.blocks.Header(number)
		if err != nil {
			return fmt.Errorf("blocks: %w", err)
		}
		if number > base && header.Parent != before.Hash {
			return fmt.Errorf("blocks: block %d builds on %s, but the block before it is %s", number, header.Parent, before.Hash)
		}
		before = header
	}
	if root := c.state.Root(); newest > height && before.RootBefore != root {
		return fmt.Errorf("blocks: the state after block %d has root %x, but block %d was made for %s", height, root, newest, before.RootBefore)
	}
	c.note("blocks   %d, from %d on", newest+1-base, base)
	if c.blocks.origin > 0 {
		c.note("origin   the state was taken over after block %d", c.blocks.origin)
	}
	return nil
}

// checkRows checks every row of the state: counters, reverse rows, derived rows, and all else of P12.
func (c *check) checkRows() error {
	report, err := fsck.Check(stateRows{c.state})
	if err != nil {
		return err
	}
	if !report.Clean() {
		return fmt.Errorf("rows: %d of them are not what a chain can have written, the first: %s",
			len(report.Findings)+report.Dropped, report.Findings[0])
	}
	c.note("rows     %d with their counters, reverse rows and derived rows", report.Rows)
	return nil
}

// checkIndexes checks that indexes say what the blocks and the state do.
func (c *check) checkIndexes() error {
	report, err := index.Check(c.state, c.state.Height(), c.blocks)
	if err != nil {
		return err
	}
	c.note("indexes  %d rows, for %d messages of %d blocks", report.Rows, report.Messages, report.Blocks)
	if report.Lowest > 1 {
		c.note("pruned   messages before block %d are not indexed any more", report.Lowest)
	}
	return nil
}

// replay executes all blocks on an empty state and compares every root on the way.
func (c *check) replay() (err error) {
	if c.blocks.Base() > 1 {
		return c.verifyKept()
	}
	fresh, err := store.OpenMemory(store.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, fresh.Close()) }()
	rules := &rules{ledger.New(c.genesis.Params()), validators.NewRules(c.genesis)}
	for number := uint64(1); number <= c.state.Height(); number++ {
		if err := c.replayBlock(fresh, rules, number); err != nil {
			return fmt.Errorf("replay: %w", err)
		}
	}
	replayed := fresh.Snapshot()
	root := replayed.Root()
	if err := replayed.Close(); err != nil {
		return err
	}
	if root != c.state.Root() {
		return fmt.Errorf("replay: the blocks lead to root %x, stored is %x", root, c.state.Root())
	}
	c.note("replay   %d blocks from genesis give the same roots", c.state.Height())
	return nil
}

// verifyKept is what is left of a replay when the first blocks are gone: it verifies the messages of all that are kept.
func (c *check) verifyKept() error {
	base, newest := c.blocks.Base(), c.blocks.Height()
	verified := 0
	for number := base; number <= newest; number++ {
		messages, _, err := c.content(number)
		if err != nil {
			return fmt.Errorf("replay: %w", err)
		}
		verified += len(messages)
	}
	c.note("replay   not from genesis, the blocks before %d are no longer kept; %d messages from there on verify", base, verified)
	return nil
}

// rules are those by which blocks are executed.
type rules struct {
	messages   *ledger.Ledger
	validators *validators.Rules
}

func (c *check) replayBlock(fresh *store.Store, rules *rules, number uint64) error {
	header, err := c.blocks.Header(number)
	if err != nil {
		return err
	}
	messages, change, err := c.content(number)
	if err != nil {
		return err
	}
	before := fresh.Snapshot()
	root := ident.Hash(before.Root())
	changes, err := rules.execute(before, ledger.Block{Height: number, Time: header.Time}, messages, change)
	if err = errors.Join(err, before.Close()); err != nil {
		return fmt.Errorf("block %d: %w", number, err)
	}
	if root != header.RootBefore {
		return fmt.Errorf("the blocks before %d lead to root %s, it was made for %s", number, root, header.RootBefore)
	}
	staged, err := fresh.Stage(changes)
	if err != nil {
		return err
	}
	return staged.Commit(number)
}

// execute gives the rows that a block changes.
func (r *rules) execute(view ledger.View, block ledger.Block, messages []*message.Envelope, change []byte) ([]schema.Change, error) {
	result, err := r.messages.Execute(view, block, messages)
	if err != nil {
		return nil, err
	}
	if change == nil {
		return result.Changes, nil
	}
	applied, err := r.validators.Execute(view, change)
	if err != nil {
		return nil, err
	}
	return append(result.Changes, applied.Row), nil
}

// content is the messages of a block, verified as if they came from a stranger, and its change of the validators.
func (c *check) content(number uint64) (messages []*message.Envelope, change []byte, err error) {
	transactions, change, err := c.blocks.Content(number)
	if err != nil {
		return nil, nil, err
	}
	messages, err = c.verified(number, transactions)
	return messages, change, err
}

func (c *check) verified(number uint64, transactions [][]byte) ([]*message.Envelope, error) {
	messages := make([]*message.Envelope, len(transactions))
	for i, tx := range transactions {
		m, refusal := message.Decode(tx)
		if refusal == nil {
			refusal = m.CheckNetwork(c.genesis.Network)
		}
		if refusal == nil {
			refusal = m.Validate()
		}
		if refusal != nil {
			return nil, fmt.Errorf("block %d, message %d: %w", number, i, refusal)
		}
		messages[i] = m
	}
	for i, refusal := range message.VerifyBatch(messages) {
		if refusal != nil {
			return nil, fmt.Errorf("block %d, message %d: %w", number, i, refusal)
		}
	}
	return messages, nil
}

// stateRows are the rows of a state without those of indexes.
type stateRows struct {
	*store.Snapshot
}

func (s stateRows) Scan(lower, upper []byte, visit func(key, value []byte) bool) error {
	if upper == nil {
		upper = []byte{store.FirstIndexPrefix}
	}
	return s.Snapshot.Scan(lower, upper, visit)
}
