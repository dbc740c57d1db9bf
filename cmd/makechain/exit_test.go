package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"
	"github.com/spf13/cobra"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/message"
)

// TestReport gives every kind of error its exit code, its words and its advice.
func TestReport(t *testing.T) {
	t.Parallel()
	refused := func(code message.Code, skew time.Duration) error {
		return &client.RefusedError{Stage: message.StateTransition, Code: code, Reason: "because", Skew: skew}
	}
	for name, test := range map[string]struct {
		err       error
		code      int
		text, try string
	}{
		"nothing":      {nil, exitDone, "", ""},
		"usage":        {misused(&cobra.Command{Use: "x"}, "wrong"), exitUsage, "makechain: wrong\n", "x --help"},
		"wrapped":      {fmt.Errorf("outer: %w", misused(&cobra.Command{Use: "x"}, "wrong")), exitUsage, "makechain: outer: wrong\n", "x --help"},
		"no name":      {&client.NameError{Name: "?", Want: "a name"}, exitUsage, `makechain: "?" is not a valid name: want a name`, ""},
		"refused":      {refused(message.CodeNameTaken, 0), exitFailed, "refused at state transition (name_taken): because", "another name"},
		"no advice":    {refused("unheard_of", 0), exitFailed, "refused at state transition (unheard_of): because", ""},
		"clock ahead":  {refused(message.CodeTooEarly, 10*time.Minute), exitFailed, "too_early", "10m0s ahead of the node's"},
		"clock behind": {refused(message.CodeTooLate, -10*time.Minute), exitFailed, "too_late", "10m0s behind the node's"},
		"other clock":  {refused(message.CodeTooLate, 0), exitFailed, "too_late", "within 5 minutes"},
		"not found":    {&client.NotFoundError{Kind: "project", Name: "alice/x"}, exitFailed, `there is no project "alice/x"`, "makechain project list"},
		"ambiguous":    {&client.AmbiguousError{Kind: "commit", Name: "abcd", Candidates: []string{"abcd1", "abcd2"}}, exitFailed, "\n  abcd1\n  abcd2\n", "more digits"},
		"advised":      {advise(errors.New("no luck"), "again, %s", "slowly"), exitFailed, "makechain: no luck\n", "again, slowly"},
		"no node":      {connect.NewError(connect.CodeUnavailable, errors.New("connection refused")), exitUnreachable, "no node answers: connection refused", "makechain node"},
		"interrupted":  {fmt.Errorf("wait: %w", context.Canceled), exitFailed, "makechain: interrupted\n", ""},
		"too slow":     {fmt.Errorf("wait: %w", context.DeadlineExceeded), exitFailed, "takes too long", ""},
		"forgotten":    {client.ErrUnknownMessage, exitFailed, "does not know", "again"},
		"another":      {errors.New("disk full"), exitFailed, "makechain: disk full\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			report(&out, test.err)
			if code := exitCode(test.err); code != test.code || !strings.Contains(out.String(), test.text) {
				t.Errorf("ends with %d after %q, want %d and %q", code, out.String(), test.code, test.text)
			}
			_, try, advised := strings.Cut(out.String(), "try: ")
			if advised != (test.try != "") || !strings.Contains(try, test.try) {
				t.Errorf("advises %q, want %q", try, test.try)
			}
		})
	}
}

// TestNodeError prints what a node answers without letting it move the cursor.
func TestNodeError(t *testing.T) {
	t.Parallel()
	n := startNode(t)
	_, err := client.Call(t.Context(), n.GetProject, &pb.GetProjectRequest{ProjectId: []byte{1}})
	var out strings.Builder
	report(&out, err)
	if want := "makechain: the node answers invalid_argument: project_id: 1 bytes, want 32\n"; out.String() != want || exitCode(err) != exitFailed {
		t.Errorf("%q, want %q", out.String(), want)
	}
}
