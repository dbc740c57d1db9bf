package schema

// Change is one row written or deleted by a block.
type Change struct {
	Key   []byte
	Value []byte // nil deletes the row
	// Existed says whether the row was there before the block. The state tree relies on it: it spares
	// the tree a look-up for every row that only changes.
	Existed bool
}
