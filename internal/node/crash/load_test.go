package crash_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	devpb "makechain/gen/makechain/dev"
	"makechain/internal/ident"
	"makechain/internal/node/nodetest"
	"makechain/message"
)

const (
	// writers is how many people work at a time.
	writers = 3
	// ahead is how many pushes each sends before it waits for one.
	ahead = 8
)

// place is where a message stands in the chain.
type place struct {
	height uint64
	index  uint32
}

// record is everything that a node has reported as committed.
type record struct {
	mu     sync.Mutex
	places map[ident.Hash]place // guarded by mu
	fresh  []ident.Hash         // since they were last asked for; guarded by mu
	goal   int                  // how many there shall be; guarded by mu
	met    func()               // is called when there are; guarded by mu
	names  int                  // of people so far
}

func newRecord() *record { return &record{places: map[ident.Hash]place{}} }

func (r *record) add(hash ident.Hash, at place) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if known, reported := r.places[hash]; reported && known != at {
		return fmt.Errorf("message %s was reported at %+v, and is now at %+v", hash, known, at)
	}
	if _, reported := r.places[hash]; !reported {
		r.fresh = append(r.fresh, hash)
	}
	r.places[hash] = at
	if r.met != nil && len(r.places) >= r.goal {
		r.met()
		r.met = nil
	}
	return nil
}

// until calls met once, when so many messages are reported.
func (r *record) until(goal int, met func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.goal, r.met = goal, met
}

func (r *record) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.places)
}

// takeFresh gives what was reported since it was last asked.
func (r *record) takeFresh() []ident.Hash {
	r.mu.Lock()
	defer r.mu.Unlock()
	fresh := r.fresh
	r.fresh = nil
	return fresh
}

func (r *record) all() []ident.Hash {
	r.mu.Lock()
	defer r.mu.Unlock()
	hashes := make([]ident.Hash, 0, len(r.places))
	for hash := range r.places {
		hashes = append(hashes, hash)
	}
	return hashes
}

// verify asks a node for messages that were reported.
func (r *record) verify(t *testing.T, client *nodetest.Client, hashes []ident.Hash) {
	t.Helper()
	for _, hash := range hashes {
		status := nodetest.Call(t, client.GetMessageStatus, &pb.GetMessageStatusRequest{Hash: hash[:]})
		r.mu.Lock()
		want := r.places[hash]
		r.mu.Unlock()
		got := place{status.GetBlockNumber(), status.GetIndex()}
		if status.GetState() != pb.MessageState_MESSAGE_STATE_COMMITTED || got != want {
			t.Fatalf("message %s was reported committed at %+v, and is now %v", hash, want, status)
		}
	}
}

// load has people work on a node until ctx ends or the node dies, and records what it reports as committed. It
// returns when all of them have stopped.
func (r *record) load(ctx context.Context, t *testing.T, v *victim, client *nodetest.Client) {
	t.Helper()
	var working sync.WaitGroup
	working.Go(func() { r.listen(ctx, t, client) })
	for range writers {
		r.names++
		person, name := nodetest.NewAccount(t), fmt.Sprintf("person-%d", r.names)
		working.Go(func() {
			w := &writer{Account: person, victim: v, client: client, record: r, t: t}
			_ = w.work(ctx, name) // it ends when the node does, or is at fault
		})
	}
	working.Wait()
}

// listen records what the stream of committed messages brings, from the start.
func (r *record) listen(ctx context.Context, t *testing.T, client *nodetest.Client) {
	stream, err := client.SubscribeMessages(ctx, connect.NewRequest(&pb.SubscribeRequest{StartBlock: proto.Uint64(1)}))
	if err != nil {
		return
	}
	for stream.Receive() {
		m := stream.Msg()
		if err := r.add(ident.Hash(m.GetHash()), place{m.GetBlockNumber(), m.GetIndex()}); err != nil {
			t.Error(err)
		}
	}
	_ = stream.Close() // the node is gone
}

// errFault ends a writer that has met a fault of the node, which the test was told of.
var errFault = errors.New("the node is at fault")

// writer is one person at work.
type writer struct {
	*nodetest.Account

	t      *testing.T
	victim *victim
	client *nodetest.Client
	record *record
}

// work joins the chain, and then pushes commits one after another and waits for some of them.
func (w *writer) work(ctx context.Context, name string) error {
	if err := w.join(ctx, name); err != nil {
		return err
	}
	project := w.Sign(message.ProjectCreate(name, pb.Visibility_VISIBILITY_PUBLIC, "", ""))
	if err := w.send(ctx, project); err != nil {
		return err
	}
	var tip ident.Hash
	for nonce := uint64(1); ; nonce++ {
		next := nodetest.Random(w.t)
		commit := message.Commit{
			Hash: next, TreeRoot: next, MessageHash: next, Author: w.Address(), AuthorTimestamp: w.Now(), Title: "push",
		}
		if nonce > 1 {
			commit.Parents = []ident.Hash{tip}
		}
		push := w.Sign(message.CommitBundle(project.Hash, message.Content{}, commit))
		move := w.Sign(message.RefUpdate(project.Hash, "main", message.RefMove{Old: tip, New: next, Nonce: nonce}))
		like := w.Sign(message.Like(project.Hash, tip))
		if nonce == 1 {
			like = w.Sign(message.Star(project.Hash))
		}
		tip = next
		if err := w.send(ctx, push, move); err != nil {
			return err
		}
		if nonce%ahead == 0 {
			if err := w.await(ctx, like); err != nil {
				return err
			}
			continue
		}
		if err := w.send(ctx, like); err != nil {
			return err
		}
	}
}

func (w *writer) join(ctx context.Context, name string) error {
	if err := w.send(ctx, w.AddKey()); err != nil {
		return err
	}
	owner := w.Address()
	if _, err := w.client.Faucet.Claim(ctx, connect.NewRequest(&devpb.ClaimRequest{OwnerAddress: owner[:]})); err != nil {
		return err
	}
	return w.send(ctx, w.Sign(message.UsernameCreate(name)))
}

// send submits messages. A refusal is a fault of the node, as the writer builds only on what it sent itself.
func (w *writer) send(ctx context.Context, messages ...*message.Envelope) error {
	var request pb.BatchSubmitRequest
	for _, m := range messages {
		request.Messages = append(request.Messages, m.Proto())
	}
	answer, err := w.client.BatchSubmitMessages(ctx, connect.NewRequest(&request))
	if err != nil {
		return err
	}
	if answer.Msg.GetRejectedCount() > 0 {
		w.t.Errorf("a good message is refused: %v", answer.Msg)
		return errFault
	}
	return nil
}

// await submits a message, waits for it and records where it is.
func (w *writer) await(ctx context.Context, m *message.Envelope) error {
	request := &pb.SubmitMessageRequest{Message: m.Proto(), Wait: pb.SubmitWait_SUBMIT_WAIT_COMMITTED}
	answer, err := w.client.SubmitMessage(ctx, connect.NewRequest(request))
	if err != nil {
		return err
	}
	if !answer.Msg.GetAccepted() || answer.Msg.GetBlockNumber() == 0 {
		w.victim.DumpGoroutines()
		<-w.victim.Done()
		w.t.Errorf("a good message did not commit: %v\n%s", answer.Msg, w.victim.Stderr())
		return errFault
	}
	status, err := w.client.GetMessageStatus(ctx, connect.NewRequest(&pb.GetMessageStatusRequest{Hash: m.Hash[:]}))
	if err != nil {
		return err
	}
	return w.record.add(m.Hash, place{answer.Msg.GetBlockNumber(), status.Msg.GetIndex()})
}
