package stores

import (
	"errors"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"

	"makechain/client"
	"makechain/proof"
)

const node = "node.example:1"

func dial(t *testing.T) *client.Client {
	t.Helper()
	c, err := client.New(node)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// TestWarning checks that a state is reported as old when three heartbeats are missing, and not before.
func TestWarning(t *testing.T) {
	t.Parallel()
	now := time.Now()
	for age, warns := range map[time.Duration]bool{
		-time.Minute: false, 0: false, client.StaleAfter: false, client.StaleAfter + time.Second: true, 50 * time.Hour: true,
	} {
		var notes strings.Builder
		Chain{Client: dial(t), Notes: &notes}.warn(client.Proven{Block: 7, Time: now.Add(-age)}, now)
		if printed := notes.String(); warns != strings.Contains(printed, "the newest block of node "+node+" is") {
			t.Errorf("%s: %q", age, printed)
		}
	}
}

// TestBlame checks that errors about a node name it once, and that what is proven not to exist is not held against it.
func TestBlame(t *testing.T) {
	t.Parallel()
	c := dial(t)
	for _, test := range []struct {
		err  error
		want string
	}{
		{&client.NotFoundError{Kind: "project", Name: "alice/hello"}, `there is no project "alice/hello"`},
		{&client.RollbackError{Node: node, ChainID: "chain", Block: 1, Highest: 2}, "the node at " + node + " returned"},
		{&proof.StepError{Step: "root", Err: errors.New("another root")}, "node " + node + ": the answer is not proven: root: another root"},
		{connect.NewError(connect.CodeUnavailable, errors.New("dial "+node)), "node " + node + ": unavailable: dial " + node},
		{errors.New("something else"), "node " + node + ": something else"},
	} {
		if got := blame(c, test.err); !errors.Is(got, test.err) || !strings.HasPrefix(got.Error(), test.want) {
			t.Errorf("%v became %v, want %q", test.err, got, test.want)
		}
	}
	if err := blame(c, nil); err != nil {
		t.Error(err)
	}
}
