package version

import (
	"runtime/debug"
	"strings"
	"testing"
)

func TestPrintVersion(t *testing.T) {
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
			var out strings.Builder
			if err := printVersion(&out, test.info); err != nil {
				t.Fatal(err)
			}
			if out.String() != test.want {
				t.Errorf("printed %q, want %q", out.String(), test.want)
			}
		})
	}
}
