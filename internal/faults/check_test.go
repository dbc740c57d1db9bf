package faults_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"time"

	"connectrpc.com/connect"
	"github.com/anishathalye/porcupine"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/node"
	"makechain/internal/node/nodetest"
	"makechain/message"
)

const (
	// blocksPerCall is how many blocks a node lists at a time.
	blocksPerCall = 100
	// judging is how long it may take to find an order for what clients saw.
	judging = time.Minute
)

// outcome is how a run ended.
type outcome struct {
	offered, committed, refused, lost int
	reasons                           map[string]int // of refusals, and how many had them
	operations                        int            // on refs, that were found linearizable
	blocks                            uint64
}

// settle waits until no node has anything left to do and all stand at the same block. It gives that block.
func (n *network) settle() uint64 {
	n.t.Helper()
	ctx, cancel := context.WithTimeout(n.t.Context(), nodetest.Timeout)
	defer cancel()
	for {
		if height, done := n.settled(ctx); done {
			return height
		}
		if !rest(ctx, pollInterval) {
			n.complain("the network does not come to rest")
		}
	}
}

func (n *network) settled(ctx context.Context) (height uint64, done bool) {
	for i, m := range n.nodes {
		n.mustLive(i)
		status, err := m.look(ctx)
		if err != nil || status.GetMempoolSize() > 0 || status.GetCatchingUp() || i > 0 && status.GetCurrentBlock() != height {
			return 0, false
		}
		height = status.GetCurrentBlock()
	}
	return height, true
}

// judge checks everything that must hold in the end of a network that has settled, and stops it.
func (n *network) judge(h *history, listeners []*listener) outcome {
	n.t.Helper()
	height := n.settle()
	chain := n.sameBlocks(height)
	places := map[ident.Hash]place{}
	for _, m := range chain {
		if before, twice := places[m.hash]; twice {
			n.t.Errorf("message %s stands at %+v and at %+v", m.hash, before, m.at)
		}
		places[m.hash] = m.at
	}
	n.sameStreams(chain, listeners)
	result := h.compare(n, places)
	result.blocks = height
	operations := h.operations(places)
	result.operations = len(operations)
	if verdict := porcupine.CheckOperationsTimeout(refs(), operations, judging); verdict != porcupine.Ok {
		n.t.Errorf("what clients saw of refs is not linearizable: %s", verdict)
	}
	n.stop()
	for i, m := range n.nodes {
		n.sound(m, i == 0)
	}
	return result
}

// sameBlocks compares the blocks and roots of all nodes, and gives the messages of the chain in their order.
func (n *network) sameBlocks(height uint64) []heard {
	n.t.Helper()
	var chain []heard
	for newest := height; newest > 0; newest -= min(newest, blocksPerCall) {
		request := &pb.ListBlocksRequest{Start: newest, Limit: uint32(min(newest, blocksPerCall))}
		first := nodetest.Call(n.t, n.nodes[0].ListBlocks, request).GetBlocks()
		if len(first) != int(request.GetLimit()) {
			n.t.Fatalf("%d blocks from %d down, want %d", len(first), newest, request.GetLimit())
		}
		for _, m := range n.nodes[1:] {
			other := nodetest.Call(n.t, m.ListBlocks, request).GetBlocks()
			if !slices.EqualFunc(first, other, isSameBlock) {
				n.t.Fatalf("%s and %s differ in a block from %d down", n.nodes[0].name, m.name, newest)
			}
		}
	}
	for _, m := range n.nodes {
		own := n.messages(m, height)
		if chain == nil {
			chain = own
		}
		if !slices.Equal(own, chain) {
			n.t.Fatalf("%s has %d messages, and others than %s has", m.name, len(own), n.nodes[0].name)
		}
	}
	return chain
}

func isSameBlock(a, b *pb.GetBlockResponse) bool {
	return len(a.GetBlock().GetHash()) > 0 && bytes.Equal(a.GetBlock().GetHash(), b.GetBlock().GetHash()) &&
		bytes.Equal(a.GetBlock().GetHeader().GetStateRoot(), b.GetBlock().GetHeader().GetStateRoot())
}

// messages lists all that a node has committed up to a height, as the node counts them.
func (n *network) messages(m *member, height uint64) []heard {
	n.t.Helper()
	total := nodetest.Call(n.t, m.GetNodeStatus, &pb.GetNodeStatusRequest{}).GetTotalMessages()
	ctx, cancel := context.WithTimeout(n.t.Context(), nodetest.Timeout)
	defer cancel()
	fresh := &listener{of: m}
	done := make(chan struct{})
	go func() {
		defer close(done)
		fresh.listen(ctx)
	}()
	for uint64(len(fresh.all())) < total {
		if !rest(ctx, pollInterval) {
			n.t.Fatalf("%s has %d messages up to block %d, and streams %d", m.name, total, height, len(fresh.all()))
		}
	}
	cancel()
	<-done
	return fresh.all()
}

// sameStreams waits until all that listened heard the whole chain, and nothing else.
func (n *network) sameStreams(chain []heard, listeners []*listener) {
	n.t.Helper()
	for _, l := range listeners {
		nodetest.Await(n.t, "the stream of "+l.of.name, func() bool { return len(l.all()) >= len(chain) })
		if got := l.all(); !slices.Equal(got, chain) {
			for i := range min(len(got), len(chain)) {
				if got[i] != chain[i] {
					n.t.Errorf("the stream of %s has %+v where the chain has %+v", l.of.name, got[i], chain[i])
					break
				}
			}
			n.t.Errorf("the stream of %s had %d messages, the chain has %d", l.of.name, len(got), len(chain))
		}
	}
}

// compare holds what clients were told against what is in the chain, and asks a node about each.
func (h *history) compare(n *network, places map[ident.Hash]place) (result outcome) {
	n.t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	result.reasons = map[string]int{}
	for hash, f := range h.fates {
		result.offered++
		at, committed := places[hash]
		switch {
		case committed:
			result.committed++
			n.isAt(n.nodes[result.committed%len(n.nodes)], hash, at)
			if f.block > 0 && f.block != at.height {
				n.t.Errorf("message %s was reported in block %d, and is in %d", hash, f.block, at.height)
			}
			if f.block == 0 && !f.doubt {
				n.t.Errorf("message %s was refused as %s, and is in block %d", hash, f.code, at.height)
			}
		case f.block > 0:
			result.lost++
			n.t.Errorf("message %s was reported in block %d, and is lost", hash, f.block)
		case f.code != "":
			result.refused++
			result.reasons[f.code]++
		default:
			n.t.Errorf("message %s is not there, and nobody says why", hash)
		}
	}
	// Everybody was known to all nodes before the faults began, and stays so.
	if wrongly := result.reasons[string(message.CodeUnknownSigner)]; wrongly > 0 {
		n.t.Errorf("%d messages were refused by nodes that did not know their signers yet", wrongly)
	}
	return result
}

// isAt asks a node for a message.
func (n *network) isAt(m *member, hash ident.Hash, at place) {
	n.t.Helper()
	answer, err := m.GetMessageStatus(n.t.Context(), connect.NewRequest(&pb.GetMessageStatusRequest{Hash: hash[:]}))
	if err != nil {
		n.t.Fatal(err)
	}
	if got := (place{answer.Msg.GetBlockNumber(), answer.Msg.GetIndex()}); got != at || answer.Msg.GetState() != pb.MessageState_MESSAGE_STATE_COMMITTED {
		n.t.Errorf("%s says of message %s, which is at %+v: %v", m.name, hash, at, answer.Msg)
	}
}

// sound looks through everything that a stopped node has stored.
func (n *network) sound(m *member, replay bool) {
	n.t.Helper()
	var notes []string
	err := node.Check(m.role.Home, node.CheckOptions{Replay: replay, Report: func(line string) { notes = append(notes, line) }})
	if err != nil {
		n.t.Errorf("%s: %v, after %s", m.name, err, strings.Join(notes, "; "))
	}
}
