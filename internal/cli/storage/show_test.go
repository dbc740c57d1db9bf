package storage

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/cli/clitest"
	"makechain/internal/node/nodetest"
	"makechain/message"
)

// TestShow checks what is printed for an account with two grants, one without a username, and one without anything.
//
// Rules: P8.1, P8.4, P8.6.
func TestShow(t *testing.T) {
	t.Parallel()
	n := nodetest.Start(t, t.TempDir())
	alice, bob := nodetest.NewAccount(t), nodetest.NewAccount(t)
	n.Register(alice, 1, "alice")
	n.AwaitStatus(t, n.Claim(alice, 2))
	n.AwaitStatus(t, n.Claim(bob, 1))
	project := alice.Sign(message.ProjectCreate("hello", pb.Visibility_VISIBILITY_PUBLIC, "", ""))
	n.Submit(t, project)
	n.MustCommit(t, project)

	show := func(args ...string) string {
		stdout, _, err := clitest.Run(t.Context(), New(), append([]string{"show", "--config-dir", t.TempDir(), "--node", n.GRPCAddr()}, args...)...)
		if err != nil {
			t.Fatal(err)
		}
		return stdout
	}
	out := show("alice")
	for _, want := range []string{
		`username +alice\n`, `storage +3 units\n`, `(?m)^1 +\d{4}-\d\d-\d\d +in 1 year +[0-9a-f]+ +0x[0-9a-f]{40}$`, `(?m)^2 +\d{4}-\d\d-\d\d `,
		`(?m)^projects +1 +30$`, `(?m)^projects ever created +1 +3000$`, `(?m)^merge requests that you opened +0 +60$`, `(?m)^links +0 +15000$`,
		`(?m)^collaborators of each project +150$`,
	} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("no match of %q in\n%s", want, out)
		}
	}
	if out := show(bob.Address().String()); !strings.Contains(out, "1 unit, not usable without a username") || !regexp.MustCompile(`(?m)^projects +0 +0$`).MatchString(out) {
		t.Errorf("without a username:\n%s", out)
	}
	var empty report
	stranger := nodetest.NewAccount(t)
	if err := json.Unmarshal([]byte(show(stranger.Address().String(), "--json")), &empty); err != nil {
		t.Fatal(err)
	}
	if empty.Units != 0 || empty.Grants == nil || len(empty.Limits) != 8 || empty.OwnerAddress != stranger.Address().String() {
		t.Errorf("an account without storage: %+v", empty)
	}
}
