package index

import (
	"fmt"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
)

// ForksPrefix returns the prefix of the keys of the forks of a project, which sort by the ids of the forks.
func ForksPrefix(parent ident.Hash) []byte { return append([]byte{prefixFork}, parent[:]...) }

// ParseFork returns the fork of a key with ForksPrefix.
func ParseFork(key []byte) (fork ident.Hash, err error) {
	if len(key) != 1+2*ident.HashSize {
		return fork, fmt.Errorf("the key of a fork has %d bytes, want %d", len(key), 1+2*ident.HashSize)
	}
	copy(fork[:], key[1+ident.HashSize:])
	return fork, nil
}

// HasForks reports whether the forks of the state are indexed. A store that was written before there was this index gets it
// with its next block.
func (r Reader) HasForks() (bool, error) {
	value, err := r.view.Get(forksCompleteKey())
	return value != nil, err
}

// forksCompleteKey returns the key of the row that exists if all forks of the state have rows.
func forksCompleteKey() []byte { return []byte{prefixFork} }

// forkKey returns the key of the row of a fork, from the row of the state that names its parent.
func forkKey(key, value []byte) ([]byte, error) {
	parsed, err := schema.ParseKey(key)
	if err != nil {
		return nil, err
	}
	var row pb.ForkParentRow
	if err := schema.Decode(value, &row); err != nil {
		return nil, err
	}
	parent, ok := ident.HashFrom(row.GetSourceProjectId())
	if !ok {
		return nil, fmt.Errorf("a project id has %d bytes, want %d", len(row.GetSourceProjectId()), ident.HashSize)
	}
	return append(ForksPrefix(parent), parsed.Project[:]...), nil
}

// addForks adds and removes rows of forks as the rows of the state that name their parents change. The first block also adds
// the rows of the forks before it.
func (b *batch) addForks(changes []schema.Change) {
	isComplete := b.get(forksCompleteKey()) != nil
	keyOf := func(key, value []byte) []byte {
		fork, err := forkKey(key, value)
		if err != nil {
			b.fail(fmt.Errorf("row %x: %w", key, err))
		}
		return fork
	}
	changed := map[string]bool{}
	for _, c := range changes {
		if schema.Prefix(c.Key[0]) != schema.PrefixForkParent {
			continue
		}
		changed[string(c.Key)] = true
		if c.Existed && isComplete {
			b.remove(keyOf(c.Key, b.get(c.Key)))
		}
		if c.Value != nil {
			b.insert(keyOf(c.Key, c.Value), schema.Present)
		}
	}
	if isComplete || b.err != nil {
		return
	}
	b.insert(forksCompleteKey(), schema.Present)
	all := []byte{byte(schema.PrefixForkParent)}
	b.fail(b.view.Scan(all, schema.After(all), func(key, value []byte) bool {
		if !changed[string(key)] {
			b.insert(keyOf(key, value), schema.Present)
		}
		return b.err == nil
	}))
}
