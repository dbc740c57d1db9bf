package node

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"makechain/internal/comet"
	"makechain/internal/feed"
	"makechain/internal/ident"
	"makechain/internal/server"
	"makechain/internal/store"
	"makechain/proof/finality"
)

const (
	// DefaultHome is the default directory of a node.
	DefaultHome = "makechain-data"
	// DefaultP2P is the default address for peers. A chain with one validator needs no fixed port; a network does.
	DefaultP2P = "127.0.0.1:0"
	// DefaultSnapshotEvery is the default number of blocks between two snapshots.
	DefaultSnapshotEvery = 1_000
	// DefaultTreeRows is the default number of rows of the state tree that are kept in memory.
	DefaultTreeRows = store.DefaultTreeMemoryRows
	// MinRetainBlocks is the lowest number of blocks that a pruning node keeps: the blocks that the feed has in memory must
	// also be on disk, with a margin.
	MinRetainBlocks = 2 * feed.DefaultRingBlocks

	// retainSnapshots is the lowest number of snapshot intervals within the retained blocks. Nodes that join need the blocks
	// after their snapshot; two snapshots are kept, and a peer may still be downloading the older one.
	retainSnapshots = 3
	// maxWait is the longest time that SubmitMessage waits for a commit.
	maxWait = 30 * time.Second
	// maintenanceInterval is the time between two runs of the maintenance loop.
	maintenanceInterval = time.Second
)

// Config configures a node. Only Home is required.
type Config struct {
	Home          string
	Genesis       string        // file of the chain to join; "" uses the one in Home, or starts a development chain
	GRPC          server.Config // the node sets Position, Ready, Log and Registerer
	RESTAddr      string        // of the gateway, which is otherwise configured like GRPC; "" for none
	MetricsAddr   string        // "" for none
	Profiles      bool          // serve profiles next to metrics; requires a loopback address
	P2PAddr       string
	Peers         []string   // persistent ones
	PeersPerHost  int        // inbound peers of one host; 0 for comet.DefaultPeersPerHost outside this machine and private networks
	StateSync     *StateSync // nil executes the blocks since genesis
	BlockInterval time.Duration
	Heartbeat     time.Duration // after which an idle validator proposes an empty block; 0 for never
	SnapshotEvery uint64        // blocks between two snapshots; 0 takes none
	RetainBlocks  uint64        // newest blocks to keep; 0 keeps all
	TreeRows      int           // rows of the state tree in memory; 0 for DefaultTreeRows
	Faucet        bool          // served on DEVNET only
	Content       ContentConfig
	MemoryLimit   int64 // bytes that the program may use; 0 for a part of the machine's. The caller applies it
	Version       string
	Log           *slog.Logger

	// WrapApplication, if set, replaces the application that the consensus engine calls. Tests use it for validators that
	// violate the protocol.
	WrapApplication func(comet.Application) comet.Application
}

// ContentConfig configures the content service of a node.
type ContentConfig struct {
	// Mode is "on", "off" or "auto". The zero value means off.
	Mode string
	// Dir is the directory of content; "" for one in Home.
	Dir string
	// The other fields are those of contentserver.Config.
	Store                  string
	Collect                bool
	PublicURL              string
	MaxBytes, BytesPerUnit int64
	MinFree                int64
	// Follow and FollowPrivate are those of contentserver.Config.
	Follow, FollowPrivate bool
}

// Modes of the content service.
const (
	ContentOn  = "on"
	ContentOff = "off"
	// ContentAuto is on, except in validators of TESTNET and MAINNET: what they do besides consensus should be little.
	ContentAuto = "auto"
)

// StateSync configures how a node without a state restores the newest snapshot of its peers.
type StateSync struct {
	// Trust is the block from which the light client starts.
	Trust TrustedBlock
	// Sources are nodes that provide light blocks from there to the snapshot. The light client verifies these. The first is
	// the primary and the others are witnesses, which detect a fork.
	Sources []finality.Provider
}

// TrustedBlock is a block that the operator trusts.
type TrustedBlock struct {
	Number uint64
	Hash   ident.Hash // of its header
}

// ErrRetain is returned by CheckRetain.
var ErrRetain = errors.New("too few blocks to keep")

// CheckRetain returns ErrRetain when a node with a snapshot every snapshotEvery blocks cannot keep so few blocks.
func CheckRetain(blocks, snapshotEvery uint64) error {
	least := max(MinRetainBlocks, retainSnapshots*snapshotEvery)
	if blocks == 0 || blocks >= least {
		return nil
	}
	return fmt.Errorf("%w: %d, want 0 for all, or at least %d with a snapshot every %d blocks", ErrRetain, blocks, least, snapshotEvery)
}
