package faults_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/node/nodetest"
	"makechain/message"
)

const (
	// commitWait is how long a client waits for a message to commit on one node, and callTimeout the timeout of any call.
	commitWait  = 2 * time.Second
	callTimeout = 4 * time.Second
	// retryInterval is the time between two attempts of a client.
	retryInterval = 20 * time.Millisecond
	// storage is the number of storage units of each account: more than enough.
	storage = 10
)

// sharedRefs returns the refs that all writers update.
func sharedRefs() []string { return []string{"main", "next"} }

// writer is an account that writes to a shared project. Each call goes to a random node.
type writer struct {
	*nodetest.Account

	id        int
	network   *network
	history   *history
	project   ident.Hash
	random    *rand.Rand
	described uint32 // timestamp of its last profile update
}

// newWriters registers accounts and creates their shared project.
func newWriters(n *network, h *history, seed uint64, count int) []*writer {
	n.t.Helper()
	client := n.nodes[0].Client
	var writers []*writer
	for i := range count {
		w := &writer{Account: nodetest.NewAccount(n.t), id: i, network: n, history: h, random: rand.New(rand.NewPCG(seed, uint64(1+i)))}
		joined := client.Register(w.Account, storage, "writer-"+strconv.Itoa(i))
		reported := client.AwaitStatus(n.t, joined[len(joined)-1])
		if reported.GetState() != pb.MessageState_MESSAGE_STATE_COMMITTED {
			n.t.Fatalf("writer %d was not registered: %v", i, reported)
		}
		writers = append(writers, w)
	}
	owner := writers[0]
	project := owner.Sign(message.ProjectCreate("shared", pb.Visibility_VISIBILITY_PUBLIC, "", ""))
	made := []*message.Envelope{project}
	for _, w := range writers {
		w.project = project.Hash
		if w != owner {
			made = append(made, owner.Sign(message.CollaboratorAdd(project.Hash, w.Address(), pb.Permission_PERMISSION_WRITE)))
		}
	}
	client.Submit(n.t, made...)
	client.MustCommit(n.t, made...)
	return writers
}

// work updates refs and the profile in sequence until stop is closed. It finishes the current operation unless ctx ends.
func (w *writer) work(ctx context.Context, stop <-chan struct{}) {
	for ctx.Err() == nil {
		select {
		case <-stop:
			return
		default:
		}
		refs := sharedRefs()
		w.push(ctx, refs[w.random.IntN(len(refs))])
		if now := w.Now(); now > w.described { // of two in a second only one would apply
			w.described = now
			w.offer(ctx, w.Sign(message.AccountData(pb.AccountDataType_ACCOUNT_DATA_BIO, fmt.Sprintf("as of %d", now))))
		}
	}
}

// push reads a ref, adds a commit, and updates the ref to it.
func (w *writer) push(ctx context.Context, ref string) {
	from, ok := w.read(ctx, ref)
	if !ok {
		return
	}
	next := nodetest.Random(w.network.t)
	commit := message.Commit{Hash: next, TreeRoot: next, MessageHash: next, Author: w.Address(), AuthorTimestamp: w.Now(), Title: "push"}
	if from.nonce > 0 {
		commit.Parents = []ident.Hash{from.hash}
	}
	if pushed := w.offer(ctx, w.Sign(message.CommitBundle(w.project, message.Content{}, commit))); pushed.block == 0 {
		return
	}
	to := position{next, from.nonce + 1}
	m := w.Sign(message.RefUpdate(w.project, ref, message.RefMove{Old: from.hash, New: to.hash, Nonce: to.nonce}))
	call := w.history.now()
	w.offer(ctx, m)
	w.history.add(attempt{
		move: move{ref: ref, write: true, old: from, next: to}, client: w.id, call: call, returned: w.history.now(), message: m.Hash,
	})
}

// any returns a random node, which may be down.
func (w *writer) any() *member { return w.network.nodes[w.random.IntN(len(w.network.nodes))] }

// offer submits a message to one node after another until one returns its outcome.
func (w *writer) offer(ctx context.Context, m *message.Envelope) (f reported) {
	w.history.settle(m.Hash, reported{uncertain: true})
	defer func() { w.history.settle(m.Hash, f) }()
	for {
		result, err := w.submit(ctx, w.any(), m)
		result.uncertain = result.uncertain || f.uncertain
		f = result
		if f.block > 0 || f.code != "" {
			return f
		}
		if err != nil && !isUnavailable(err) {
			w.network.t.Errorf("submitting %s: %v", m.Type(), err)
			return f
		}
		if !sleep(ctx, retryInterval) {
			w.failStuck("no node returned the outcome of %s %s: %v", m.Type(), m.Hash, err)
			return f
		}
	}
}

// submit submits a message to a node and waits for its commit.
func (w *writer) submit(ctx context.Context, to *member, m *message.Envelope) (reported, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	request := &pb.SubmitMessageRequest{
		Message: m.Proto(), Wait: pb.SubmitWait_SUBMIT_WAIT_COMMITTED, WaitTimeoutMs: uint32(commitWait.Milliseconds()),
	}
	answer, err := to.SubmitMessage(ctx, connect.NewRequest(request))
	switch {
	case err != nil:
		return reported{uncertain: true}, err
	case answer.Msg.GetAccepted():
		return reported{block: answer.Msg.GetBlockNumber(), uncertain: answer.Msg.GetBlockNumber() == 0}, nil
	case answer.Msg.GetCode() != string(message.CodeDuplicate):
		return reported{code: answer.Msg.GetCode()}, nil
	}
	status, err := to.GetMessageStatus(ctx, connect.NewRequest(&pb.GetMessageStatusRequest{Hash: m.Hash[:]}))
	if err != nil {
		return reported{uncertain: true}, err
	}
	return reported{block: status.Msg.GetBlockNumber(), code: status.Msg.GetCode(), uncertain: true}, nil
}

// failStuck reports that a writer ran out of time, unless the test has failed already.
func (w *writer) failStuck(format string, args ...any) {
	if !w.network.t.Failed() {
		w.network.t.Errorf(format, args...)
	}
}

// isUnavailable reports whether an error is one of a node that is down, killed, suspended or starting.
func isUnavailable(err error) bool {
	if !connect.IsWireError(err) {
		return true
	}
	switch connect.CodeOf(err) {
	case connect.CodeUnavailable, connect.CodeDeadlineExceeded, connect.CodeCanceled:
		return true
	default:
		return false
	}
}

// read reads a ref from one node after another, until one has the latest block that any client had observed when the read
// started. Nodes are not at the same block, so other responses could be stale.
func (w *writer) read(ctx context.Context, ref string) (position, bool) {
	call, newest := w.history.now(), w.history.observe(0)
	for {
		at, err := w.readAt(ctx, w.any(), ref, newest)
		if err == nil {
			w.history.add(attempt{move: move{ref: ref, old: at}, client: w.id, call: call, returned: w.history.now()})
			return at, true
		}
		if !isUnavailable(err) {
			w.network.t.Errorf("ref %s: %v", ref, err)
			return position{}, false
		}
		if !sleep(ctx, retryInterval) {
			w.failStuck("no node returned ref %s: %v", ref, err)
			return position{}, false
		}
	}
}

// readAt reads a ref from a node that has at least the given block. The block of the response is recorded before it is used.
func (w *writer) readAt(ctx context.Context, of *member, ref string, newest uint64) (position, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	before, err := of.status(ctx)
	if err != nil {
		return position{}, err
	}
	if before.GetCurrentBlock() < newest {
		return position{}, connect.NewError(connect.CodeUnavailable, fmt.Errorf("%s is behind block %d", of.name, newest))
	}
	var at position
	answer, err := of.GetRef(ctx, connect.NewRequest(&pb.GetRefRequest{ProjectId: w.project[:], RefName: []byte(ref)}))
	switch {
	case err == nil:
		at = position{ident.Hash(answer.Msg.GetHash()), answer.Msg.GetNonce()}
	case connect.CodeOf(err) != connect.CodeNotFound:
		return position{}, err
	}
	after, err := of.status(ctx)
	if err != nil {
		return position{}, err
	}
	w.history.observe(after.GetCurrentBlock())
	return at, nil
}
