package node_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2"
	dbm "github.com/cometbft/cometbft-db"

	pb "makechain/gen/makechain"
	"makechain/internal/comet"
	"makechain/internal/ident"
	"makechain/internal/node"
	"makechain/internal/node/nodetest"
	"makechain/internal/schema"
	"makechain/internal/store"
	"makechain/message"
)

// checked checks a home with a replay and returns the report.
func checked(home string) (report string, err error) {
	var lines []string
	err = node.Check(home, node.CheckOptions{Replay: true, Report: func(line string) { lines = append(lines, line) }})
	return strings.Join(lines, "\n"), err
}

// TestCheck checks the home of a node, and damaged copies of it, for which the error must name the damaged part.
//
// Rules: I1, I3, T2/crash.
func TestCheck(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	s := runScenario(t, nodetest.Start(t, home))
	number := awaitIdle(t, s.Client)
	var inUse *node.HomeInUseError
	if _, err := checked(home); !errors.As(err, &inUse) || inUse.Home != home {
		t.Errorf("while the node runs: %v", err)
	}
	s.Stop(t)
	report, err := checked(home)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"state ", "blocks ", "rows ", "indexes ", "replay "} {
		if !strings.Contains(report, want) {
			t.Errorf("the report has no line %s: %s", want, report)
		}
	}
	if _, err := checked(t.TempDir()); !errors.Is(err, comet.ErrNoChain) {
		t.Errorf("an empty home: %v", err)
	}
	for _, test := range s.damages(number) {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			damaged := filepath.Join(t.TempDir(), "home")
			if err := os.CopyFS(damaged, os.DirFS(home)); err != nil {
				t.Fatal(err)
			}
			test.damage(t, damaged)
			if report, err := checked(damaged); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want an error with %q; report:\n%s", err, test.want, report)
			}
		})
	}
}

// damage is a way to damage a home, with the expected error of a check.
type damage struct {
	name   string
	damage func(t *testing.T, home string)
	want   string
}

func (s *scenario) damages(number uint64) []damage {
	bio := schema.AccountMetadataKey(s.alice.Address(), byte(pb.AccountDataType_ACCOUNT_DATA_BIO))
	position := append([]byte{store.FirstIndexPrefix}, s.hello[:]...)
	return []damage{
		{"row of the state", change(bio, &pb.AccountMetadataRow{Value: "else", Timestamp: 1}), store.ErrCorrupt.Error()},
		{"row and root", s.rewrite(bio), "replay: the blocks lead to root"},
		{"derived row", drop(firstOf(schema.PrefixAge)), "rows: "},
		{"message position", drop(func(*pebble.DB) ([]byte, error) { return position, nil }), "index: message positions: row"},
		{"block", dropBlock("H:2"), "blocks: block 2 is missing"},
		{"part of a block", dropBlock("P:3:0"), "block 3"},
		{"state ahead of blocks", commitBlock(number + 1), "blocks: the state has height"},
	}
}

// edit changes the database of a home without the store.
func edit(t *testing.T, home string, change func(*pebble.DB) error) {
	t.Helper()
	db, err := pebble.Open(filepath.Join(home, "data/state"), &pebble.Options{FormatMajorVersion: pebble.FormatNewest, Logger: quiet{t}})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(change(db), db.Close()); err != nil {
		t.Fatal(err)
	}
}

// quiet discards the progress messages of Pebble.
type quiet struct{ *testing.T }

func (quiet) Infof(string, ...any) {}

func change(key []byte, row *pb.AccountMetadataRow) func(*testing.T, string) {
	return func(t *testing.T, home string) {
		t.Helper()
		value, err := schema.Encode(row)
		if err != nil {
			t.Fatal(err)
		}
		edit(t, home, func(db *pebble.DB) error { return db.Set(key, value, pebble.Sync) })
	}
}

// rewrite changes a row and the stored root, so that both match.
func (s *scenario) rewrite(key []byte) func(*testing.T, string) {
	return func(t *testing.T, home string) {
		t.Helper()
		change(key, &pb.AccountMetadataRow{Value: "else", Timestamp: 1})(t, home)
		_, err := store.Open(filepath.Join(home, "data/state"), store.Options{})
		found := regexp.MustCompile(`have root ([0-9a-f]{64}), but ([0-9a-f]{64}) is stored`).FindStringSubmatch(err.Error())
		if found == nil {
			t.Fatal(err)
		}
		now, errNow := ident.ParseHash(found[1])
		stored, errStored := ident.ParseHash(found[2])
		edit(t, home, func(db *pebble.DB) error {
			head, closer, err := db.Get([]byte{0})
			if err != nil {
				return err
			}
			changed := bytes.Replace(head, stored[:], now[:], 1)
			return errors.Join(errNow, errStored, closer.Close(), db.Set([]byte{0}, changed, pebble.Sync))
		})
	}
}

func drop(find func(*pebble.DB) ([]byte, error)) func(*testing.T, string) {
	return func(t *testing.T, home string) {
		t.Helper()
		edit(t, home, func(db *pebble.DB) error {
			key, err := find(db)
			if err != nil {
				return err
			}
			if _, closer, err := db.Get(key); err != nil || closer.Close() != nil {
				return err
			}
			return db.Delete(key, pebble.Sync)
		})
	}
}

// firstOf finds the first row with a prefix.
func firstOf(prefix schema.Prefix) func(*pebble.DB) ([]byte, error) {
	return func(db *pebble.DB) ([]byte, error) {
		rows, err := db.NewIter(&pebble.IterOptions{LowerBound: []byte{byte(prefix)}})
		if err != nil {
			return nil, err
		}
		rows.First()
		key := bytes.Clone(rows.Key())
		return key, rows.Close()
	}
}

// dropBlock deletes an entry of the block database.
func dropBlock(key string) func(*testing.T, string) {
	return func(t *testing.T, home string) {
		t.Helper()
		db, err := dbm.NewDB("blockstore", dbm.GoLevelDBBackend, filepath.Join(home, "data"))
		if err != nil {
			t.Fatal(err)
		}
		if stored, err := db.Get([]byte(key)); err != nil || stored == nil {
			t.Fatalf("%s: %v", key, err)
		}
		if err := errors.Join(db.DeleteSync([]byte(key)), db.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// commitBlock commits a block to the state that the engine does not have.
func commitBlock(number uint64) func(*testing.T, string) {
	return func(t *testing.T, home string) {
		t.Helper()
		state, err := store.Open(filepath.Join(home, "data/state"), store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		staged, err := state.Stage(nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(staged.Commit(number), state.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCheckNewChain checks a chain with one block and no messages.
func TestCheckNewChain(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	n := nodetest.Start(t, home)
	m := nodetest.NewAccount(t).Sign(message.UsernameCreate("nobody"))
	if answer := nodetest.Call(t, n.SubmitMessage, &pb.SubmitMessageRequest{Message: m.Proto()}); answer.GetAccepted() {
		t.Error("an account without a key got a username")
	}
	n.Stop(t)
	if report, err := checked(home); err != nil {
		t.Errorf("%v; report:\n%s", err, report)
	}
}
