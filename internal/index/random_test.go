package index_test

import (
	"testing"

	"pgregory.net/rapid"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledgertest"
	"makechain/message"
)

// randomSender sends random messages, many of which are refused.
type randomSender struct {
	*chain

	draw     *rapid.T
	projects []ident.Hash
}

func (g *randomSender) pick(label string, choices ...string) string {
	return rapid.SampledFrom(choices).Draw(g.draw, label)
}

func (g *randomSender) project() ident.Hash {
	return rapid.SampledFrom(g.projects).Draw(g.draw, "project")
}

func (g *randomSender) commitHash() ident.Hash {
	return ledgertest.Hash(g.pick("commit", "one", "two"))
}

// body returns a message that may apply. The names of refs have a common prefix.
func (g *randomSender) body() *pb.MessageData {
	ref := g.pick("ref", "m", "ma", "m\xff", "m\x01\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff\xff")
	nonce := rapid.Uint64Range(1, 3).Draw(g.draw, "nonce")
	switch g.pick("what", "create", "rename", "remove", "archive", "bundle", "move", "move", "move", "delete", "star", "unstar", "collaborator", "fork") {
	case "create":
		return message.ProjectCreate(g.pick("name", "a", "ab", "b"), pb.Visibility_VISIBILITY_PUBLIC, "", "")
	case "rename":
		return message.ProjectMetadata(g.project(), pb.ProjectMetadataType_PROJECT_METADATA_NAME, g.pick("name", "a", "ab", "c"))
	case "remove":
		return message.ProjectRemove(g.project())
	case "archive":
		return message.ProjectArchive(g.project())
	case "bundle":
		return message.CommitBundle(g.project(), message.Content{}, ledgertest.NewCommit(g.commitHash()))
	case "move":
		return message.RefUpdate(g.project(), ref, message.RefMove{New: g.commitHash(), Nonce: nonce, Force: true})
	case "delete":
		return message.RefDelete(g.project(), ref, ident.Hash{}, nonce)
	case "star":
		return message.Star(g.project())
	case "unstar":
		return message.Unstar(g.project())
	case "fork":
		return message.Fork(g.project(), g.commitHash(), g.pick("name", "a", "f"), pb.Visibility_VISIBILITY_PUBLIC)
	default:
		return message.CollaboratorAdd(g.project(), g.actor(g.pick("target", "alice", "bobby")).Address, pb.Permission_PERMISSION_ADMIN)
	}
}

// TestRandomChain commits blocks of random messages, and compares every answer with the one computed from all messages
// and rows.
//
// Rules: P10.6.
func TestRandomChain(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(draw *rapid.T) {
		g := &randomSender{chain: newChain(t), draw: draw, projects: []ident.Hash{ledgertest.Hash("nothing")}}
		g.commit(append(g.join("alice", 3), g.join("bobby", 3)...)...)
		for range rapid.IntRange(1, 8).Draw(draw, "blocks") {
			var candidates []*message.Envelope
			for range rapid.IntRange(0, 10).Draw(draw, "messages") {
				m := g.sign(g.pick("by", "alice", "bobby"), g.body())
				if kind := m.Type(); kind == pb.MessageType_MESSAGE_TYPE_PROJECT_CREATE || kind == pb.MessageType_MESSAGE_TYPE_FORK {
					g.projects = append(g.projects, m.Hash)
				}
				candidates = append(candidates, m)
			}
			g.commit(candidates...)
			g.compare()
			g.compareRefused()
		}
		g.check()
	})
}

// compareRefused checks the refusals of the last block. If a message was refused twice, the first reason is kept.
func (c *chain) compareRefused() {
	c.Helper()
	seen := map[ident.Hash]bool{}
	for _, r := range c.refused {
		if seen[r.Message.Hash] {
			continue
		}
		seen[r.Message.Hash] = true
		got, err := c.reader().Refusal(r.Message.Hash)
		if err != nil || got == nil {
			c.Fatalf("refusal of %s: %v, %v", r.Message.Type(), got, err)
		}
		if got.Code != r.Refusal.Code || got.Height != c.block.Height-1 || got.Time != c.block.Time-1 {
			c.Fatalf("refusal of %s is %+v, want %v", r.Message.Type(), got, r.Refusal)
		}
	}
}
