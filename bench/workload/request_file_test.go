package workload_test

import (
	"errors"
	"io"
	"slices"
	"testing"
	"time"

	"makechain/bench/workload"
	pb "makechain/gen/makechain"
	"makechain/internal/ledgertest"
	"makechain/message"
)

// plan returns a plan of a few requests in lanes of unequal length.
func plan(start uint32) workload.Plan {
	return workload.Plan{
		Lanes: 3, Batch: 10, Requests: 20, Start: time.Unix(int64(start), 0), Interval: 100 * time.Millisecond, Sampled: 1,
	}
}

// read returns the requests of a lane.
func read(t *testing.T, requestFile *workload.RequestFile, number int) []workload.Request {
	t.Helper()
	lane, err := requestFile.Open(number)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lane.Close() }() // only read
	var all []workload.Request
	for {
		var request workload.Request
		if err := lane.Next(&request); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, request)
	}
}

func open(t *testing.T, request *workload.Request) []*message.Envelope {
	t.Helper()
	transactions, err := request.Transactions()
	if err != nil || len(transactions) != request.Messages {
		t.Fatalf("%d transactions of %d messages: %v", len(transactions), request.Messages, err)
	}
	var messages []*message.Envelope
	for _, tx := range transactions {
		m, refusal := message.Decode(tx)
		if refusal != nil {
			t.Fatal(refusal)
		}
		messages = append(messages, m)
	}
	return messages
}

// TestRequestFile signs requests, reads them back lane by lane, and checks that every message is valid: the order of the lanes
// does not matter.
func TestRequestFile(t *testing.T) {
	t.Parallel()
	world := ledgertest.New(t)
	population := setUp(t, world, workload.Options{Seed: 5, Accounts: 8, Projects: 2})
	made := plan(world.Now())
	requestFile, err := population.Sign(t.Context(), t.TempDir(), made)
	if err != nil {
		t.Fatal(err)
	}
	var messages, bytes, sampled int64
	requests := 0
	for lane := range requestFile.Lanes() {
		for _, request := range read(t, requestFile, lane) {
			requests++
			var commit []byte
			var owned []message.Hash
			for _, m := range open(t, &request) {
				world.Must(m)
				messages++
				bytes += int64(len(m.Transaction()))
				if m.Owner == population.Accounts[0].Address() {
					owned = append(owned, m.Hash)
				}
				if bundle := m.Data.GetCommitBundle(); bundle != nil {
					commit = bundle.GetCommits()[len(bundle.GetCommits())-1].GetHash()
				}
			}
			sampled += int64(len(owned))
			if !slices.Equal(owned, request.Sampled) {
				t.Errorf("the sampled account sent %v, listed are %v", owned, request.Sampled)
			}
			if request.HasCommit != (commit != nil) || request.HasCommit && string(request.Commit[:]) != string(commit) {
				t.Errorf("the commit is %s, want %x", request.Commit, commit)
			}
		}
	}
	if requests != made.Requests || messages != requestFile.Messages || bytes != requestFile.Bytes || messages != 200 || sampled == 0 {
		t.Errorf("%d requests with %d messages of %d bytes, %d sampled; the file has %d messages of %d bytes", requests, messages, bytes, sampled, requestFile.Messages, requestFile.Bytes)
	}
	if err := requestFile.Remove(); err != nil {
		t.Error(err)
	}
	if _, err := requestFile.Open(0); err == nil {
		t.Error("a removed file can be opened")
	}
}

// TestReplay checks that accounts can continue after only a part of the signed messages was sent.
func TestReplay(t *testing.T) {
	t.Parallel()
	world := ledgertest.New(t)
	population := setUp(t, world, workload.Options{Seed: 6, Accounts: 8, Projects: 2})
	for i := range 100 { // advance all accounts
		m, err := population.Accounts[i%len(population.Accounts)].Next(world.Now())
		if err != nil {
			t.Fatal(err)
		}
		world.Must(m)
	}
	before, made := population.Clone(), plan(world.Now())
	requestFile, err := population.Sign(t.Context(), t.TempDir(), made)
	if err != nil {
		t.Fatal(err)
	}
	sent := []int{5, 0, 2}
	for lane, count := range sent {
		for _, request := range read(t, requestFile, lane)[:count] {
			for _, m := range open(t, &request) {
				world.Must(m)
			}
		}
	}
	if err := before.Replay(t.Context(), made, sent); err != nil {
		t.Fatal(err)
	}
	types := map[pb.MessageType]int{}
	for i := range 800 {
		m, err := before.Accounts[i%len(before.Accounts)].Next(world.Now() + 10)
		if err != nil {
			t.Fatal(err)
		}
		world.Must(m)
		types[m.Type()]++
	}
	if len(types) < 5 {
		t.Errorf("only %v were sent", types)
	}
}

// TestFill checks the messages that fill a state.
func TestFill(t *testing.T) {
	t.Parallel()
	world := ledgertest.New(t)
	population := setUp(t, world, workload.Options{Seed: 7, Accounts: 2, Projects: 1})
	for range 2 {
		made, err := population.Accounts[0].Fill(world.Now(), 2_500)
		if err != nil {
			t.Fatal(err)
		}
		commits := 0
		for _, m := range made {
			world.Must(m)
			commits += len(m.Data.GetCommitBundle().GetCommits())
		}
		if commits != 2_500 || len(made) != 4 {
			t.Errorf("%d commits in %d messages, want 2500 in a project and three bundles", commits, len(made))
		}
	}
}

// TestSignErrors checks that more lanes than accounts are rejected.
func TestSignErrors(t *testing.T) {
	t.Parallel()
	population := setUp(t, ledgertest.New(t), workload.Options{Seed: 8, Accounts: 2, Projects: 1})
	if _, err := population.Sign(t.Context(), t.TempDir(), plan(0)); err == nil {
		t.Error("2 accounts were signed for 3 lanes")
	}
}
