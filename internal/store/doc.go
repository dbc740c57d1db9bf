// Package store stores the state in Pebble: the rows, and the height and root of the last block.
//
// A block becomes durable in one atomic, synced batch, so a crash leaves the state before it or the state after it. The
// nodes of the state tree are not stored: Open builds the tree from the rows in one scan and refuses a store whose rows
// do not have the stored root.
//
// Reads go through a Snapshot, which has the rows and the tree of one height. A snapshot never changes, and readers and
// commits do not block each other.
//
// An empty store can be filled with the rows of a snapshot file. A crash before the end leaves it empty.
package store
