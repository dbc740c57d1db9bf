package node_test

import (
	"testing"

	"makechain/internal/node/nodetest"
)

// TestStory has a few people work on a new chain and reads all of it back, by every method and with proofs.
//
// Rules: P10.1, P10.3, P10.4.
func TestStory(t *testing.T) {
	t.Parallel()
	s := tell(t, nodetest.Start(t, t.TempDir()))
	for _, chapter := range []struct {
		name string
		read func(*testing.T)
	}{
		{"projects", s.readProjects},
		{"refs", s.readRefs},
		{"commits", s.readCommits},
		{"collaborators", s.readCollaborators},
		{"merge requests", s.readMergeRequests},
		{"account", s.readAccount},
		{"keys", s.readKeys},
		{"social", s.readSocial},
		{"node", s.readNode},
	} {
		t.Run(chapter.name, chapter.read)
	}
}
