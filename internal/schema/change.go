package schema

// Change is one row written or deleted by a block.
type Change struct {
	Key   []byte
	Value []byte // nil deletes the row
	// Existed reports whether the row existed before the block. It saves the state tree a lookup for every update.
	Existed bool
}
