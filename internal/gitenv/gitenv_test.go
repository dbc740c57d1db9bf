package gitenv_test

import (
	"slices"
	"strings"
	"testing"

	"makechain/internal/gitenv"
)

// TestParseConfig checks which settings are kept.
func TestParseConfig(t *testing.T) {
	t.Parallel()
	printed := strings.Join([]string{
		"system", "http.sslcainfo\n/etc/ca.pem",
		"global", "alias.rev-parse\n!evil",
		"global", "core.fsmonitor\nevil",
		"global", "http.https://example.com/a.b.proxy\nhttp://proxy:1",
		"global", "http.extraheader\nAuthorization: secret",
		"global", "safe.directory\n*",
		"global", "url.file:///.insteadof\nmakechain://",
		"global", "makechain.store\n/one\nwith a line break",
		"local", "makechain.store\n/two",
		"worktree", "http.proxy\nhttp://other:1",
		"command", "makechain.replicas\n2",
		"command", "core.bare",
	}, "\x00") + "\x00"
	all, kept := gitenv.ParseConfig(printed)
	if len(all) != 12 || all[11] != (gitenv.Setting{Key: "core.bare", Value: "true"}) {
		t.Errorf("all settings are %q", all)
	}
	want := []gitenv.Setting{
		{Key: "http.sslcainfo", Value: "/etc/ca.pem"},
		{Key: "http.https://example.com/a.b.proxy", Value: "http://proxy:1"},
		{Key: "safe.directory", Value: "*"},
		{Key: "makechain.store", Value: "/one\nwith a line break"},
		{Key: "makechain.replicas", Value: "2"},
	}
	if !slices.Equal(kept, want) {
		t.Errorf("kept are %q, want %q", kept, want)
	}
	for _, broken := range []string{"", "\x00", "global", "global\x00", "global\x00a.b\nc\x00local"} {
		if all, _ := gitenv.ParseConfig(broken); len(all) > 1 {
			t.Errorf("%q has the settings %q", broken, all)
		}
	}
}

// TestIsolated checks which variables a git process has.
func TestIsolated(t *testing.T) {
	t.Parallel()
	inherited := []string{"PATH=/bin", "HOME=/home/ann", "GIT_DIR=/repo/.git", "https_proxy=http://proxy:1"}
	dropped := []string{
		"GIT_TRACE=1", "GIT_CONFIG_PARAMETERS='a.b=c'", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.pager", "GIT_CONFIG_VALUE_0=evil",
		"GIT_SSH_COMMAND=evil", "GIT_ASKPASS=evil", "SSH_ASKPASS=evil", "GIT_PROTOCOL_FROM_USER=1", "GIT_NAMESPACE=n", "GIT_EXTERNAL_DIFF=evil",
		"GIT_ALLOW_PROTOCOL=ext", "GIT_CONFIG_GLOBAL=/evil", "GIT_LITERAL_PATHSPECS=1", "GIT_SSL_NO_VERIFY=1",
	}
	got := gitenv.Isolated(append(slices.Clone(dropped), inherited...), []gitenv.Setting{{Key: "http.proxy", Value: "http://proxy:2"}}, "https:http")
	for _, variable := range dropped {
		if slices.Contains(got, variable) {
			t.Errorf("%s is passed on", variable)
		}
	}
	for _, variable := range append(inherited, "GIT_ALLOW_PROTOCOL=https:http", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_KEY_0=http.proxy",
		"GIT_CONFIG_VALUE_0=http://proxy:2", "GIT_CONFIG_KEY_1=core.hooksPath", "GIT_CONFIG_VALUE_1=/dev/null") {
		if !slices.Contains(got, variable) {
			t.Errorf("%s is missing in %q", variable, got)
		}
	}
}
