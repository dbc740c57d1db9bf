package commit

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestPager checks that output goes through a pager, that one which the user quits is not an error, and that one which fails
// is.
func TestPager(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ pager, want string }{
		{"", "line 1\nline 2\n"},
		{"sed s/^/paged:/", "paged:line 1\npaged:line 2\n"},
		{"head -n 1", "line 1\n"},
		{"exec 0<&-; true", ""},
	} {
		var out bytes.Buffer
		command := &cobra.Command{}
		command.SetOut(&out)
		command.SetContext(t.Context())
		err := paged(command, test.pager, func() error {
			_, err := fmt.Fprintf(command.OutOrStdout(), "line 1\nline 2\n")
			return err
		})
		if err != nil || out.String() != test.want {
			t.Errorf("pager %q: %q, error %v, want %q", test.pager, out.String(), err, test.want)
		}
		if command.OutOrStdout() != io.Writer(&out) {
			t.Errorf("pager %q: the output is not restored", test.pager)
		}
	}
	command := &cobra.Command{}
	command.SetOut(io.Discard)
	command.SetContext(t.Context())
	large := func() error {
		_, err := io.WriteString(command.OutOrStdout(), strings.Repeat("line\n", 1<<20))
		return err
	}
	if err := paged(command, "head -n 1", large); err != nil {
		t.Errorf("a pager that is quit early: %v", err)
	}
	if err := paged(command, "exit 3", func() error { return nil }); err == nil {
		t.Error("a pager that fails is not an error")
	}
}

// TestPagerOfUser checks the order of the variables that name a pager.
func TestPagerOfUser(t *testing.T) {
	t.Setenv("PAGER", "more")
	if got := pager(); got != "more" {
		t.Errorf("pager %q", got)
	}
	for given, want := range map[string]string{"less -S": "less -S", "": "", "cat": ""} {
		t.Setenv("GIT_PAGER", given)
		if got := pager(); got != want {
			t.Errorf("GIT_PAGER=%q: pager %q", given, got)
		}
	}
}
