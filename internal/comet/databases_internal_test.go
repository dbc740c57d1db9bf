package comet

import (
	"errors"
	"testing"

	cmtcfg "github.com/cometbft/cometbft/config"
)

// TestClosedDatabase checks that a database can be closed twice, and is empty to readers afterwards.
func TestClosedDatabase(t *testing.T) {
	t.Parallel()
	d := new(databases)
	opened, err := d.open(&cmtcfg.DBContext{ID: blockDatabase, Config: homePaths(t.TempDir())})
	if err != nil {
		t.Fatal(err)
	}
	if err := opened.Set([]byte("key"), []byte("value")); err != nil {
		t.Fatal(err)
	}
	if value, err := opened.Get([]byte("key")); err != nil || string(value) != "value" {
		t.Errorf("%q, %v", value, err)
	}
	if err := errors.Join(opened.Close(), d.close()); err != nil {
		t.Fatal(err)
	}
	if value, err := opened.Get([]byte("key")); err != nil || value != nil {
		t.Errorf("a closed database returns %q, %v", value, err)
	}
	if err := opened.Set([]byte("key"), []byte("value")); err == nil {
		t.Error("a closed database accepts writes")
	}
}
