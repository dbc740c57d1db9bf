package attester_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"makechain/internal/cli/attester"
)

// run runs the command and returns what it prints.
func run(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var output strings.Builder
	command := attester.New()
	command.SetArgs(args)
	command.SetOut(&output)
	command.SetErr(io.Discard)
	command.SilenceErrors, command.SilenceUsage = true, true
	err := command.ExecuteContext(t.Context())
	return output.String(), err
}

// TestUsage checks that wrong flags are refused before anything is created.
func TestUsage(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "att")
	genesis := []string{"--home", home, "--genesis", filepath.Join(t.TempDir(), "genesis.json")}
	one, two := []string{"--rpc", "http://one.example/secret"}, []string{"--rpc", "http://two.example"}
	for want, args := range map[string][]string{
		"--genesis is required": append(one, two...),
		"--rpc is required":     genesis,
		"--single-provider":     append(genesis, one...),
		"URL of another one":    append(append(genesis, one...), one...),
		"--signer-key":          append(append(append(genesis, one...), two...), "--signer", "sign"),
		"--poll":                append(append(append(genesis, one...), two...), "--poll", "0s"),
		"--rescan-blocks":       append(append(append(genesis, one...), two...), "--rescan-blocks", "0"),
		"no such file":          append(append(genesis, one...), two...),
	} {
		if _, err := run(t, args...); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v, want %q", args, err, want)
		}
	}
	if _, err := os.Stat(home); err == nil {
		t.Error("the directory was created")
	}
}

// TestKey checks that the key is created once, and that a file that others can read is refused.
func TestKey(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "att")
	first, err := run(t, "key", "--home", home)
	if err != nil || len(strings.TrimSpace(first)) != 64 {
		t.Fatalf("%q: %v", first, err)
	}
	if second, err := run(t, "key", "--home", home); err != nil || second != first {
		t.Errorf("the second time: %q: %v", second, err)
	}
	if err := os.Chmod(filepath.Join(home, "attester_key.hex"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := run(t, "key", "--home", home); err == nil {
		t.Error("a key that others can read is accepted")
	}
}
