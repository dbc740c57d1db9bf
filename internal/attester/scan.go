package attester

import (
	"context"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"makechain/internal/evm"
	"makechain/internal/ident"
	"makechain/message"
)

// scan reads the next finalized blocks, at most evm.MaxBatch, or a part of a rescan when there are none. It reports whether more can be
// read at once.
func (a *Attester) scan(ctx context.Context, store *Store, domain message.SettlementDomain) (isBehind bool, err error) {
	heads, err := a.readHeads(ctx, domain.SettlementChainID)
	if err != nil {
		return false, err
	}
	lowest, highest := extremes(heads)
	cursor := store.Cursor()
	next := max(cursor.Number+1, a.config.FromBlock)
	isFirst := cursor.Hash == (ident.Hash{})
	if isFirst {
		next = a.config.FromBlock
	}
	head := heads[lowest]
	if next > head.Number {
		return a.idle(ctx, store, domain.Contract, heads, lowest, highest)
	}
	count := int(min(head.Number-next+1, evm.MaxBatch))
	blocks, payments, err := a.read(ctx, domain.Contract, next, count)
	if err != nil {
		return false, err
	}
	if !isFirst && next == cursor.Number+1 && blocks[0].Parent != cursor.Hash {
		return false, &HaltError{ReasonFinality, "", fmt.Sprintf("block %d was finalized as %s, and block %d now follows %s",
			cursor.Number, cursor.Hash, next, blocks[0].Parent)}
	}
	if err := a.save(store, payments, Cursor{next + uint64(count) - 1, blocks[count-1].Hash, cursor.Rescanned}); err != nil {
		return false, err
	}
	return next+uint64(count) <= head.Number, nil
}

// save stores payments and then the cursor.
func (a *Attester) save(store *Store, payments []Payment, cursor Cursor) error {
	if err := a.config.BeforeStep("store payments"); err != nil {
		return err
	}
	added, err := store.Append(payments)
	if err != nil {
		return err
	}
	if err := a.config.BeforeStep("store cursor"); err != nil {
		return err
	}
	if err := store.SetCursor(cursor); err != nil {
		return err
	}
	if err := a.config.BeforeStep("publish"); err != nil {
		return err
	}
	if added > 0 {
		a.mu.Lock()
		a.notify()
		a.mu.Unlock()
	}
	return nil
}

// idle checks the chain when all finalized blocks have been read, and continues a rescan.
func (a *Attester) idle(
	ctx context.Context, store *Store, contract ident.Address, heads []evm.Block, lowest, highest int,
) (isBehind bool, err error) {
	cursor := store.Cursor()
	if head := heads[lowest]; head.Number == cursor.Number && head.Hash != cursor.Hash && cursor.Hash != (ident.Hash{}) {
		return false, &HaltError{ReasonFinality, a.config.Providers[lowest].Name(), fmt.Sprintf("block %d was finalized as %s, and is %s now",
			cursor.Number, cursor.Hash, head.Hash)}
	}
	if behind := max(heads[highest].Number, cursor.Number) - heads[lowest].Number; behind > 0 {
		return false, &HaltError{ReasonLagging, a.config.Providers[lowest].Name(), fmt.Sprintf("its newest finalized block is %d, %d blocks behind",
			heads[lowest].Number, behind)}
	}
	return a.continueRescan(ctx, store, contract)
}

// readHeads asks all providers for the chain id and the newest finalized block.
func (a *Attester) readHeads(ctx context.Context, settlementChain uint64) ([]evm.Block, error) {
	if err := a.config.BeforeStep("read heads"); err != nil {
		return nil, err
	}
	heads := make([]evm.Block, len(a.config.Providers))
	err := a.all(ctx, func(ctx context.Context, i int, provider Provider) error {
		id, err := provider.ChainID(ctx)
		if err != nil {
			return err
		}
		if id != settlementChain {
			return &HaltError{ReasonChainID, provider.Name(), fmt.Sprintf("it serves chain %d, the settlement chain is %d", id, settlementChain)}
		}
		heads[i], err = provider.Finalized(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	a.heads = heads
	a.mu.Unlock()
	return heads, nil
}

// all calls a function for every provider at once, and returns the first error.
func (a *Attester) all(ctx context.Context, run func(ctx context.Context, i int, provider Provider) error) error {
	group, ctx := errgroup.WithContext(ctx)
	for i, provider := range a.config.Providers {
		group.Go(func() error {
			if err := run(ctx, i, provider); err != nil {
				return halt(provider, err)
			}
			return nil
		})
	}
	return group.Wait()
}

// extremes returns the providers with the lowest and the highest block.
func extremes(heads []evm.Block) (lowest, highest int) {
	for i, head := range heads {
		if head.Number < heads[lowest].Number {
			lowest = i
		}
		if head.Number > heads[highest].Number {
			highest = i
		}
	}
	return lowest, highest
}

// read reads blocks and their payments from all providers, which must agree.
func (a *Attester) read(ctx context.Context, contract ident.Address, from uint64, count int) ([]evm.Block, []Payment, error) {
	if err := a.config.BeforeStep("read blocks"); err != nil {
		return nil, nil, err
	}
	blocks, rents := make([][]evm.Block, len(a.config.Providers)), make([][][]evm.Rent, len(a.config.Providers))
	err := a.all(ctx, func(ctx context.Context, i int, provider Provider) (err error) {
		if blocks[i], err = provider.Blocks(ctx, from, count); err != nil {
			return err
		}
		for j := range blocks[i][1:] {
			if blocks[i][j+1].Parent != blocks[i][j].Hash {
				return &HaltError{ReasonProvider, provider.Name(), fmt.Sprintf("block %d does not follow block %d", from+uint64(j)+1, from+uint64(j))}
			}
		}
		rents[i], err = provider.Rents(ctx, contract, blocks[i])
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	for i, provider := range a.config.Providers[1:] {
		if err := compare(a.config.Providers[0], provider, blocks[0], blocks[i+1], rents[0], rents[i+1]); err != nil {
			return nil, nil, err
		}
	}
	var payments []Payment
	for i, block := range blocks[0] {
		for _, rent := range rents[0][i] {
			payments = append(payments, Payment{Rent: rent, BlockNumber: block.Number, BlockHash: block.Hash})
		}
	}
	return blocks[0], payments, nil
}

// compare returns an error for the first difference between two providers.
func compare(first, second Provider, firstBlocks, secondBlocks []evm.Block, firstRents, secondRents [][]evm.Rent) error {
	for i, block := range firstBlocks {
		if other := secondBlocks[i]; other != block {
			return &HaltError{ReasonDisagreement, second.Name(), fmt.Sprintf("block %d is %s, and %s from %s",
				block.Number, other.Hash, block.Hash, first.Name())}
		}
		if !slices.Equal(firstRents[i], secondRents[i]) {
			return &HaltError{ReasonDisagreement, second.Name(), fmt.Sprintf("block %d has %d payments, and %d or others from %s",
				block.Number, len(secondRents[i]), len(firstRents[i]), first.Name())}
		}
	}
	return nil
}

// A rescan reads blocks again that were read before, and compares.
type rescan struct {
	next, end uint64           // blocks
	stored    map[event]uint64 // payments of these blocks that were not found yet, with their block
	different int
}

// An event identifies a payment.
type event struct {
	tx       ident.Hash
	logIndex uint32
}

// continueRescan starts a rescan when it is time, and reads its next blocks. It reports whether there are more.
func (a *Attester) continueRescan(ctx context.Context, store *Store, contract ident.Address) (more bool, err error) {
	cursor := store.Cursor()
	if a.rescan == nil {
		last := max(cursor.Rescanned, a.rescanned)
		if a.config.Now().Sub(time.Unix(last, 0)) < RescanInterval || cursor.Hash == (ident.Hash{}) {
			return false, nil
		}
		if a.rescan, err = a.newRescan(store, cursor); err != nil {
			return false, err
		}
	}
	r := a.rescan
	if r.next <= r.end {
		count := int(min(r.end-r.next+1, evm.MaxBatch))
		_, payments, err := a.read(ctx, contract, r.next, count)
		if err != nil {
			return false, err
		}
		if err := a.checkRescanned(store, payments, r.next+uint64(count)-1); err != nil {
			return false, err
		}
		r.next += uint64(count)
		return true, nil
	}
	a.rescan = nil
	a.metrics.rescans.Inc()
	a.rescanned = a.config.Now().Unix()
	a.config.Log.Info("rescan ended", "differences", r.different)
	if r.different > 0 {
		return false, nil // the next start reads the blocks again: it does not know which payments are suspended
	}
	cursor.Rescanned = a.rescanned
	if err := store.SetCursor(cursor); err != nil {
		return false, err
	}
	return false, nil
}

// newRescan returns a rescan of the blocks before the cursor, with the payments that are stored for them.
func (a *Attester) newRescan(store *Store, cursor Cursor) (*rescan, error) {
	r := &rescan{end: cursor.Number, next: a.config.FromBlock, stored: map[event]uint64{}}
	if cursor.Number >= a.config.RescanBlocks {
		r.next = max(r.next, cursor.Number-a.config.RescanBlocks+1)
	}
	for position := range store.Count() {
		payment, err := store.Get(position)
		if err != nil {
			return nil, err
		}
		if payment.BlockNumber >= r.next && payment.BlockNumber <= r.end {
			r.stored[event{payment.TxHash, payment.LogIndex}] = payment.BlockNumber
		}
	}
	return r, nil
}

// checkRescanned compares payments of blocks up to end with those that are stored. Payments that were missed are stored; those that are no
// longer on the chain are not signed until they are found again.
func (a *Attester) checkRescanned(store *Store, payments []Payment, end uint64) error {
	r := a.rescan
	added, err := store.Append(payments)
	if err != nil {
		return err
	}
	if added > 0 {
		r.different += added
		a.metrics.differences.Add(float64(added))
		a.config.Log.Error("a rescan found payments that were missed before", "payments", added, "blocks_to", end)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, payment := range payments {
		key := event{payment.TxHash, payment.LogIndex}
		delete(a.suspended, key)
		delete(r.stored, key)
	}
	for key, block := range r.stored {
		if block > end || a.suspended[key] {
			continue
		}
		a.suspended[key] = true
		r.different++
		a.metrics.differences.Inc()
		a.config.Log.Error("a payment is no longer on the settlement chain, and is not signed", "tx", key.tx.String(), "log", key.logIndex, "block", block)
	}
	if added > 0 {
		a.notify()
	}
	return nil
}
