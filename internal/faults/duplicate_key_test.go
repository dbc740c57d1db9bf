package faults_test

import (
	"os"
	"path/filepath"
	"strings"
)

// Files with the key of a validator and its sign state.
const (
	validatorKey   = "config/priv_validator_key.json"
	validatorState = "data/priv_validator_state.json"
	// conflictingVoteLog is the log text of a validator that receives a vote with its signature that it did not make.
	conflictingVoteLog = "conflicting vote from ourselves"
)

// twin restarts a follower with the key of a running validator: the two sign conflicting votes.
func (n *network) twin(follower, validator int) ongoing {
	n.t.Helper()
	home := n.nodes[follower].role.Home
	n.kill(follower)
	own := map[string][]byte{validatorKey: n.file(home, validatorKey), validatorState: n.file(home, validatorState)}
	n.overwrite(home, validatorKey, n.file(n.nodes[validator].role.Home, validatorKey))
	n.start(follower)
	before := n.logCount(validator, conflictingVoteLog)
	return ongoing{
		took: func() bool {
			return n.logCount(follower, conflictingVoteLog)+n.logCount(validator, conflictingVoteLog) > before
		},
		undo: func() {
			n.kill(follower)
			for name, content := range own {
				n.overwrite(home, name, content)
			}
			n.start(follower)
		},
	}
}

func (n *network) file(home, name string) []byte {
	n.t.Helper()
	content, err := os.ReadFile(filepath.Join(home, name))
	if err != nil {
		n.t.Fatal(err)
	}
	return content
}

func (n *network) overwrite(home, name string, content []byte) {
	n.t.Helper()
	if err := os.WriteFile(filepath.Join(home, name), content, 0o600); err != nil {
		n.t.Fatal(err)
	}
}

// logCount returns the number of occurrences of a text in the log of a node since its start.
func (n *network) logCount(i int, text string) int {
	return strings.Count(n.nodes[i].process.Stderr(), text)
}
