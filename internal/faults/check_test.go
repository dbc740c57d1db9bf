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
	// blocksPerCall is the page size of ListBlocks.
	blocksPerCall = 100
	// linearizabilityTimeout is the timeout of the linearizability check.
	linearizabilityTimeout = time.Minute
)

// outcome is the result of a run.
type outcome struct {
	offered, committed, refused, lost int
	reasons                           map[string]int // number of refusals by code
	operations                        int            // on refs that were checked
	blocks                            uint64
}

// settle waits until all mempools are empty and all nodes are at the same block. It returns that block.
func (n *network) settle() uint64 {
	n.t.Helper()
	ctx, cancel := context.WithTimeout(n.t.Context(), nodetest.Timeout)
	defer cancel()
	for {
		if height, done := n.isIdle(ctx); done {
			return height
		}
		if !sleep(ctx, pollInterval) {
			n.failStuck("the network does not become idle")
		}
	}
}

func (n *network) isIdle(ctx context.Context) (height uint64, done bool) {
	for i, m := range n.nodes {
		n.mustRun(i)
		status, err := m.status(ctx)
		if err != nil || status.GetMempoolSize() > 0 || status.GetCatchingUp() || i > 0 && status.GetCurrentBlock() != height {
			return 0, false
		}
		height = status.GetCurrentBlock()
	}
	return height, true
}

// check checks everything that must hold at the end, and stops the network.
func (n *network) check(h *history, listeners []*listener) outcome {
	n.t.Helper()
	height := n.settle()
	chain := n.sameBlocks(height)
	locations := map[ident.Hash]location{}
	for _, m := range chain {
		if before, twice := locations[m.hash]; twice {
			n.t.Errorf("message %s is at %+v and at %+v", m.hash, before, m.at)
		}
		locations[m.hash] = m.at
	}
	n.sameStreams(chain, listeners)
	result := h.compare(n, locations)
	result.blocks = height
	operations := h.operations(locations)
	result.operations = len(operations)
	if checked := porcupine.CheckOperationsTimeout(refs(), operations, linearizabilityTimeout); checked != porcupine.Ok {
		n.t.Errorf("the history of refs is not linearizable: %s", checked)
	}
	n.stop()
	for i, m := range n.nodes {
		n.sound(m, i == 0)
	}
	return result
}

// sameBlocks checks that all nodes have the same blocks and roots, and returns the messages of the chain in order.
func (n *network) sameBlocks(height uint64) []delivered {
	n.t.Helper()
	var chain []delivered
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
			n.t.Fatalf("%s has %d messages, which differ from those of %s", m.name, len(own), n.nodes[0].name)
		}
	}
	return chain
}

func isSameBlock(a, b *pb.GetBlockResponse) bool {
	return len(a.GetBlock().GetHash()) > 0 && bytes.Equal(a.GetBlock().GetHash(), b.GetBlock().GetHash()) &&
		bytes.Equal(a.GetBlock().GetHeader().GetStateRoot(), b.GetBlock().GetHeader().GetStateRoot())
}

// messages returns all messages that a node has committed.
func (n *network) messages(m *member, height uint64) []delivered {
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
		if !sleep(ctx, pollInterval) {
			n.t.Fatalf("%s has %d messages up to block %d, but streams %d", m.name, total, height, len(fresh.all()))
		}
	}
	cancel()
	<-done
	return fresh.all()
}

// sameStreams checks that every subscriber received the whole chain, and nothing else.
func (n *network) sameStreams(chain []delivered, listeners []*listener) {
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
			n.t.Errorf("the stream of %s has %d messages, the chain has %d", l.of.name, len(got), len(chain))
		}
	}
}

// compare checks what was reported to clients against the chain, and against the status that a node returns.
func (h *history) compare(n *network, locations map[ident.Hash]location) (result outcome) {
	n.t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	result.reasons = map[string]int{}
	for hash, f := range h.reports {
		result.offered++
		at, committed := locations[hash]
		switch {
		case committed:
			result.committed++
			n.isAt(n.nodes[result.committed%len(n.nodes)], hash, at)
			if f.block > 0 && f.block != at.height {
				n.t.Errorf("message %s was reported in block %d, but is in %d", hash, f.block, at.height)
			}
			if f.block == 0 && !f.uncertain {
				n.t.Errorf("message %s was refused with %s, but is in block %d", hash, f.code, at.height)
			}
		case f.block > 0:
			result.lost++
			n.t.Errorf("message %s was reported in block %d, but is lost", hash, f.block)
		case f.code != "":
			result.refused++
			result.reasons[f.code]++
		default:
			n.t.Errorf("message %s is missing without a refusal", hash)
		}
	}
	// All signers were registered on all nodes before the first fault.
	if wrongly := result.reasons[string(message.CodeUnknownSigner)]; wrongly > 0 {
		n.t.Errorf("%d messages were refused because a node was behind the registration of their signers", wrongly)
	}
	return result
}

// isAt checks the status of a message on a node.
func (n *network) isAt(m *member, hash ident.Hash, at location) {
	n.t.Helper()
	answer, err := m.GetMessageStatus(n.t.Context(), connect.NewRequest(&pb.GetMessageStatusRequest{Hash: hash[:]}))
	if err != nil {
		n.t.Fatal(err)
	}
	if got := (location{answer.Msg.GetBlockNumber(), answer.Msg.GetIndex()}); got != at || answer.Msg.GetState() != pb.MessageState_MESSAGE_STATE_COMMITTED {
		n.t.Errorf("%s: the status of message %s, which is at %+v, is %v", m.name, hash, at, answer.Msg)
	}
}

// sound checks the store of a stopped node.
func (n *network) sound(m *member, replay bool) {
	n.t.Helper()
	var lines []string
	err := node.Check(m.role.Home, node.CheckOptions{Replay: replay, Report: func(line string) { lines = append(lines, line) }})
	if err != nil {
		n.t.Errorf("%s: %v, after %s", m.name, err, strings.Join(lines, "; "))
	}
}
