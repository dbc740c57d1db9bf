// Package store stores the state in Pebble: the rows, and the height and root of the last block.
//
// A block becomes durable in one atomic, synced batch, so a crash leaves the state before it or the state after it. The
// state tree can always be built from the rows in one scan, and a store whose rows do not have the stored root is refused.
//
// Parts of a large tree are in files of pages, and Open restores it from a checkpoint and the keys that were changed
// since. Pages, checkpoint and the log of changed keys are a cache: they are verified by hashes and by the stored root, and
// what is damaged or missing is computed from the rows.
//
// Reads go through a Snapshot, which has the rows and the tree of one height. A snapshot never changes, and readers and
// commits do not block each other.
//
// An empty store can be filled with the rows of a snapshot file. A crash before the end leaves it empty.
package store
