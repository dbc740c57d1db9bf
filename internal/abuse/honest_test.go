//go:build linux

package abuse_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/node/nodetest"
	"makechain/message"
)

const (
	// honestUnits is the storage of the honest account.
	honestUnits = 10
	// pushInterval is the time between two honest pushes.
	pushInterval = 200 * time.Millisecond
	mainRef      = "refs/heads/main"
)

// honest is a client that pushes commits to one project.
type honest struct {
	*nodetest.Client

	address string
	account *nodetest.Account
	project ident.Hash
	tip     ident.Hash
	nonce   uint64
}

// newHonest creates the account and the project.
func newHonest(t *testing.T, n *process) *honest {
	t.Helper()
	h := &honest{Client: nodetest.Dial(n.grpc), address: n.grpc, account: nodetest.NewAccount(t)}
	t.Cleanup(h.Close)
	h.Register(h.account, honestUnits, "honest")
	create := h.account.Sign(message.ProjectCreate("work", pb.Visibility_VISIBILITY_PUBLIC, "", ""))
	h.Submit(t, create)
	h.MustCommit(t, create)
	h.project = create.Hash
	n.chainID = nodetest.Call(t, h.GetNodeStatus, &pb.GetNodeStatusRequest{}).GetChainId()
	h.push(t)
	return h
}

// height returns the number of the latest block.
func (h *honest) height(t *testing.T) uint64 {
	t.Helper()
	return nodetest.Call(t, h.GetNodeStatus, &pb.GetNodeStatusRequest{}).GetCurrentBlock()
}

// push sends a commit and an update of the ref, and returns the time until both are committed.
func (h *honest) push(t *testing.T) time.Duration {
	t.Helper()
	commit := newCommit(t, h.account, h.tip)
	h.nonce++
	bundle := h.account.Sign(message.CommitBundle(h.project, message.Content{}, commit))
	update := h.account.Sign(message.RefUpdate(h.project, mainRef,
		message.RefMove{Type: pb.RefType_REF_TYPE_BRANCH, Old: h.tip, New: commit.Hash, Nonce: h.nonce}))
	start := time.Now()
	h.Submit(t, bundle)
	// One call that waits, because polling would exceed the rate limit of an address.
	answer := nodetest.Call(t, h.SubmitMessage, &pb.SubmitMessageRequest{Message: update.Proto(), Wait: pb.SubmitWait_SUBMIT_WAIT_COMMITTED})
	if !answer.GetAccepted() {
		t.Fatalf("an honest push was refused after %s: %v", time.Since(start), answer)
	}
	if answer.GetBlockNumber() == 0 {
		h.awaitCommit(t, update.Hash)
	}
	h.tip = commit.Hash
	return time.Since(start)
}

// awaitCommit waits for a message that did not commit during one call. It asks rarely because of the rate limit.
func (h *honest) awaitCommit(t *testing.T, hash ident.Hash) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), nodetest.Timeout)
	defer cancel()
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		status := nodetest.Call(t, h.GetMessageStatus, &pb.GetMessageStatusRequest{Hash: hash[:]})
		switch status.GetState() {
		case pb.MessageState_MESSAGE_STATE_COMMITTED:
			return
		case pb.MessageState_MESSAGE_STATE_PENDING:
		default:
			t.Fatalf("an honest push did not commit: %v", status)
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			t.Fatalf("an honest push is pending after %s", nodetest.Timeout)
		}
	}
}

// pushUntil pushes at a steady rate until done is closed, and at least once. It returns the sorted durations.
func (h *honest) pushUntil(t *testing.T, done <-chan struct{}) []time.Duration {
	t.Helper()
	ticker := time.NewTicker(pushInterval)
	defer ticker.Stop()
	var durations []time.Duration
	for {
		durations = append(durations, h.push(t))
		select {
		case <-done:
			slices.Sort(durations)
			return durations
		case <-ticker.C:
		}
	}
}

// newCommit returns a commit with random ids. Zero parents are left out.
func newCommit(t *testing.T, author *nodetest.Account, parents ...ident.Hash) message.Commit {
	t.Helper()
	parents = slices.DeleteFunc(slices.Clone(parents), func(p ident.Hash) bool { return p == ident.Hash{} })
	return message.Commit{
		Hash: nodetest.Random(t), Parents: parents, TreeRoot: nodetest.Random(t), MessageHash: nodetest.Random(t),
		AuthorTimestamp: author.Now(), Author: author.Address(), Title: fmt.Sprintf("commit of %s", author.Address()),
	}
}
