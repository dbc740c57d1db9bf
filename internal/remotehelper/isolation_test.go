package remotehelper_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"makechain/internal/gitrepo/gittest"
)

// TestHostileConfiguration clones and fetches from every kind of store while the user's configuration and environment would make git run
// other programs, use other addresses and write traces. The git processes of the helper do none of it.
func TestHostileConfiguration(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"server", "directory", "static", "local repository"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, grown(t))
			f.chain.NodeURL = f.store(t, kind)
			f.save(t)
			marker, trace := filepath.Join(f.dir, "marker"), filepath.Join(f.dir, "trace")
			config := f.hostile(t, marker)
			before, err := os.ReadFile(config)
			if err != nil {
				t.Fatal(err)
			}
			f.environment = []string{
				"GIT_CONFIG_GLOBAL=" + config, "GIT_TRACE=" + trace, "GIT_ASKPASS=" + marker, "GIT_LITERAL_PATHSPECS=1",
			}
			for _, version := range []string{"0", "2"} {
				dir := filepath.Join(t.TempDir(), "copy")
				f.must(t, f.dir, "-c", "protocol.version="+version, "clone", "--quiet", "makechain://alice/hello", dir)
				f.equals(t, dir)
				if kept := f.must(t, dir, "config", "--list", "--local"); strings.Contains(kept, f.chain.NodeURL) {
					t.Errorf("the store is in the configuration: %s", kept)
				}
				if _, err := os.Stat(filepath.Join(dir, ".git", "objects", "info", "alternates")); err == nil {
					t.Error("the clone uses the objects of another repository")
				}
			}
			if ran, err := os.ReadFile(marker); err == nil {
				t.Errorf("git ran programs of the configuration: %s", ran)
			}
			if after, err := os.ReadFile(config); err != nil || string(after) != string(before) {
				t.Errorf("the configuration of the user was changed: %v", err)
			}
			traced, err := os.ReadFile(trace)
			if err != nil {
				t.Fatal(err)
			}
			for _, inner := range []string{"--show-object-format", "--batch-check", "index-pack --strict", "upload-pack"} {
				if strings.Contains(string(traced), inner) {
					t.Errorf("git %s was traced", inner)
				}
			}
		})
	}
}

// hostile writes a configuration that runs programs wherever git can be configured to. They write their names to a file, those that the git
// of the user may run only if the helper has started it.
func (f *fixture) hostile(t *testing.T, marker string) string {
	t.Helper()
	program := func(name, condition string) string {
		path := filepath.Join(f.dir, "hostile", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		script := "#!/bin/sh\n" + condition + " echo " + name + " >> " + marker + "\nexit 0\n"
		if err := os.WriteFile(path, []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const whenInner = `test -z "$GIT_REMOTE_MAKECHAIN_INNER" ||`
	for _, hook := range []string{"reference-transaction", "post-checkout", "post-index-change", "pre-auto-gc", "fsmonitor-watchman"} {
		program("hooks/"+hook, whenInner)
	}
	config := filepath.Join(f.dir, "hostile", "config")
	for _, setting := range [][2]string{
		{"alias.rev-parse", "!" + program("alias", "")},
		{"core.hooksPath", filepath.Join(f.dir, "hostile", "hooks")},
		{"core.fsmonitor", program("fsmonitor", whenInner)},
		{"core.askPass", program("askpass", "")},
		{"core.sshCommand", program("ssh", "")},
		{"core.alternateRefsCommand", program("alternates", "")},
		{"credential.helper", "!" + program("credential", "")},
		{"uploadpack.packObjectsHook", program("pack", "")},
		{"protocol.ext.allow", "always"},
		{"url.ext::" + program("ext", "") + " .insteadOf", "http://"},
		{"http.extraHeader", "Authorization: secret"},
		{"transfer.fsckObjects", "false"},
		{"fetch.unpackLimit", "1000000"},
		{"core.compression", "0"},
	} {
		(&gittest.Repo{Dir: f.dir}).Git(t, "config", "--file", config, setting[0], setting[1])
	}
	return config
}
