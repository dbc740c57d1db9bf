package comet

import "testing"

// TestRecentBlocks keeps what came last, within its bounds, and never mixes blocks up.
func TestRecentBlocks(t *testing.T) {
	t.Parallel()
	var recent recentBlocks
	large := make([]byte, recentBytes/4)
	for number := range uint64(recentCount + 10) {
		recent.add(number, [][]byte{{byte(number)}})
	}
	for number := range uint64(recentCount + 10) {
		transactions, found := recent.get(number)
		if want := number >= 10; found != want {
			t.Fatalf("block %d kept: %v, want %v", number, found, want)
		}
		if found && transactions[0][0] != byte(number) {
			t.Fatalf("block %d has the transactions of another", number)
		}
	}
	for number := range uint64(10) {
		recent.add(1_000+number, [][]byte{large})
	}
	if recent.bytes > recentBytes || len(recent.order) != len(recent.blocks) {
		t.Errorf("%d bytes in %d blocks are kept, at most %d bytes", recent.bytes, len(recent.blocks), recentBytes)
	}
	if _, found := recent.get(1_009); !found {
		t.Error("the block that came last is gone")
	}
}
