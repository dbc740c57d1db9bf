package usage

import (
	"testing"

	"github.com/spf13/cobra"
)

// TestArgs checks the number of arguments, and that a missing one is named.
func TestArgs(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		names, args []string
		want        string
	}{
		"exact":      {[]string{"a project", "an id"}, []string{"x", "y"}, ""},
		"missing":    {[]string{"a project", "an id"}, []string{"x"}, "missing an id"},
		"all gone":   {[]string{"a project", "an id"}, nil, "missing a project"},
		"too many":   {[]string{"a project"}, []string{"x", "y"}, `one argument too many: "y"`},
		"optional":   {[]string{"a project", "[branch]"}, []string{"x"}, ""},
		"with it":    {[]string{"a project", "[branch]"}, []string{"x", "y"}, ""},
		"several":    {[]string{"a branch..."}, []string{"x", "y", "z"}, ""},
		"not one":    {[]string{"a branch..."}, nil, "missing a branch..."},
		"over again": {[]string{"[account]"}, []string{"x", "y"}, `one argument too many: "y"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := Args(test.names...)(&cobra.Command{Use: "x"}, test.args)
			if test.want == "" && err == nil {
				return
			}
			if err == nil || err.Error() != test.want || ExitCode(err) != ExitUsage {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
}
