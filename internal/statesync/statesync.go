// Package statesync defines what nodes exchange during state sync: snapshots as peers offer them, and the reasons for
// which a node refuses one. internal/snapshot returns these errors and internal/abci answers CometBFT by them.
package statesync

import "errors"

// Reasons for which a snapshot or a chunk is refused. Any other error of a restoration means that this node failed.
var (
	// ErrFormat is returned for a snapshot in a format that this program does not read.
	ErrFormat = errors.New("unknown snapshot format")
	// ErrOffer is returned for an offer whose fields contradict its manifest. The peer that sent it is not to be trusted.
	ErrOffer = errors.New("snapshot offer contradicts its manifest")
	// ErrChunk is returned for bytes that are not the chunk named by the manifest. Nothing was applied, and the correct
	// chunk can still be applied.
	ErrChunk = errors.New("chunk does not match the manifest")
	// ErrRows is returned when the chunks named by the manifest do not contain valid rows. The restoration has ended.
	ErrRows = errors.New("snapshot does not contain valid rows")
	// ErrRoot is returned when the root of the snapshot is not the one that the validators signed. The restoration has ended.
	ErrRoot = errors.New("snapshot has a different state root")
	// ErrNotFound is returned for a snapshot or chunk that this node does not have, or no longer has.
	ErrNotFound = errors.New("no such snapshot or chunk")
)

// Offer describes a snapshot to a peer.
type Offer struct {
	Height   uint64
	Format   uint32
	Chunks   uint32
	Hash     []byte // of the manifest; identifies the snapshot
	Manifest []byte // lists the hashes of the chunks
}
