package peers

import (
	"bytes"
	"crypto/sha256"
	"testing"
	"time"

	abci "github.com/cometbft/cometbft/abci/types"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/message"
)

// signedMessages returns transactions of several signers.
func signedMessages(t *testing.T, n int) [][]byte {
	t.Helper()
	transactions := make([][]byte, n)
	for i := range transactions {
		author := message.NewAuthor(sha256.Sum256([]byte{byte(i % 3)}), pb.Network_NETWORK_DEVNET, message.Address{byte(i % 3)})
		m, err := author.Sign(uint32(time.Now().Unix()), message.Follow(message.Address{9, byte(i)}))
		if err != nil {
			t.Fatal(err)
		}
		transactions[i] = m.Transaction()
	}
	return transactions
}

// requestOf returns an encoded batch.
func requestOf(messages [][]byte) (body []byte) {
	for _, m := range messages {
		body = protowire.AppendTag(body, messagesField, protowire.BytesType)
		body = protowire.AppendBytes(body, m)
	}
	return body
}

// TestSplit decodes the two requests of a batch as the service does.
func TestSplit(t *testing.T) {
	t.Parallel()
	messages := signedMessages(t, 5)
	body := requestOf(messages)
	first, last, err := split(body)
	if err != nil {
		t.Fatal(err)
	}
	var batch pb.BatchSubmitRequest
	var single pb.SubmitMessageRequest
	if err := proto.Unmarshal(first, &batch); err != nil {
		t.Fatal(err)
	}
	if err := proto.Unmarshal(last, &single); err != nil {
		t.Fatal(err)
	}
	if len(batch.GetMessages()) != 4 || single.GetWait() != pb.SubmitWait_SUBMIT_WAIT_COMMITTED {
		t.Fatalf("%d messages, and one with wait %s", len(batch.GetMessages()), single.GetWait())
	}
	for i, m := range append(batch.GetMessages(), single.GetMessage()) {
		opened, refusal := message.Open(m)
		if refusal != nil {
			t.Fatal(refusal)
		}
		if !bytes.Equal(opened.Transaction(), messages[i]) {
			t.Errorf("message %d differs", i)
		}
	}
	if !bytes.Equal(body, requestOf(messages)) {
		t.Error("the batch has changed")
	}
}

// TestRequestWithoutMessages checks that requests without messages are rejected.
func TestRequestWithoutMessages(t *testing.T) {
	t.Parallel()
	whole := requestOf(signedMessages(t, 1))
	for name, body := range map[string][]byte{"empty": nil, "torn": whole[:len(whole)-1], "another field": {0x10, 1}} {
		if messages, err := messagesOf(body); err == nil {
			t.Errorf("%s: %d messages", name, len(messages))
		}
	}
}

// TestPairs checks that CometBFT's application accepts the pairs of messages.
func TestPairs(t *testing.T) {
	t.Parallel()
	app, err := openKVStore(t.TempDir(), 10)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := app.Close(); err != nil {
			t.Error(err)
		}
	}()
	messages := signedMessages(t, 50)
	pairs, err := app.admit(messages)
	if err != nil {
		t.Fatal(err)
	}
	keys := map[string]bool{}
	for i, pair := range pairs {
		answer, err := app.CheckTx(t.Context(), &abci.RequestCheckTx{Tx: pair})
		if err != nil || answer.Code != abci.CodeTypeOK {
			t.Errorf("%q: %v, %v", pair, answer, err)
		}
		if len(pair) != len(messages[i]) {
			t.Errorf("%d bytes become %d", len(messages[i]), len(pair))
		}
		keys[string(pair[:keyDigits])] = true
	}
	if len(keys) != len(messages) {
		t.Errorf("%d keys of %d messages", len(keys), len(messages))
	}
	if _, err := app.admit([][]byte{[]byte("invalid")}); err == nil {
		t.Error("an invalid message was admitted")
	}
}

func newCeiling(t *testing.T) *ceiling {
	t.Helper()
	opened, err := openCeiling(t.TempDir(), 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := opened.Close(); err != nil {
			t.Error(err)
		}
	})
	return opened.(*ceiling)
}

// TestCeilingChecks checks that a batch with one invalid message is rejected.
func TestCeilingChecks(t *testing.T) {
	t.Parallel()
	app := newCeiling(t)
	if _, err := app.admit(signedMessages(t, 10)); err != nil {
		t.Fatal(err)
	}
	for name, spoil := range map[string]func(m *pb.Message){
		"data":      func(m *pb.Message) { m.Data.Timestamp++ },
		"hash":      func(m *pb.Message) { m.Hash[0] ^= 1 },
		"signature": func(m *pb.Message) { m.Signature[40] ^= 1 },
		"signer":    func(m *pb.Message) { m.Signer[0] ^= 1 },
		"form":      func(m *pb.Message) { m.Signer = m.Signer[1:] },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			messages := signedMessages(t, 10)
			var m pb.Message
			if err := proto.Unmarshal(messages[7], &m); err != nil {
				t.Fatal(err)
			}
			spoil(&m)
			var err error
			if messages[7], err = proto.Marshal(&m); err != nil {
				t.Fatal(err)
			}
			if _, err := app.admit(messages); err == nil {
				t.Error("the batch was admitted")
			}
		})
	}
}

// TestCeilingWrites checks the rows of a block before and after its commit.
func TestCeilingWrites(t *testing.T) {
	t.Parallel()
	app := newCeiling(t)
	rows := func() (n int) {
		iterator, err := app.db.NewIter(nil)
		if err != nil {
			t.Fatal(err)
		}
		for iterator.First(); iterator.Valid(); iterator.Next() {
			n++
		}
		if err := iterator.Close(); err != nil {
			t.Fatal(err)
		}
		return n
	}
	const signers = 3
	messages := signedMessages(t, 12)
	answer, err := app.FinalizeBlock(t.Context(), &abci.RequestFinalizeBlock{Height: 1, Txs: messages})
	if err != nil {
		t.Fatal(err)
	}
	if got := rows(); got != 0 || len(answer.TxResults) != len(messages) || bytes.Equal(answer.AppHash, app.root[:]) {
		t.Errorf("%d rows and %d results before the commit, root %x", got, len(answer.TxResults), answer.AppHash)
	}
	if _, err := app.Commit(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if got := rows(); got != 3*len(messages)+signers || !bytes.Equal(answer.AppHash, app.root[:]) {
		t.Errorf("%d rows after it, root %x", got, app.root)
	}
	empty, err := app.FinalizeBlock(t.Context(), &abci.RequestFinalizeBlock{Height: 2})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(empty.AppHash, answer.AppHash) {
		t.Error("an empty block changes the app hash, which would cause another block")
	}
	if _, err := app.Commit(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
}
