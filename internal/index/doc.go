// Package index keeps the read models of a chain: where a message is, what an account and a project did, how
// a ref moved, which projects have a name, how much there is of everything, and why a message was refused.
//
// Rows works out what a block adds; it becomes durable in the same batch as the block, so that a snapshot of
// the state always has the indexes of that very block. A Reader answers from them. Nothing here has a clock,
// a goroutine or a file.
//
// Every row but a refusal follows from the blocks and the state, and Check compares the two. The keys of the
// rows that a message leaves are made of the message and its position alone, so whoever drops a block can
// drop its rows with it: Prune does, a few blocks at a time. Names and counts follow from the state alone and are
// never pruned: FromState makes them for a node that received its state by snapshot.
//
// Refusals are a node's own: what it left out of its proposals and for what reason.
package index

// View is a consistent picture of the state and of the index rows.
type View interface {
	// Get returns the value at key, nil when there is no such row.
	Get(key []byte) ([]byte, error)
	// Scan calls fn for every row with lower <= key < upper in ascending order until fn returns false. A nil
	// upper means no end. What fn is given is valid only during the call.
	Scan(lower, upper []byte, fn func(key, value []byte) bool) error
}

// Reader answers from the rows of one view. Limits are at least 1.
type Reader struct {
	view View
}

// NewReader makes a reader of a view, which must stay open while the reader is used.
func NewReader(view View) Reader { return Reader{view: view} }
