package rpc_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/internal/ledger"
	"makechain/internal/ledgertest"
	"makechain/internal/mempool"
	"makechain/message"
)

// TestStages checks messages that fail at each of the four stages and one that passes, and that a dry run returns the same
// and changes nothing.
//
// Rules: P10.1, P10.5, P2.3.
func TestStages(t *testing.T) {
	t.Parallel()
	n := newNode(t, setup{})
	alice := n.actor("alice")
	n.must(append(n.join(alice, 1), n.create(alice, "taken"))...)
	tampered := n.create(alice, "tampered").Proto()
	tampered.Signature[0] ^= 1
	renamed := proto.Clone(n.create(alice, "renamed").Proto()).(*pb.Message)
	renamed.GetData().GetProjectCreate().Name = "other"
	withBytes := n.create(alice, "bytes").Proto()
	withBytes.DataBytes = []byte("other")
	for _, c := range []struct {
		name        string
		message     *pb.Message
		stage, code string
	}{
		{"no data", &pb.Message{}, "verification", "malformed"},
		{"another hash", renamed, "verification", "hash_mismatch"},
		{"other data bytes", withBytes, "verification", "data_bytes_mismatch"},
		{"another signature", tampered, "verification", "bad_signature"},
		{"a bad name", n.create(alice, "-").Proto(), "validation", "invalid_field"},
		{"a stranger", n.create(n.actor("stranger"), "x").Proto(), "authorization", "unknown_signer"},
		{"a name that is taken", n.create(alice, "taken").Proto(), "state transition", "name_taken"},
		{"a good one", n.create(alice, "good").Proto(), "", ""},
	} {
		dry := get[*pb.DryRunMessageResponse](n, "DryRunMessage", &pb.DryRunMessageRequest{Message: c.message})
		if dry.GetErrorStage() != c.stage || dry.GetCode() != c.code || dry.GetWouldAccept() != (c.stage == "") || (dry.GetError() == "") != (c.stage == "") {
			t.Errorf("%s: dry run %v, want %s at %s", c.name, dry, c.code, c.stage)
		}
		if n.pool.Len() != 0 {
			t.Fatalf("%s: a dry run changed the mempool", c.name)
		}
		answer := get[*pb.SubmitMessageResponse](n, "SubmitMessage", &pb.SubmitMessageRequest{Message: c.message})
		want := &pb.SubmitMessageResponse{
			Hash: c.message.GetHash(), Accepted: dry.GetWouldAccept(), Error: dry.GetError(), Code: dry.GetCode(), Stage: dry.GetErrorStage(),
		}
		if !proto.Equal(answer, want) {
			t.Errorf("%s: submitted %v, dry run %v", c.name, answer, dry)
		}
	}
	if n.pool.Len() != 1 {
		t.Errorf("%d messages are pending, want 1", n.pool.Len())
	}
}

// TestBatch checks a batch of dependent and invalid messages.
//
// Rules: P10.3.
func TestBatch(t *testing.T) {
	t.Parallel()
	n := newNode(t, setup{})
	alice := n.actor("alice")
	n.must(n.join(alice, 1)...)
	create := n.create(alice, "hello")
	one := ledgertest.Hash("one")
	sent := []*message.Envelope{
		create, n.create(alice, "-"), n.push(alice, create.Hash, "one"), n.create(alice, "hello"),
		n.sign(alice, message.RefUpdate(create.Hash, "main", message.RefMove{New: one, Nonce: 1})), create,
	}
	codes := []string{"", "invalid_field", "", "duplicate", "", "duplicate"} // the second hello is the first one
	req := &pb.BatchSubmitRequest{}
	for _, m := range sent {
		req.Messages = append(req.Messages, m.Proto())
	}
	req.Messages = append(req.Messages, &pb.Message{Hash: one[:]})
	codes = append(codes, "malformed")
	answer := get[*pb.BatchSubmitResponse](n, "BatchSubmitMessages", req)
	if answer.GetAcceptedCount() != 3 || answer.GetRejectedCount() != 4 || len(answer.GetResults()) != len(codes) {
		t.Fatalf("response: %v", answer)
	}
	for i, result := range answer.GetResults() {
		if result.GetCode() != codes[i] || result.GetAccepted() != (codes[i] == "") || string(result.GetHash()) != string(req.GetMessages()[i].GetHash()) {
			t.Errorf("message %d: %v, want %q", i, result, codes[i])
		}
		if (result.GetError() == "") != result.GetAccepted() || (result.GetStage() == "") != result.GetAccepted() {
			t.Errorf("message %d: %v", i, result)
		}
	}
	for n.pool.Len() > 0 {
		n.next()
	}
	get[*pb.GetRefResponse](n, "GetRef", &pb.GetRefRequest{ProjectId: create.Hash[:], RefName: []byte("main")})
	full := &pb.BatchSubmitRequest{Messages: slices.Repeat([]*pb.Message{create.Proto()}, 100)}
	if got := get[*pb.BatchSubmitResponse](n, "BatchSubmitMessages", full).GetRejectedCount(); got != 100 {
		t.Errorf("%d of 100 messages are refused", got)
	}
	full.Messages = append(full.Messages, create.Proto())
	n.expectError(t, "BatchSubmitMessages", full, connect.CodeInvalidArgument, "messages: 101 messages, want 1 to 100")
}

// TestFullMempool checks that a message beyond the capacity is an error with the refusal, and that it is accepted after a
// block.
//
// Rules: P10.2.
func TestFullMempool(t *testing.T) {
	t.Parallel()
	n := newNode(t, setup{capacity: 3})
	alice := n.actor("alice")
	n.must(n.join(alice, 1)...)
	for i := range 3 {
		n.submit(n.create(alice, fmt.Sprintf("p%d", i)))
	}
	last := n.create(alice, "last")
	_, err := n.client.SubmitMessage(t.Context(), connect.NewRequest(&pb.SubmitMessageRequest{Message: last.Proto()}))
	expectRefusal(t, err, connect.CodeResourceExhausted, last, message.CodeMempoolFull)
	batch := get[*pb.BatchSubmitResponse](n, "BatchSubmitMessages", &pb.BatchSubmitRequest{Messages: []*pb.Message{last.Proto()}})
	if batch.GetResults()[0].GetCode() != "mempool_full" {
		t.Errorf("batch: %v", batch)
	}
	n.next()
	n.must(last)
}

// expectRefusal checks an error that has the refusal of a message as its detail.
func expectRefusal(t *testing.T, err error, code connect.Code, of *message.Envelope, reason message.Code) {
	t.Helper()
	failed, ok := err.(*connect.Error) //nolint:errorlint // a client answers with exactly this type
	if !ok || failed.Code() != code || len(failed.Details()) != 1 {
		t.Fatalf("%v, want %s with one detail", err, code)
	}
	detail, err := failed.Details()[0].Value()
	if err != nil {
		t.Fatal(err)
	}
	if answer := detail.(*pb.SubmitMessageResponse); answer.GetCode() != string(reason) || answer.GetAccepted() || string(answer.GetHash()) != string(of.Hash[:]) {
		t.Errorf("the detail is %v, want %s", answer, reason)
	}
}

// TestCatchingUp checks that a node that is catching up returns an error with a refusal for a message of an unknown sender,
// a refusal in a batch and in a dry run, and validates the message once it has caught up.
//
// Rules: P10.1, P10.5.
func TestCatchingUp(t *testing.T) {
	t.Parallel()
	n := newNode(t, setup{})
	n.blocks.setLag(12)
	m := n.create(n.actor("alice"), "hello")
	request := &pb.SubmitMessageRequest{Message: m.Proto()}
	_, err := n.client.SubmitMessage(t.Context(), connect.NewRequest(request))
	expectRefusal(t, err, connect.CodeUnavailable, m, message.CodeUnavailable)
	if err != nil && !strings.Contains(err.Error(), "behind by 12 blocks") {
		t.Errorf("the error does not contain the number of missing blocks: %v", err)
	}
	batch := get[*pb.BatchSubmitResponse](n, "BatchSubmitMessages", &pb.BatchSubmitRequest{Messages: []*pb.Message{m.Proto()}})
	dry := get[*pb.DryRunMessageResponse](n, "DryRunMessage", &pb.DryRunMessageRequest{Message: m.Proto()})
	if batch.GetResults()[0].GetCode() != "unavailable" || dry.GetCode() != "unavailable" {
		t.Errorf("batch: %v, dry run: %v", batch, dry)
	}
	n.blocks.setLag(0)
	if answer := get[*pb.SubmitMessageResponse](n, "SubmitMessage", request); answer.GetCode() != "unknown_signer" {
		t.Errorf("after catching up: %v", answer)
	}
}

// TestPartialBatch checks that a failure to read the state in the middle of a batch is reported per message, and a failure at
// the first message, or of the engine, as an error.
//
// Rules: P10.3.
func TestPartialBatch(t *testing.T) {
	t.Parallel()
	var fails, stopped atomic.Bool
	bob, err := ledgertest.NewActor(pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_SECP256K1, "bob")
	if err != nil {
		t.Fatal(err)
	}
	n := newNode(t, setup{readError: func(key []byte) error {
		if fails.Load() && bytes.Contains(key, bob.Address[:]) {
			return errors.New("disk failure")
		}
		return nil
	}, broadcast: func([][]byte) error {
		if stopped.Load() {
			return errors.New("consensus has stopped")
		}
		return nil
	}})
	alice := n.actor("alice")
	n.actors["bob"] = bob
	n.must(n.join(alice, 1)...)
	n.must(n.join(bob, 1)...)
	n.next()
	request := &pb.BatchSubmitRequest{Messages: []*pb.Message{
		n.create(alice, "one").Proto(), n.create(bob, "two").Proto(), n.create(alice, "three").Proto(),
	}}
	fails.Store(true)
	batch := get[*pb.BatchSubmitResponse](n, "BatchSubmitMessages", request)
	if batch.GetAcceptedCount() != 1 || batch.GetRejectedCount() != 2 || !batch.GetResults()[0].GetAccepted() {
		t.Fatalf("partial batch: %v", batch)
	}
	for _, result := range batch.GetResults()[1:] {
		if result.GetCode() != "unavailable" {
			t.Errorf("result after the failure: %v", result)
		}
	}
	request.Messages = request.GetMessages()[1:]
	n.expectError(t, "BatchSubmitMessages", request, connect.CodeUnknown, "disk failure")
	fails.Store(false)
	stopped.Store(true)
	n.expectError(t, "BatchSubmitMessages", request, connect.CodeUnknown, "consensus has stopped")
}

// TestSubmitAndWait checks waiting for a commit, for a refusal and until the timeout.
//
// Rules: P10.4.
func TestSubmitAndWait(t *testing.T) {
	t.Parallel()
	n := newNode(t, setup{})
	alice, bobby := n.actor("alice"), n.actor("bobby")
	n.must(append(n.join(alice, 1), n.join(bobby, 1)...)...)
	n.clock.Add(week)
	// Both want one name: each would get it alone.
	first, second := n.sign(alice, message.UsernameUpdate("wanted")), n.sign(bobby, message.UsernameUpdate("wanted"))
	answers := make(chan *pb.SubmitMessageResponse, 2)
	for i, m := range []*message.Envelope{first, second} {
		go func() {
			answer, err := n.client.SubmitMessage(context.Background(), connect.NewRequest(&pb.SubmitMessageRequest{
				Message: m.Proto(), Wait: pb.SubmitWait_SUBMIT_WAIT_COMMITTED, WaitTimeoutMs: uint32(i) * 60_000, // or as long as can be
			}))
			if err != nil {
				t.Error(err)
				answer = connect.NewResponse(&pb.SubmitMessageResponse{})
			}
			answers <- answer.Msg
		}()
		await(t, func() bool { return n.pool.Len() == i+1 })
	}
	n.next()
	results := []*pb.SubmitMessageResponse{<-answers, <-answers}
	if !results[0].GetAccepted() {
		slices.Reverse(results)
	}
	if !results[0].GetAccepted() || results[0].GetBlockNumber() != n.blocks.Height() {
		t.Errorf("the account that got the name: %v", results[0])
	}
	if v := results[1]; v.GetAccepted() || v.GetCode() != "username_taken" || v.GetStage() != "state transition" || v.GetError() == "" || v.GetBlockNumber() != 0 {
		t.Errorf("the account that did not get the name: %v", v)
	}
	late := n.create(alice, "late")
	answer := get[*pb.SubmitMessageResponse](n, "SubmitMessage", &pb.SubmitMessageRequest{
		Message: late.Proto(), Wait: pb.SubmitWait_SUBMIT_WAIT_COMMITTED, WaitTimeoutMs: 1,
	})
	if !answer.GetAccepted() || answer.GetBlockNumber() != 0 {
		t.Errorf("after the timeout: %v", answer)
	}
	n.must()
	if state := n.status(late).GetState(); state != pb.MessageState_MESSAGE_STATE_COMMITTED {
		t.Errorf("after the block: %s", state)
	}
}

func (n *node) status(m *message.Envelope) *pb.GetMessageStatusResponse {
	n.Helper()
	return get[*pb.GetMessageStatusResponse](n, "GetMessageStatus", &pb.GetMessageStatusRequest{Hash: m.Hash[:]})
}

// TestMessageStatus checks the status of messages that are committed, refused after admission, and expired.
//
// Rules: P10.4.
func TestMessageStatus(t *testing.T) {
	t.Parallel()
	n := newNode(t, setup{})
	alice, bobby := n.actor("alice"), n.actor("bobby")
	n.must(append(n.join(alice, 1), n.join(bobby, 1)...)...)
	n.clock.Add(week)
	first, second := n.sign(alice, message.UsernameUpdate("wanted")), n.sign(bobby, message.UsernameUpdate("wanted"))
	n.submit(first, second)
	seen := uint64(n.clock.Load())
	n.next()
	refused, committed := n.status(first), n.status(second)
	if committed.GetState() != pb.MessageState_MESSAGE_STATE_COMMITTED {
		refused, committed = committed, refused
	}
	if committed.GetState() != pb.MessageState_MESSAGE_STATE_COMMITTED || committed.GetBlockNumber() != n.blocks.Height() || committed.GetIndex() != 0 {
		t.Errorf("committed: %v", committed)
	}
	if refused.GetState() != pb.MessageState_MESSAGE_STATE_REFUSED || refused.GetCode() != "username_taken" || refused.GetStage() != "state transition" ||
		!strings.Contains(refused.GetError(), "wanted") || refused.GetSeenAt() != seen || refused.GetBlockNumber() != 0 {
		t.Errorf("refused: %v", refused)
	}
	n.expectExpiry(t, alice)
}

// TestMessageStatusAfterRestart checks that a refusal from before a restart is read from the index.
//
// Rules: P10.4.
func TestMessageStatusAfterRestart(t *testing.T) {
	t.Parallel()
	n := newNode(t, setup{})
	alice := n.actor("alice")
	n.must(n.join(alice, 1)...)
	refused := n.create(alice, "hello")
	n.submit(refused)
	refusal := message.Refuse(message.StateTransition, message.CodeStaleWrite, "for the test")
	n.pool.Refuse([]ledger.Refused{{Message: refused, Refusal: refusal}})
	n.next()
	before := n.status(refused)
	restarted := n.newPool(setup{})
	defer func() {
		if err := restarted.Close(); err != nil {
			t.Error(err)
		}
	}()
	n.service.Pool = restarted
	after := n.status(refused)
	if after.GetState() != pb.MessageState_MESSAGE_STATE_REFUSED || after.GetCode() != "stale_write" || after.GetStage() != before.GetStage() || after.GetError() != before.GetError() {
		t.Errorf("status before the restart: %v, after: %v", before, after)
	}
	if unknown := n.status(n.create(alice, "other")); unknown.GetState() != pb.MessageState_MESSAGE_STATE_UNKNOWN {
		t.Errorf("status of a message that was not submitted: %v", unknown)
	}
}

// expectExpiry submits a message that is too early for every block and advances the clock beyond the TTL.
func (n *node) expectExpiry(t *testing.T, by *ledgertest.Actor) {
	t.Helper()
	n.lag = 200
	early := n.made(by.Sign(n.stamp()+250, message.AccountData(pb.AccountDataType_ACCOUNT_DATA_BIO, "later")))
	n.submit(early)
	seen := uint64(n.clock.Load())
	n.next()
	if waits := n.status(early); waits.GetState() != pb.MessageState_MESSAGE_STATE_PENDING || waits.GetSeenAt() != seen {
		t.Errorf("pending: %v", waits)
	}
	ttl := int64(mempool.DefaultTTL.Seconds())
	n.clock.Add(ttl)
	n.lag += ttl
	n.next()
	if gone := n.status(early); gone.GetState() != pb.MessageState_MESSAGE_STATE_EXPIRED || gone.GetCode() == "" || gone.GetError() == "" || gone.GetSeenAt() != seen {
		t.Errorf("expired: %v", gone)
	}
}

// await waits until a condition holds.
func await(t *testing.T, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatal("condition not met in time")
		}
	}
}
