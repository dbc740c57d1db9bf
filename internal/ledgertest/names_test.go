package ledgertest

import (
	"strings"
	"testing"
)

// TestTimes parses and formats times relative to a block or to the first block.
func TestTimes(t *testing.T) {
	t.Parallel()
	const now = Start + 100
	for text, want := range map[string]uint64{
		"+60": now + 60, "-7d": now - 7*day, "+1d-1": now + day - 1, "T+0": Start, "T+395d+60": Start + 395*day + 60, "T-5": Start - 5,
	} {
		got, err := parseTime(text, now)
		if err != nil || got != want {
			t.Errorf("%s is %d, error %v, want %d", text, got, err, want)
		}
		if again, err := parseTime(formatTime(got), 0); err != nil || again != got {
			t.Errorf("%s is formatted as %s, which parses as %d, error %v", text, formatTime(got), again, err)
		}
	}
	for _, text := range []string{"60", "+", "+7w", "T60", "T+x", "+-5"} {
		if got, err := parseTime(text, now); err == nil {
			t.Errorf("%q parses as %d", text, got)
		}
	}
}

// TestDescribe checks that ids with a name are replaced by it and others shortened, and that other text does not change.
func TestDescribe(t *testing.T) {
	t.Parallel()
	n := newNames()
	h := n.commit("c1")
	unknown := strings.Repeat("ab", 32)
	sentence := "commit " + h.String() + " of 0x" + unknown[:40] + " at 1700000060, nonce 12"
	if got, want := n.describe(sentence), "commit c1 of abababab~ at T+60, nonce 12"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestParseErrors checks that invalid lines of a scenario are refused.
func TestParseErrors(t *testing.T) {
	t.Parallel()
	s := newScenario(New(t))
	s.Join("alice", 1)
	for text, want := range map[string]string{
		"alice":                                             "is not a message",
		"alice juggle project=no-project":                   "unknown verb",
		"alice project-create":                              `"name" is missing`,
		"alice project-create name=a name=b":                "duplicated",
		"alice project-create name=a called=b":              "unknown arguments [called]",
		"alice star project=alice/none":                     `nothing is named "alice/none"`,
		"alice project-create name=a at=soon":               "is not a time",
		"alice ref-update project=no-p ref=x new=c nonce=x": "invalid syntax",
		"alice account-data field=shoe":                     "is unknown",
		"alice keychain-revoke key=rsa:x":                   "is not a kind of custody key",
		"replay nothing":                                    "no message is labelled",
	} {
		if _, _, err := s.message(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}
