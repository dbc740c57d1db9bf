package fanout_test

import (
	"strconv"
	"testing"
	"time"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/node/nodetest"
	"makechain/message"
)

// work is a set of accounts that push commits to a project each.
type work struct {
	accounts []*nodetest.Account
	projects []ident.Hash
}

func prepare(t *testing.T, chain *nodetest.Client) *work {
	t.Helper()
	w := new(work)
	for i := range writers {
		account := nodetest.NewAccount(t)
		chain.Register(account, 1, "writer-"+strconv.Itoa(i))
		create := account.Sign(message.ProjectCreate("project", pb.Visibility_VISIBILITY_PUBLIC, "", ""))
		chain.Submit(t, create)
		chain.MustCommit(t, create)
		w.accounts, w.projects = append(w.accounts, account), append(w.projects, create.Hash)
	}
	return w
}

// submit sends all messages at the given rate, in batches, and returns their number. All of them must be accepted.
func (w *work) submit(t *testing.T, chain *nodetest.Client) int64 {
	t.Helper()
	ticker, start := time.NewTicker(tick), time.Now()
	defer ticker.Stop()
	all := *perSecond * *seconds
	for sent, batches := 0, 0; sent < all; batches++ {
		<-ticker.C
		due := min(int(time.Since(start).Seconds()*float64(*perSecond)), all)
		var batch pb.BatchSubmitRequest
		for range min(due-sent, maxBatch) {
			batch.Messages = append(batch.Messages, w.push(t, batches%writers).Proto())
		}
		results := nodetest.Call(t, chain.BatchSubmitMessages, &batch)
		if results.GetRejectedCount() > 0 {
			t.Fatalf("valid messages were refused: %v", results)
		}
		sent += len(batch.GetMessages())
	}
	return int64(all)
}

// push returns a commit bundle with the submission time as title.
func (w *work) push(t *testing.T, who int) *message.Envelope {
	t.Helper()
	hash, account := nodetest.Random(t), w.accounts[who]
	return account.Sign(message.CommitBundle(w.projects[who], message.Content{}, message.Commit{
		Hash: hash, TreeRoot: hash, MessageHash: hash, Author: account.Address(),
		Title: strconv.FormatInt(time.Now().UnixNano(), 10),
	}))
}

// digest returns the digest of the ids of messages from a block on.
func digest(t *testing.T, chain *nodetest.Client, from uint64, count int64) (digest uint64) {
	t.Helper()
	stream, err := chain.SubscribeMessages(t.Context(), connect.NewRequest(&pb.SubscribeRequest{StartBlock: &from}))
	if err != nil {
		t.Fatal(err)
	}
	for range count {
		if !stream.Receive() {
			t.Fatal(stream.Err())
		}
		digest = fold(digest, id{stream.Msg().GetBlockNumber(), uint64(stream.Msg().GetIndex())})
	}
	return digest
}
