package client_test

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"connectrpc.com/connect"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/gen/makechain/makechainpbconnect"
	"makechain/internal/limit"
	"makechain/message"
)

// flaky is a node that takes every message whose hash it is not told to refuse, over a connection that breaks.
type flaky struct {
	makechainpbconnect.UnimplementedMakechainServiceHandler

	refuse map[message.Hash]message.Code

	mu         sync.Mutex
	breakAfter int // calls whose verdict is lost, though the node has heard them; guarded by mu, as is the rest
	breakFirst int // calls that are lost before the node has heard them
	unready    int // calls that are answered with unavailable
	calls      []int
	submitted  map[message.Hash]int
	states     []pb.MessageState // answers about messages that were submitted, the last one for ever
}

func (f *flaky) BatchSubmitMessages(
	_ context.Context, r *connect.Request[pb.BatchSubmitRequest],
) (*connect.Response[pb.BatchSubmitResponse], error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, len(r.Msg.GetMessages()))
	if f.breakFirst > 0 {
		f.breakFirst--
		panic(http.ErrAbortHandler)
	}
	if f.unready > 0 {
		f.unready--
		return nil, connect.NewError(connect.CodeUnavailable, errors.New("starting"))
	}
	answer := connect.NewResponse(&pb.BatchSubmitResponse{})
	for _, m := range r.Msg.GetMessages() {
		answer.Msg.Results = append(answer.Msg.GetResults(), f.judge(message.Hash(m.GetHash())))
	}
	if f.breakAfter > 0 {
		f.breakAfter--
		panic(http.ErrAbortHandler)
	}
	return answer, nil
}

func (f *flaky) judge(hash message.Hash) *pb.BatchSubmitResult {
	if code, refused := f.refuse[hash]; refused {
		return &pb.BatchSubmitResult{Hash: hash[:], Stage: "state transition", Code: string(code), Error: "no"}
	}
	if f.submitted == nil {
		f.submitted = map[message.Hash]int{}
	}
	f.submitted[hash]++
	if f.submitted[hash] > 1 {
		return &pb.BatchSubmitResult{Hash: hash[:], Stage: "state transition", Code: string(message.CodeDuplicate), Error: "again"}
	}
	return &pb.BatchSubmitResult{Hash: hash[:], Accepted: true}
}

func (f *flaky) GetMessageStatus(
	_ context.Context, r *connect.Request[pb.GetMessageStatusRequest],
) (*connect.Response[pb.GetMessageStatusResponse], error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	answer := &pb.GetMessageStatusResponse{Hash: r.Msg.GetHash()}
	if f.submitted[message.Hash(r.Msg.GetHash())] > 0 {
		answer.State, answer.BlockNumber = pb.MessageState_MESSAGE_STATE_PENDING, 7
		if len(f.states) > 0 {
			answer.State = f.states[0]
			f.states = f.states[min(1, len(f.states)-1):]
		}
		if answer.GetState() == pb.MessageState_MESSAGE_STATE_REFUSED {
			answer.Stage, answer.Code, answer.Error = "authorization", "unknown_signer", "gone"
		}
	}
	return connect.NewResponse(answer), nil
}

// letters makes messages that differ.
func letters(t *testing.T, count int) []*message.Envelope {
	t.Helper()
	author := message.NewAuthor(message.Seed{1}, pb.Network_NETWORK_DEVNET, message.Address{2})
	list := make([]*message.Envelope, count)
	for i := range list {
		m, err := author.Sign(uint32(i+1), message.UsernameCreate("name-"+strconv.Itoa(i)))
		if err != nil {
			t.Fatal(err)
		}
		list[i] = m
	}
	return list
}

// TestSubmitOverBrokenConnections hands every message over once, whatever the connection does.
func TestSubmitOverBrokenConnections(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		node  *flaky
		calls int
	}{
		"fine":                    {&flaky{}, 1},
		"lost on the way":         {&flaky{breakFirst: 2}, 3},
		"verdict lost":            {&flaky{breakAfter: 1}, 1},
		"not ready":               {&flaky{unready: 2}, 3},
		"lost, then verdict lost": {&flaky{breakFirst: 1, breakAfter: 1}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			messages := letters(t, 3)
			accepted, err := dial(t, serve(t, test.node)).SubmitAll(t.Context(), messages)
			if err != nil || accepted != len(messages) {
				t.Fatalf("%d accepted: %v", accepted, err)
			}
			test.node.mu.Lock()
			defer test.node.mu.Unlock()
			if len(test.node.calls) != test.calls {
				t.Errorf("calls %v, want %d", test.node.calls, test.calls)
			}
			for _, m := range messages {
				if times := test.node.submitted[m.Hash]; times != 1 {
					t.Errorf("%s was heard %d times", m.Hash, times)
				}
			}
		})
	}
}

// TestSubmitGivesUp when the connection never holds, and says that no node was reached.
func TestSubmitGivesUp(t *testing.T) {
	t.Parallel()
	node := &flaky{breakFirst: 1000}
	err := dial(t, serve(t, node)).Submit(t.Context(), letters(t, 1)[0])
	node.mu.Lock()
	defer node.mu.Unlock()
	if err == nil || len(node.calls) > 10 {
		t.Errorf("%v after %d calls", err, len(node.calls))
	}
}

// TestSubmitRefusedMeanwhile learns from the node's memory that a message whose verdict was lost is refused.
func TestSubmitRefusedMeanwhile(t *testing.T) {
	t.Parallel()
	node := &flaky{breakAfter: 1, states: []pb.MessageState{pb.MessageState_MESSAGE_STATE_REFUSED}}
	refused := (*client.RefusedError)(nil)
	err := dial(t, serve(t, node)).Submit(t.Context(), letters(t, 1)[0])
	if !errors.As(err, &refused) || refused.Code != message.CodeUnknownSigner || refused.Stage != message.Authorization {
		t.Errorf("%v", err)
	}
}

// TestSubmitAll divides many messages into calls, keeps their order, and stops at a refusal.
//
// Rules: P10.3.
func TestSubmitAll(t *testing.T) {
	t.Parallel()
	messages := letters(t, 2*limit.MaxBatch+1)
	node := &flaky{}
	if accepted, err := dial(t, serve(t, node)).SubmitAll(t.Context(), messages); err != nil || accepted != len(messages) {
		t.Errorf("%d accepted: %v", accepted, err)
	}
	node.mu.Lock()
	if got := node.calls; len(got) != 3 || got[0] != limit.MaxBatch || got[2] != 1 {
		t.Errorf("calls of %v messages", got)
	}
	node.mu.Unlock()
	strict := &flaky{refuse: map[message.Hash]message.Code{messages[limit.MaxBatch+3].Hash: message.CodeTooEarly}}
	refused := (*client.RefusedError)(nil)
	accepted, err := dial(t, serve(t, strict)).SubmitAll(t.Context(), messages)
	if accepted != limit.MaxBatch+3 || !errors.As(err, &refused) || refused.Hash != messages[limit.MaxBatch+3].Hash {
		t.Errorf("%d accepted: %v", accepted, err)
	}
	if skew := refused.Skew.Round(time.Minute); skew != late {
		t.Errorf("the clock is said to be %s ahead", refused.Skew)
	}
	strict.mu.Lock()
	defer strict.mu.Unlock()
	if len(strict.calls) != 2 {
		t.Errorf("calls of %v messages after a refusal", strict.calls)
	}
}

// TestAwaitCommitted follows a message to each of its fates.
//
// Rules: P10.4.
func TestAwaitCommitted(t *testing.T) {
	t.Parallel()
	pending, hash := pb.MessageState_MESSAGE_STATE_PENDING, letters(t, 1)[0].Hash
	follow := func(t *testing.T, patience time.Duration, states ...pb.MessageState) (uint64, error) {
		t.Helper()
		node := &flaky{states: states, submitted: map[message.Hash]int{hash: 1}}
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		return dial(t, serve(t, node)).AwaitCommitted(ctx, hash)
	}
	if block, err := follow(t, time.Minute, pending, pending, pb.MessageState_MESSAGE_STATE_COMMITTED); err != nil || block != 7 {
		t.Errorf("committed in %d: %v", block, err)
	}
	refused := (*client.RefusedError)(nil)
	if _, err := follow(t, time.Minute, pending, pb.MessageState_MESSAGE_STATE_REFUSED); !errors.As(err, &refused) || refused.Hash != hash {
		t.Errorf("refused: %v", err)
	}
	if _, err := follow(t, time.Minute, pending, pb.MessageState_MESSAGE_STATE_EXPIRED); !errors.As(err, &refused) || refused.Code != client.CodeExpired {
		t.Errorf("expired: %v", err)
	}
	if _, err := follow(t, time.Minute, pending, pb.MessageState_MESSAGE_STATE_UNKNOWN); !errors.Is(err, client.ErrUnknownMessage) {
		t.Errorf("forgotten: %v", err)
	}
	if _, err := follow(t, 50*time.Millisecond, pending); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("still pending: %v", err)
	}
}
