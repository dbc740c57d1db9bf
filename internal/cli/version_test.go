package cli

import (
	"runtime/debug"
	"testing"
)

// TestVersionText checks the text with and without build information.
func TestVersionText(t *testing.T) {
	t.Parallel()
	vcs := func(revision, modified string) []debug.BuildSetting {
		return []debug.BuildSetting{{Key: "vcs.revision", Value: revision}, {Key: "vcs.modified", Value: modified}}
	}
	tests := []struct {
		name string
		info *debug.BuildInfo
		want string
	}{
		{"no build information", nil, "makechain unknown\nprotocol  6\ncommit    unknown\ngo        unknown\n"},
		{
			"without version control",
			&debug.BuildInfo{GoVersion: "go1.26.0", Main: debug.Module{Version: "(devel)"}},
			"makechain (devel)\nprotocol  6\ncommit    unknown\ngo        go1.26.0\n",
		},
		{
			"clean checkout",
			&debug.BuildInfo{GoVersion: "go1.26.0", Main: debug.Module{Version: "v0.1.0"}, Settings: vcs("abc", "false")},
			"makechain v0.1.0\nprotocol  6\ncommit    abc\ngo        go1.26.0\n",
		},
		{
			"changed checkout",
			&debug.BuildInfo{GoVersion: "go1.26.0", Main: debug.Module{Version: "v0.1.0"}, Settings: vcs("abc", "true")},
			"makechain v0.1.0\nprotocol  6\ncommit    abc (modified)\ngo        go1.26.0\n",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := versionText(test.info); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}
