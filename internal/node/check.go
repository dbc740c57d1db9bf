package node

import (
	"errors"
	"fmt"
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

// CheckOptions configure Check.
type CheckOptions struct {
	// Replay executes every block since genesis again.
	Replay bool
	// Report, if set, is called with a line for each part that was checked.
	Report func(line string)
}

// Check checks a home in which no node runs: that the rows of the state have its root, that the blocks form a chain up to
// it, that rows are consistent with each other, and indexes with blocks. It returns an error at the first part that is
// not, and a *HomeInUseError when a node runs in the home.
func Check(home string, options CheckOptions) (err error) {
	if err := checkImported(home); err != nil {
		return err
	}
	g, err := homeGenesis(home)
	if err != nil {
		return err
	}
	blocks, err := comet.OpenBlocks(home)
	if err != nil {
		return inUse(home, err)
	}
	defer func() { err = errors.Join(err, blocks.Close()) }()
	state, err := store.Open(filepath.Join(home, stateDir), store.Options{Rebuild: true})
	if err != nil {
		return inUse(home, err)
	}
	defer func() { err = errors.Join(err, state.Close()) }()
	restored, err := state.RestoredHeight()
	if err != nil {
		return err
	}
	latest := state.Snapshot()
	defer func() { err = errors.Join(err, latest.Close()) }()
	c := &checker{CheckOptions: options, genesis: g, blocks: storedBlocks{blocks, restored}, state: latest}
	return c.run()
}

// checker checks one home.
type checker struct {
	CheckOptions

	genesis *genesis.Genesis
	blocks  storedBlocks
	state   *store.Snapshot
}

// storedBlocks are the blocks of a home. Its state was restored at a height, which is 0 when it was not: there are no blocks
// up to that height.
type storedBlocks struct {
	*comet.Blocks
	restored uint64
}

func (b storedBlocks) Base() uint64 { return max(b.Blocks.Base(), b.restored+1) }

func (b storedBlocks) Height() uint64 { return max(b.Blocks.Height(), b.restored) }

func (c *checker) report(format string, args ...any) {
	if c.Report != nil {
		c.Report(fmt.Sprintf(format, args...))
	}
}

func (c *checker) run() error {
	// store.Open has compared all rows with the root.
	c.report("state    block %d, %d rows, root %x", c.state.Height(), c.state.Len(), c.state.Root())
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

// checkBlocks checks that the blocks form a chain, and that the state is that of the last block, or of the one before it
// when the node crashed in between.
func (c *checker) checkBlocks() error {
	base, newest, height := c.blocks.Base(), c.blocks.Height(), c.state.Height()
	if height > newest || newest > height+1 {
		return fmt.Errorf("blocks: the state has height %d, the newest block has %d", height, newest)
	}
	var before comet.Header
	for number := base; number <= newest; number++ {
		header, err := c.blocks.Header(number)
		if err != nil {
			return fmt.Errorf("blocks: %w", err)
		}
		if number > base && header.Parent != before.Hash {
			return fmt.Errorf("blocks: the parent of block %d is %s, but the block before it is %s", number, header.Parent, before.Hash)
		}
		before = header
	}
	if root := c.state.Root(); newest > height && before.RootBefore != root {
		return fmt.Errorf("blocks: the state after block %d has root %x, but block %d expects %s", height, root, newest, before.RootBefore)
	}
	c.report("blocks   %d, from %d on", newest+1-base, base)
	if c.blocks.restored > 0 {
		c.report("restored the state of block %d from a snapshot", c.blocks.restored)
	}
	return nil
}

// checkRows checks every row of the state: counters, reverse rows, derived rows and the other invariants of P12.
func (c *checker) checkRows() error {
	report, err := fsck.Check(stateRows{c.state})
	if err != nil {
		return err
	}
	if !report.Clean() {
		return fmt.Errorf("rows: %d are invalid, the first: %s",
			len(report.Findings)+report.Dropped, report.Findings[0])
	}
	c.report("rows     %d with their counters, reverse rows and derived rows", report.Rows)
	return nil
}

// checkIndexes checks that the indexes match the blocks and the state.
func (c *checker) checkIndexes() error {
	report, err := index.Check(c.state, c.state.Height(), c.blocks)
	if err != nil {
		return err
	}
	c.report("indexes  %d rows, for %d messages of %d blocks", report.Rows, report.Messages, report.Blocks)
	if report.Lowest > 1 {
		c.report("pruned   messages before block %d are no longer indexed", report.Lowest)
	}
	return nil
}

// replay executes all blocks on an empty state and compares the root after each.
func (c *checker) replay() (err error) {
	if c.blocks.Base() > 1 {
		return c.verifyStored()
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
		return fmt.Errorf("replay: the blocks lead to root %x, but %x is stored", root, c.state.Root())
	}
	c.report("replay   %d blocks from genesis give the same roots", c.state.Height())
	return nil
}

// verifyStored verifies the messages of the stored blocks. It replaces a replay when the first blocks were pruned.
func (c *checker) verifyStored() error {
	base, newest := c.blocks.Base(), c.blocks.Height()
	verified := 0
	for number := base; number <= newest; number++ {
		messages, _, err := c.content(number)
		if err != nil {
			return fmt.Errorf("replay: %w", err)
		}
		verified += len(messages)
	}
	c.report("replay   not from genesis: blocks before %d were pruned; verified the %d messages since", base, verified)
	return nil
}

// rules execute the messages and the change of a block.
type rules struct {
	messages   *ledger.Ledger
	validators *validators.Rules
}

func (c *checker) replayBlock(fresh *store.Store, rules *rules, number uint64) error {
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
		return fmt.Errorf("the blocks before %d lead to root %s, but it expects %s", number, root, header.RootBefore)
	}
	staged, err := fresh.Stage(changes)
	if err != nil {
		return err
	}
	return staged.Commit(number)
}

// execute returns the rows that a block changes.
func (r *rules) execute(view ledger.View, block ledger.Block, messages []*message.Envelope, change []byte) ([]schema.Change, error) {
	result, err := r.messages.Execute(view, block, messages)
	if err != nil {
		return nil, err
	}
	if change == nil {
		return result.Changes, nil
	}
	applied, err := r.validators.Execute(view, block.Height, change)
	if err != nil {
		return nil, err
	}
	result.AddRow(applied.Row)
	return result.Changes, nil
}

// content returns the messages of a block, decoded, validated and verified, and its change.
func (c *checker) content(number uint64) (messages []*message.Envelope, change []byte, err error) {
	transactions, change, err := c.blocks.Content(number)
	if err != nil {
		return nil, nil, err
	}
	messages = make([]*message.Envelope, len(transactions))
	for i, tx := range transactions {
		m, refusal := message.DecodeValid(tx, c.genesis.Network)
		if refusal != nil {
			return nil, nil, fmt.Errorf("block %d, message %d: %w", number, i, refusal)
		}
		messages[i] = m
	}
	for i, refusal := range message.VerifyBatch(messages) {
		if refusal != nil {
			return nil, nil, fmt.Errorf("block %d, message %d: %w", number, i, refusal)
		}
	}
	return messages, change, nil
}

// stateRows are the rows of a state without the indexes.
type stateRows struct {
	*store.Snapshot
}

func (s stateRows) Scan(lower, upper []byte, visit func(key, value []byte) bool) error {
	if upper == nil {
		upper = []byte{store.FirstIndexPrefix}
	}
	return s.Snapshot.Scan(lower, upper, visit)
}
