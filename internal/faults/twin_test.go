package faults_test

import (
	"os"
	"path/filepath"
	"strings"
)

// Where a home keeps what a validator signs with, and what it signed last.
const (
	validatorKey   = "config/priv_validator_key.json"
	validatorState = "data/priv_validator_state.json"
	// signedTwice is what a validator writes when it sees a vote of its own that it did not make.
	signedTwice = "conflicting vote from ourselves"
)

// twin starts a follower with the key of a validator that goes on: the two sign different votes for the same round,
// because neither knows of the other's.
func (n *network) twin(follower, validator int) ongoing {
	n.t.Helper()
	home := n.nodes[follower].role.Home
	n.kill(follower)
	own := map[string][]byte{validatorKey: n.file(home, validatorKey), validatorState: n.file(home, validatorState)}
	n.overwrite(home, validatorKey, n.file(n.nodes[validator].role.Home, validatorKey))
	n.start(follower)
	before := n.wrote(validator, signedTwice)
	return ongoing{
		took: func() bool { return n.wrote(follower, signedTwice)+n.wrote(validator, signedTwice) > before },
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

// wrote counts how often a node has complained of something since it was started.
func (n *network) wrote(i int, words string) int {
	return strings.Count(n.nodes[i].process.Stderr(), words)
}
