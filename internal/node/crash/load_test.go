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
	// writers is the number of concurrent writers.
	writers = 3
	// ahead is the number of pushes that a writer sends before it waits for one.
	ahead = 8
)

// location is the position of a message in the chain.
type location struct {
	height uint64
	index  uint32
}

// record is the set of messages that a node has reported as committed.
type record struct {
	mu        sync.Mutex
	locations map[ident.Hash]location // guarded by mu
	fresh     []ident.Hash            // since the last call of takeFresh; guarded by mu
	goal      int                     // number of messages; guarded by mu
	met       func()                  // called at goal; guarded by mu
	names     int                     // of accounts so far
}

func newRecord() *record { return &record{locations: map[ident.Hash]location{}} }

func (r *record) add(hash ident.Hash, at location) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if before, reported := r.locations[hash]; reported && before != at {
		return fmt.Errorf("message %s was reported at %+v, but is now at %+v", hash, before, at)
	}
	if _, reported := r.locations[hash]; !reported {
		r.fresh = append(r.fresh, hash)
	}
	r.locations[hash] = at
	if r.met != nil && len(r.locations) >= r.goal {
		r.met()
		r.met = nil
	}
	return nil
}

// until calls met once, when the given number of messages is reported.
func (r *record) until(goal int, met func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.goal, r.met = goal, met
}

func (r *record) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.locations)
}

// takeFresh returns the messages that were reported since its last call.
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
	hashes := make([]ident.Hash, 0, len(r.locations))
	for hash := range r.locations {
		hashes = append(hashes, hash)
	}
	return hashes
}

// verify checks the status of reported messages.
func (r *record) verify(t *testing.T, client *nodetest.Client, hashes []ident.Hash) {
	t.Helper()
	for _, hash := range hashes {
		status := nodetest.Call(t, client.GetMessageStatus, &pb.GetMessageStatusRequest{Hash: hash[:]})
		r.mu.Lock()
		want := r.locations[hash]
		r.mu.Unlock()
		got := location{status.GetBlockNumber(), status.GetIndex()}
		if status.GetState() != pb.MessageState_MESSAGE_STATE_COMMITTED || got != want {
			t.Fatalf("message %s was reported as committed at %+v, but is now %v", hash, want, status)
		}
	}
}

// load runs writers on a node until ctx ends or the node exits, and records the messages that it reports as committed. It
// returns when all writers have stopped.
func (r *record) load(ctx context.Context, t *testing.T, v *victim, client *nodetest.Client) {
	t.Helper()
	var working sync.WaitGroup
	working.Go(func() { r.listen(ctx, t, client) })
	for range writers {
		r.names++
		account, name := nodetest.NewAccount(t), fmt.Sprintf("writer-%d", r.names)
		working.Go(func() {
			w := &writer{Account: account, victim: v, client: client, record: r, t: t}
			_ = w.work(ctx, name) // it ends with the node, or has reported an error
		})
	}
	working.Wait()
}

// listen records the messages of a stream from the first block.
func (r *record) listen(ctx context.Context, t *testing.T, client *nodetest.Client) {
	stream, err := client.SubscribeMessages(ctx, connect.NewRequest(&pb.SubscribeRequest{StartBlock: proto.Uint64(1)}))
	if err != nil {
		return
	}
	for stream.Receive() {
		m := stream.Msg()
		if err := r.add(ident.Hash(m.GetHash()), location{m.GetBlockNumber(), m.GetIndex()}); err != nil {
			t.Error(err)
		}
	}
	_ = stream.Close() // the node has exited
}

// errFault is returned when a writer has reported a fault of the node to the test.
var errFault = errors.New("fault of the node")

// writer is an account that submits messages.
type writer struct {
	*nodetest.Account

	t      *testing.T
	victim *victim
	client *nodetest.Client
	record *record
}

// work registers the account, and then pushes commits and waits for some of them.
func (w *writer) work(ctx context.Context, name string) error {
	if err := w.register(ctx, name); err != nil {
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

func (w *writer) register(ctx context.Context, name string) error {
	if err := w.send(ctx, w.AddKey()); err != nil {
		return err
	}
	owner := w.Address()
	if _, err := w.client.Faucet.Claim(ctx, connect.NewRequest(&devpb.ClaimRequest{OwnerAddress: owner[:]})); err != nil {
		return err
	}
	return w.send(ctx, w.Sign(message.UsernameCreate(name)))
}

// send submits messages. A refusal is a fault of the node, because messages depend only on earlier ones of the writer.
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
		w.t.Errorf("a valid message was refused: %v", answer.Msg)
		return errFault
	}
	return nil
}

// await submits a message, waits for its commit and records its location.
func (w *writer) await(ctx context.Context, m *message.Envelope) error {
	request := &pb.SubmitMessageRequest{Message: m.Proto(), Wait: pb.SubmitWait_SUBMIT_WAIT_COMMITTED}
	answer, err := w.client.SubmitMessage(ctx, connect.NewRequest(request))
	if err != nil {
		return err
	}
	if !answer.Msg.GetAccepted() || answer.Msg.GetBlockNumber() == 0 {
		w.victim.DumpGoroutines()
		<-w.victim.Done()
		w.t.Errorf("a valid message did not commit: %v\n%s", answer.Msg, w.victim.Stderr())
		return errFault
	}
	status, err := w.client.GetMessageStatus(ctx, connect.NewRequest(&pb.GetMessageStatusRequest{Hash: m.Hash[:]}))
	if err != nil {
		return err
	}
	return w.record.add(m.Hash, location{answer.Msg.GetBlockNumber(), status.Msg.GetIndex()})
}
