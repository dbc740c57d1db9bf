package lint

import "testing"

// TestCheckPurity checks each construct that a pure package must not use.
func TestCheckPurity(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, body string
		want       []string
	}{
		{"clock", "_ = time.Now()", []string{"uses time.Now"}},
		{"timer", "_ = time.After(time.Second)", []string{"uses time.After"}},
		{"duration", "_ = 3 * time.Second", nil},
		{"goroutine", "go func() {}()", []string{"starts a goroutine"}},
		{"channel", "_ = make(chan int)", []string{"has a channel type"}},
		{"select", "select {}", []string{"uses select"}},
		{"send", "var c chan int; c <- 1", []string{"has a channel type", "sends on a channel"}},
		{"receive", "var c chan int; <-c", []string{"has a channel type", "receives from a channel"}},
		{"map", "for range rows {}", []string{"iterates over a map"}},
		{"map with empty reason", "for range rows { // order: \n}", []string{"iterates over a map"}},
		{"map with reason", "for range rows { // order: only counts\n}", nil},
		{"named map", "for range (table{}) {}", []string{"iterates over a map"}},
		{"slice", "for range []int{1} {}", nil},
		{"keys", "_ = maps.Keys(rows)", []string{"iterates over a map"}},
		{"values into a list", "_ = slices.Collect(maps.Values(rows))", []string{"iterates over a map"}},
		{"sorted keys", "_ = slices.Sorted(maps.Keys(rows))", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			source := "package ledger\n\nimport (\n\t\"maps\"\n\t\"slices\"\n\t\"time\"\n)\n\n" +
				"type table map[string]int\n\nvar _, _, _ = maps.X, slices.X, time.X\n\n" +
				"func apply(rows map[string]int) {\n" + test.body + "\n}\n"
			expect(t, CheckPurity(fixture(t, "internal/ledger/block.go", source)), test.want...)
			expect(t, CheckPurity(fixture(t, "internal/ledger/block_test.go", source)))
			expect(t, CheckPurity(fixture(t, "internal/feed/feed.go", source)))
		})
	}
}

// TestCheckPurityOfTree checks that the state tree may start goroutines, and that the other rules apply to it.
func TestCheckPurityOfTree(t *testing.T) {
	t.Parallel()
	const source = "package merkle\n\nfunc hash(rows map[string]int) {\n\tgo func() {}()\n\tfor range rows {\n\t}\n}\n"
	expect(t, CheckPurity(fixture(t, "internal/merkle/hash.go", source)), "hash.go:5: iterates over a map")
}
