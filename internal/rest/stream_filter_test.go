package rest

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"makechain/internal/feed"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/message"
)

// TestFiltersAgree checks that the filters of the gateway select the same messages as those of the node, live and when
// catching up.
//
// Rules: REST, P10.7.
func TestFiltersAgree(t *testing.T) {
	t.Parallel()
	cast := streamCast(t, 60)
	projects := []ident.Hash{{1}, {2}, {7}}
	for _, m := range cast {
		projects = append(projects, m.Hash) // of a project that it makes
	}
	chain := newMemoryChain()
	chain.commitSigned(cast...)
	live, err := encodeMessages(chain.blocks[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(draw *rapid.T) {
		filter := &eventFilter{types: rapid.SliceOfN(rapid.SampledFrom(message.Types()), 0, 12).Draw(draw, "types")}
		if rapid.Bool().Draw(draw, "of a project") {
			filter.project = new(rapid.SampledFrom(projects).Draw(draw, "project"))
		}
		if rapid.Bool().Draw(draw, "of an owner") {
			filter.owner = &ident.Address{rapid.ByteRange(0, 3).Draw(draw, "owner")}
		}
		past, err := encodeMessages(chain.blocks[0], filter)
		if err != nil {
			draw.Fatal(err)
		}
		from := rapid.Uint32Range(0, 61).Draw(draw, "from")
		want := feedIndexes(draw, cast, from, filter)
		for name, page := range map[string]*eventPage{"live": live, "past": past} {
			if got := indexesOf(draw, page, from, filter); !slices.Equal(got, want) {
				draw.Errorf("%s from %d: messages %v, the node gives %v", name, from, got, want)
			}
		}
	})
}

// feedIndexes returns the indexes of the messages that the node's feed delivers.
func feedIndexes(draw *rapid.T, cast []*message.Envelope, from uint32, filter *eventFilter) (taken []uint32) {
	f := feed.New(noDisk{}, 0, feed.Options{})
	block := &ledger.Committed{Block: ledger.Block{Height: 1}}
	for _, m := range cast {
		block.Applied = append(block.Applied, ledger.Applied{Message: m})
	}
	f.Committed(block)
	subscription, err := f.SubscribeMessages(&feed.Position{Height: 1, Index: from}, feed.Filter{Project: filter.project, Types: filter.types, Owner: filter.owner})
	if err != nil {
		draw.Fatal(err)
	}
	for ctx := (&untilWaiting{Context: context.Background()}); ; {
		item, err := subscription.Next(ctx)
		if errors.Is(err, context.Canceled) {
			return taken
		}
		if err != nil {
			draw.Fatal(err)
		}
		taken = append(taken, item.Index)
	}
}

// untilWaiting is a context that is canceled as soon as Done is called.
type untilWaiting struct {
	context.Context //nolint:containedctx // it is one

	hasEnded bool
}

func (c *untilWaiting) Done() <-chan struct{} {
	c.hasEnded = true
	done := make(chan struct{})
	close(done)
	return done
}

func (c *untilWaiting) Err() error {
	if c.hasEnded {
		return context.Canceled
	}
	return nil
}

// noDisk is a block store without blocks.
type noDisk struct{}

func (noDisk) Base() uint64                          { return 1 }
func (noDisk) Transactions(uint64) ([][]byte, error) { return nil, nil }

// indexesOf returns the indexes of the messages that a listener receives.
func indexesOf(draw *rapid.T, page *eventPage, from uint32, filter *eventFilter) (indexes []uint32) {
	var text strings.Builder
	for run := range page.runs(from, filter) {
		text.Write(run)
	}
	for line := range strings.Lines(text.String()) {
		id, isID := strings.CutPrefix(line, "id: 1-")
		if !isID {
			continue
		}
		index, err := strconv.ParseUint(strings.TrimSpace(id), 10, 32)
		if err != nil {
			draw.Fatal(err)
		}
		indexes = append(indexes, uint32(index))
	}
	return indexes
}
