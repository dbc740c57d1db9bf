package comet

import (
	"testing"

	cmtcfg "github.com/cometbft/cometbft/config"
)

// TestClosedDatabase reads a database that is closed as one that has nothing, for goroutines of CometBFT that outlive it.
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
	if err := d.close(); err != nil {
		t.Fatal(err)
	}
	if value, err := opened.Get([]byte("key")); err != nil || value != nil {
		t.Errorf("a closed database has %q, %v", value, err)
	}
	if err := opened.Set([]byte("key"), []byte("value")); err == nil {
		t.Error("a closed database is written")
	}
}
