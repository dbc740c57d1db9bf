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

// flaky is a node that admits every message except those in refuse, over a connection that breaks.
type flaky struct {
	makechainpbconnect.UnimplementedMakechainServiceHandler

	refuse map[message.Hash]message.Code

	mu         sync.Mutex
	breakAfter int // calls whose response is lost; guarded by mu, like the fields below
	breakFirst int // calls that are lost before the node has processed them
	unready    int // calls that return the code unavailable
	calls      []int
	submitted  map[message.Hash]int
	states     []pb.MessageState // successive states of the submitted messages; the last one is final
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
		answer.Msg.Results = append(answer.Msg.GetResults(), f.admit(message.Hash(m.GetHash())))
	}
	if f.breakAfter > 0 {
		f.breakAfter--
		panic(http.ErrAbortHandler)
	}
	return answer, nil
}

func (f *flaky) admit(hash message.Hash) *pb.BatchSubmitResult {
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

// newMessages returns different messages.
func newMessages(t *testing.T, count int) []*message.Envelope {
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

// TestSubmitOverBrokenConnections checks that every message arrives once when connections break.
func TestSubmitOverBrokenConnections(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		node  *flaky
		calls int
	}{
		"no failure":                  {&flaky{}, 1},
		"request lost":                {&flaky{breakFirst: 2}, 3},
		"response lost":               {&flaky{breakAfter: 1}, 1},
		"not ready":                   {&flaky{unready: 2}, 3},
		"request, then response lost": {&flaky{breakFirst: 1, breakAfter: 1}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			messages := newMessages(t, 3)
			admitted, err := dial(t, serve(t, test.node)).SubmitAll(t.Context(), messages)
			if err != nil || admitted != len(messages) {
				t.Fatalf("%d admitted: %v", admitted, err)
			}
			test.node.mu.Lock()
			defer test.node.mu.Unlock()
			if len(test.node.calls) != test.calls {
				t.Errorf("calls %v, want %d", test.node.calls, test.calls)
			}
			for _, m := range messages {
				if times := test.node.submitted[m.Hash]; times != 1 {
					t.Errorf("%s arrived %d times", m.Hash, times)
				}
			}
		})
	}
}

// TestSubmitGivesUp checks that Submit returns an error when every connection breaks.
func TestSubmitGivesUp(t *testing.T) {
	t.Parallel()
	node := &flaky{breakFirst: 1000}
	err := dial(t, serve(t, node)).Submit(t.Context(), newMessages(t, 1)[0])
	node.mu.Lock()
	defer node.mu.Unlock()
	if err == nil || len(node.calls) > 10 {
		t.Errorf("%v after %d calls", err, len(node.calls))
	}
}

// TestSubmitRefusedMeanwhile checks that Submit returns the refusal of a message whose response was lost.
func TestSubmitRefusedMeanwhile(t *testing.T) {
	t.Parallel()
	node := &flaky{breakAfter: 1, states: []pb.MessageState{pb.MessageState_MESSAGE_STATE_REFUSED}}
	refused := (*client.RefusedError)(nil)
	err := dial(t, serve(t, node)).Submit(t.Context(), newMessages(t, 1)[0])
	if !errors.As(err, &refused) || refused.Code != message.CodeUnknownSigner || refused.Stage != message.Authorization {
		t.Errorf("%v", err)
	}
}

// TestSubmitAll checks that messages are submitted in batches and in order, up to the first refusal.
//
// Rules: P10.3.
func TestSubmitAll(t *testing.T) {
	t.Parallel()
	messages := newMessages(t, 2*limit.MaxBatch+1)
	node := &flaky{}
	if admitted, err := dial(t, serve(t, node)).SubmitAll(t.Context(), messages); err != nil || admitted != len(messages) {
		t.Errorf("%d admitted: %v", admitted, err)
	}
	node.mu.Lock()
	if got := node.calls; len(got) != 3 || got[0] != limit.MaxBatch || got[2] != 1 {
		t.Errorf("calls of %v messages", got)
	}
	node.mu.Unlock()
	strict := &flaky{refuse: map[message.Hash]message.Code{messages[limit.MaxBatch+3].Hash: message.CodeTooEarly}}
	refused := (*client.RefusedError)(nil)
	admitted, err := dial(t, serve(t, strict)).SubmitAll(t.Context(), messages)
	if admitted != limit.MaxBatch+3 || !errors.As(err, &refused) || refused.Hash != messages[limit.MaxBatch+3].Hash {
		t.Errorf("%d admitted: %v", admitted, err)
	}
	if skew := refused.Skew.Round(time.Minute); skew != serverDelay {
		t.Errorf("skew %s", refused.Skew)
	}
	strict.mu.Lock()
	defer strict.mu.Unlock()
	if len(strict.calls) != 2 {
		t.Errorf("calls of %v messages after a refusal", strict.calls)
	}
}

// TestAwaitCommitted checks the result for each outcome of a message.
//
// Rules: P10.4.
func TestAwaitCommitted(t *testing.T) {
	t.Parallel()
	pending, hash := pb.MessageState_MESSAGE_STATE_PENDING, newMessages(t, 1)[0].Hash
	follow := func(t *testing.T, timeout time.Duration, states ...pb.MessageState) (uint64, error) {
		t.Helper()
		node := &flaky{states: states, submitted: map[message.Hash]int{hash: 1}}
		ctx, cancel := context.WithTimeout(t.Context(), timeout)
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
		t.Errorf("unknown: %v", err)
	}
	if _, err := follow(t, 50*time.Millisecond, pending); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("still pending: %v", err)
	}
}
