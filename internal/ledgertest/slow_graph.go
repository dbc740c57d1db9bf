package ledgertest

import (
	"fmt"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/message"
)

// SlowGraph is a commit graph of a project that is slow to search: Tip reaches Root through second parents only.
type SlowGraph struct {
	Project   ident.Hash
	Root, Tip ident.Hash
	Side      ident.Hash        // the first parent of Tip
	Bundles   []*pb.MessageData // create the commits
}

// NewSlowGraph returns a graph whose search visits the given number of commits, at least 2.
func NewSlowGraph(project ident.Hash, visits int) *SlowGraph {
	g := &SlowGraph{Project: project, Root: Hash("root"), Side: Hash("side")}
	bundle := []message.Commit{NewCommit(g.Root), NewCommit(g.Side)}
	g.Tip = g.Root
	for n := 1; n < visits; n++ {
		if len(bundle) == message.MaxCommits {
			g.Bundles = append(g.Bundles, message.CommitBundle(project, message.Content{}, bundle...))
			bundle = nil
		}
		next := Hash(fmt.Sprintf("slow %d", n))
		bundle, g.Tip = append(bundle, NewCommit(next, g.Side, g.Tip)), next
	}
	g.Bundles = append(g.Bundles, message.CommitBundle(project, message.Content{}, bundle...))
	return g
}

// Moves returns messages that create a ref at Root and move it back and forth, so that every second message searches.
func (g *SlowGraph) Moves(ref string, searches int) []*pb.MessageData {
	var moves []*pb.MessageData
	for n := range uint64(searches) {
		moves = append(moves,
			message.RefUpdate(g.Project, ref, message.RefMove{New: g.Root, Nonce: 2*n + 1, Force: n > 0}),
			message.RefUpdate(g.Project, ref, message.RefMove{New: g.Tip, Nonce: 2*n + 2}))
	}
	return moves
}
