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
	// commitWait is how long a client waits at one node for a message to commit, and callTimeout for any answer.
	commitWait  = 2 * time.Second
	callTimeout = 4 * time.Second
	// retryPause is the time between two attempts of a client.
	retryPause = 20 * time.Millisecond
	// storage is how much of it each person has, in units: far more than is written.
	storage = 10
)

// sharedRefs are the refs that all writers move.
func sharedRefs() []string { return []string{"main", "next"} }

// writer is a person at work on a project that is shared. Each call goes to any node.
type writer struct {
	*nodetest.Account

	id        int
	network   *network
	history   *history
	project   ident.Hash
	random    *rand.Rand
	described uint32 // when it last wrote about itself
}

// newWriters puts people on the chain and gives them a project.
func newWriters(n *network, h *history, seed uint64, count int) []*writer {
	n.t.Helper()
	client := n.nodes[0].Client
	var people []*writer
	for i := range count {
		w := &writer{Account: nodetest.NewAccount(n.t), id: i, network: n, history: h, random: rand.New(rand.NewPCG(seed, uint64(1+i)))}
		joined := client.Register(w.Account, storage, "writer-"+strconv.Itoa(i))
		fate := client.AwaitStatus(n.t, joined[len(joined)-1])
		if fate.GetState() != pb.MessageState_MESSAGE_STATE_COMMITTED {
			n.t.Fatalf("writer %d did not join: %v", i, fate)
		}
		people = append(people, w)
	}
	owner := people[0]
	project := owner.Sign(message.ProjectCreate("shared", pb.Visibility_VISIBILITY_PUBLIC, "", ""))
	made := []*message.Envelope{project}
	for _, w := range people {
		w.project = project.Hash
		if w != owner {
			made = append(made, owner.Sign(message.CollaboratorAdd(project.Hash, w.Address(), pb.Permission_PERMISSION_WRITE)))
		}
	}
	client.Submit(n.t, made...)
	client.MustCommit(n.t, made...)
	return people
}

// work moves refs and writes other things, one after another, until it is told to stop. It ends what it began, for
// which ctx gives it time.
func (w *writer) work(ctx context.Context, stop <-chan struct{}) {
	for ctx.Err() == nil {
		select {
		case <-stop:
			return
		default:
		}
		refs := sharedRefs()
		w.push(ctx, refs[w.random.IntN(len(refs))])
		if now := w.Now(); now > w.described { // of two in a second only one could stay
			w.described = now
			w.offer(ctx, w.Sign(message.AccountData(pb.AccountDataType_ACCOUNT_DATA_BIO, fmt.Sprintf("as of %d", now))))
		}
	}
}

// push reads a ref, commits on top of it, and moves the ref there if it is still where it was.
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
		move: move{ref: ref, write: true, old: from, next: to}, client: w.id, call: call, answer: w.history.now(), message: m.Hash,
	})
}

// any is a node, up or not.
func (w *writer) any() *member { return w.network.nodes[w.random.IntN(len(w.network.nodes))] }

// offer hands a message to one node after another until one says what became of it.
func (w *writer) offer(ctx context.Context, m *message.Envelope) (f fate) {
	w.history.settle(m.Hash, fate{doubt: true})
	defer func() { w.history.settle(m.Hash, f) }()
	for {
		told, err := w.submit(ctx, w.any(), m)
		told.doubt = told.doubt || f.doubt
		f = told
		if f.block > 0 || f.code != "" {
			return f
		}
		if err != nil && !isAway(err) {
			w.network.t.Errorf("%s is answered with %v", m.Type(), err)
			return f
		}
		if !rest(ctx, retryPause) {
			w.complain("nobody tells what became of %s %s: %v", m.Type(), m.Hash, err)
			return f
		}
	}
}

// submit hands a message to a node, and waits there for a while.
func (w *writer) submit(ctx context.Context, to *member, m *message.Envelope) (fate, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	request := &pb.SubmitMessageRequest{
		Message: m.Proto(), Wait: pb.SubmitWait_SUBMIT_WAIT_COMMITTED, WaitTimeoutMs: uint32(commitWait.Milliseconds()),
	}
	answer, err := to.SubmitMessage(ctx, connect.NewRequest(request))
	switch {
	case err != nil:
		return fate{doubt: true}, err
	case answer.Msg.GetAccepted():
		return fate{block: answer.Msg.GetBlockNumber(), doubt: answer.Msg.GetBlockNumber() == 0}, nil
	case answer.Msg.GetCode() != string(message.CodeDuplicate):
		return fate{code: answer.Msg.GetCode()}, nil
	}
	status, err := to.GetMessageStatus(ctx, connect.NewRequest(&pb.GetMessageStatusRequest{Hash: m.Hash[:]}))
	if err != nil {
		return fate{doubt: true}, err
	}
	return fate{block: status.Msg.GetBlockNumber(), code: status.Msg.GetCode(), doubt: true}, nil
}

// complain is for a writer that ran out of time. When the test has failed already, that is why.
func (w *writer) complain(format string, args ...any) {
	if !w.network.t.Failed() {
		w.network.t.Errorf(format, args...)
	}
}

// isAway says whether an error is one of a node that is down, dies in the middle of its answer, stands still, or has just
// come back.
func isAway(err error) bool {
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

// read asks one node after another for a ref, until one answers that has the newest block which any client knew of
// when the reading began. Nodes are not at the same block, so an answer of any other could be of the past.
func (w *writer) read(ctx context.Context, ref string) (position, bool) {
	call, newest := w.history.now(), w.history.knows(0)
	for {
		at, err := w.readAt(ctx, w.any(), ref, newest)
		if err == nil {
			w.history.add(attempt{move: move{ref: ref, old: at}, client: w.id, call: call, answer: w.history.now()})
			return at, true
		}
		if !isAway(err) {
			w.network.t.Errorf("ref %s: %v", ref, err)
			return position{}, false
		}
		if !rest(ctx, retryPause) {
			w.complain("nobody tells where ref %s is: %v", ref, err)
			return position{}, false
		}
	}
}

// readAt reads a ref of a node that has a block. All clients know of the block it answers from before it is used.
func (w *writer) readAt(ctx context.Context, of *member, ref string, newest uint64) (position, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	before, err := of.look(ctx)
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
	after, err := of.look(ctx)
	if err != nil {
		return position{}, err
	}
	w.history.knows(after.GetCurrentBlock())
	return at, nil
}
