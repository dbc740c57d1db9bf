package crowd_test

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

// work is people with a project each, who push commits.
type work struct {
	people   []*nodetest.Account
	projects []ident.Hash
}

func prepare(t *testing.T, chain *nodetest.Client) *work {
	t.Helper()
	w := new(work)
	for i := range writers {
		person := nodetest.NewAccount(t)
		chain.Register(person, 1, "writer-"+strconv.Itoa(i))
		create := person.Sign(message.ProjectCreate("project", pb.Visibility_VISIBILITY_PUBLIC, "", ""))
		chain.Submit(t, create)
		chain.MustCommit(t, create)
		w.people, w.projects = append(w.people, person), append(w.projects, create.Hash)
	}
	return w
}

// submit sends batches until all messages are sent, as many at a time as are due by then, and gives their number. All
// of them must be accepted.
func (w *work) submit(t *testing.T, chain *nodetest.Client) int64 {
	t.Helper()
	ticker, begin := time.NewTicker(tick), time.Now()
	defer ticker.Stop()
	all := *perSecond * *seconds
	for sent, turn := 0, 0; sent < all; turn++ {
		<-ticker.C
		due := min(int(time.Since(begin).Seconds()*float64(*perSecond)), all)
		var batch pb.BatchSubmitRequest
		for range min(due-sent, maxBatch) {
			batch.Messages = append(batch.Messages, w.push(t, turn%writers).Proto())
		}
		verdicts := nodetest.Call(t, chain.BatchSubmitMessages, &batch)
		if verdicts.GetRejectedCount() > 0 {
			t.Fatalf("good messages are refused: %v", verdicts)
		}
		sent += len(batch.GetMessages())
	}
	return int64(all)
}

// push is a commit that says when it was submitted.
func (w *work) push(t *testing.T, who int) *message.Envelope {
	t.Helper()
	hash, person := nodetest.Random(t), w.people[who]
	return person.Sign(message.CommitBundle(w.projects[who], message.Content{}, message.Commit{
		Hash: hash, TreeRoot: hash, MessageHash: hash, Author: person.Address(),
		Title: strconv.FormatInt(time.Now().UnixNano(), 10),
	}))
}

// digest folds the ids of the messages that the chain has from a block on.
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
