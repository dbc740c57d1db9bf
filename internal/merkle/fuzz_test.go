package merkle_test

import (
	"slices"
	"testing"

	"makechain/internal/merkle"
	"makechain/internal/merkle/merkletest"
	"makechain/internal/schema"
)

// batchesOf decodes batches of writes and deletions from bytes. Each control byte is the end of a batch, or a row whose
// key is up to seven of the bytes that follow.
func batchesOf(data []byte) [][]schema.Change {
	batches := [][]schema.Change{nil}
	for len(data) > 0 {
		what := data[0]
		data = data[1:]
		if what&3 == 0 {
			batches = append(batches, nil)
			continue
		}
		n := min(int(what>>2&7), len(data))
		change := schema.Change{Key: data[:n]}
		if what&3 != 3 {
			change.Value = []byte{what, byte(len(data))}
		}
		data = data[n:]
		last := len(batches) - 1
		batches[last] = append(batches[last], change)
	}
	return batches
}

// FuzzBatches applies arbitrary batches and compares every version with the model.
//
// Rules: T1.1, T1.2, T1.3, T4.
func FuzzBatches(f *testing.F) {
	row := func(what byte, key string) []byte { return append([]byte{what | byte(len(key))<<2}, key...) }
	f.Add([]byte{})
	f.Add(row(1, "a"))
	f.Add(slices.Concat(row(1, ""), row(1, "a"), row(2, "ab"), row(1, "a\x00"), []byte{0}, row(3, "a"), row(1, "abc")))
	f.Add(slices.Concat(row(1, "xxxxxx0"), row(1, "xxxxxx1"), []byte{0}, row(1, "xxxxxy0"), []byte{0}, row(3, "xxxxxx0")))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := state{merkle.New(2).Empty(), merkletest.NewRows()}
		for _, batch := range batchesOf(data) {
			// The last change of a key wins. A value is never nil, so an absent row means a deletion.
			written := merkletest.NewRows().Apply(batch)
			var changes []schema.Change
			for _, c := range batch {
				value, _ := written.Get(c.Key)
				old, _ := s.rows.Get(c.Key)
				changes = append(changes, schema.Change{Key: c.Key, Value: value, Existed: old != nil})
			}
			next := s.next(t, inOrder(changes))
			s.version.Release()
			s = next
			s.check(t)
			s.checkNodes(t)
		}
	})
}
