package abci

import "testing"

// TestLowestRetained checks that the newest blocks are kept, and those after the oldest snapshot if snapshots are taken.
func TestLowestRetained(t *testing.T) {
	t.Parallel()
	snapshotAt := func(height uint64) func() uint64 { return func() uint64 { return height } }
	for name, test := range map[string]struct {
		oldest func() uint64
		height uint64
		want   uint64
	}{
		"no snapshots, few blocks":  {nil, 100, 0},
		"no snapshots, many blocks": {nil, 1_000, 901},
		"none yet, few blocks":      {snapshotAt(0), 100, 0},
		"none yet, many blocks":     {snapshotAt(0), 1_000, 901},
		"old snapshot":              {snapshotAt(500), 1_000, 501},
		"new snapshot":              {snapshotAt(990), 1_000, 901},
	} {
		app := &App{Config: Config{RetainBlocks: 100, OldestSnapshot: test.oldest}}
		if got := app.lowestRetained(test.height); got != test.want {
			t.Errorf("%s: the lowest retained block is %d, want %d", name, got, test.want)
		}
	}
}
