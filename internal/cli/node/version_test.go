package node

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"

	"makechain/internal/cli/clitest"
	"makechain/internal/cli/usage"
	"makechain/internal/genesis"
	"makechain/internal/node/nodetest"
	"makechain/internal/store"
)

// TestEarlierVersion checks that a node refuses a home of an earlier version of the rules or of the storage format, changes
// nothing in it, and prints what to do. The home can then be used for a new chain with the same keys, as documented.
//
// Rules: P11.3.
func TestEarlierVersion(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	started := nodetest.Start(t, home)
	started.Register(nodetest.NewAccount(t), 1, "alice")
	started.Stop(t)
	key := readFile(t, home, "config/priv_validator_key.json")
	current := readFile(t, home, "config/genesis.json")

	for _, version := range []struct {
		rules, app string
		number     byte
	}{{``, `"app": "0"`, 1}, {`"rules_version": 2,`, `"app": "2"`, 2}} {
		if !strings.Contains(current, `"rules_version": 4,`) || !strings.Contains(current, `"app": "4"`) {
			t.Fatalf("the genesis does not have both versions:\n%s", current)
		}
		earlier := strings.Replace(current, `"rules_version": 4,`, version.rules, 1)
		earlier = strings.Replace(earlier, `"app": "4"`, version.app, 1)
		writeFile(t, home, "config/genesis.json", earlier)
		err := refused(t, home, genesis.ErrRules)
		if want := fmt.Sprintf("rules_version is %d, this program has versions 3 and 4", version.number); !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not have the versions: %v", err)
		}
		if readFile(t, home, "config/genesis.json") != earlier {
			t.Error("the genesis was changed")
		}
		writeFile(t, home, "config/genesis.json", current)
		setStoreFormat(t, home, version.number)
		_ = refused(t, home, store.ErrFormat)
	}

	for _, path := range []string{"data", "config/genesis.json"} {
		if err := os.Rename(filepath.Join(home, path), filepath.Join(home, path+".old")); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(home, "data"), 0o700); err != nil {
		t.Fatal(err)
	}
	writeFile(t, home, "data/priv_validator_state.json", `{"height":"0","round":0,"step":0}`)
	renewed := nodetest.Start(t, home)
	alice := nodetest.NewAccount(t)
	hashes := renewed.Register(alice, 1, "alice")
	renewed.AwaitStatus(t, hashes[len(hashes)-1])
	if readFile(t, home, "config/priv_validator_key.json") != key {
		t.Error("the validator has another key")
	}
}

// refused runs the command node in a home, which must fail with an error and advice.
func refused(t *testing.T, home string, want error) error {
	t.Helper()
	_, _, err := clitest.Run(t.Context(), New(), "--home", home, "--grpc-addr", "127.0.0.1:0", "--rest-addr", "127.0.0.1:0", "--p2p-addr", "127.0.0.1:0")
	if !errors.Is(err, want) {
		t.Fatalf("error %v, want %v", err, want)
	}
	for _, step := range []string{"release of makechain that created this chain", "makechain node --home <new directory>", "keys of accounts remain valid"} {
		if !strings.Contains(usage.Advice(err), step) {
			t.Errorf("the advice %q does not have %q", usage.Advice(err), step)
		}
	}
	return err
}

// setStoreFormat overwrites the format version of the store of a home.
func setStoreFormat(t *testing.T, home string, version byte) {
	t.Helper()
	db, err := pebble.Open(filepath.Join(home, "data/state"), store.Options{}.PebbleOptions())
	if err != nil {
		t.Fatal(err)
	}
	head, closer, err := db.Get([]byte{0})
	if err != nil {
		t.Fatal(err)
	}
	changed := bytes.Clone(head)
	changed[3] = version
	if err := errors.Join(closer.Close(), db.Set([]byte{0}, changed, pebble.Sync), db.Close()); err != nil {
		t.Fatal(err)
	}
}

func readFile(t *testing.T, home, path string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(home, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func writeFile(t *testing.T, home, path, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(home, path), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
