package comet

import (
	"fmt"
	"net"
	"strings"
	"time"

	cmtcfg "github.com/cometbft/cometbft/config"

	"makechain/internal/ledger"
	"makechain/message"
)

// Defaults of Config.
const (
	// DefaultBlockInterval is the default pause between blocks. It makes blocks fuller, and so the throughput higher.
	DefaultBlockInterval = 50 * time.Millisecond
	// DefaultHeartbeat is the time for which an idle validator creates no block by default.
	DefaultHeartbeat = 10 * time.Minute
	// DefaultListenAddress is the default address for peers, reachable on this machine only.
	DefaultListenAddress = "127.0.0.1:26656"
	// DefaultMempoolSize is the default number of transactions in CometBFT's mempool.
	DefaultMempoolSize = 100_000
)

// Fixed settings of the engine.
const (
	// mempoolBytes bounds the memory of CometBFT's mempool.
	mempoolBytes = 512 << 20
	// mempoolCacheSize is the number of recent transactions that CometBFT's mempool does not check again when a peer sends them
	// again.
	mempoolCacheSize = 2 * ledger.MaxBlockMessages
	// packetSize and transferRate let a full block be sent in a few packets and well within a block interval.
	packetSize   = 32 << 10
	transferRate = 64 << 20 // bytes per second
	flushDelay   = 5 * time.Millisecond
	// gossipPause is how long an idle gossip goroutine sleeps. It delays every hop of a vote or block part.
	gossipPause = 5 * time.Millisecond
	// proposeTimeout is how long validators wait for a proposal. A full block takes a third of a second to execute and has
	// 1.5 MiB to transfer, and takes more than a second on a machine that is overloaded. Each further round adds proposeDelta,
	// so that slow networks and machines decide blocks in the second or third round.
	proposeTimeout = 2 * time.Second
	proposeDelta   = time.Second
	// voteTimeout is how long validators wait for more votes when those of two thirds do not agree on a block, as after every
	// missing proposal. Votes are small: it is enough for any round trip.
	voteTimeout = 250 * time.Millisecond
	voteDelta   = 500 * time.Millisecond
	// absentProposeTimeout and absentVoteTimeout are used instead in a round whose proposer is down, see absentProposers.
	// Every validator that is up votes nil then, and nothing else is waited for.
	absentProposeTimeout = 50 * time.Millisecond
	absentVoteTimeout    = 20 * time.Millisecond
)

// Config configures an engine. The zero value of a field means its default, unless it says otherwise.
type Config struct {
	Home string // initialized by Init
	// BlockInterval is the pause between a block and the next.
	BlockInterval time.Duration
	// Heartbeat is the time after which a validator proposes an empty block if there are no transactions; 0 means never.
	Heartbeat time.Duration
	// ListenAddress is the host and port for peers. Port 0 chooses a free port, which Address returns.
	ListenAddress string
	// PersistentPeers are the peers to connect to, as id@host:port. Only the heights that they announce are believed.
	PersistentPeers []string
	// PeersPerHost limits the inbound peers of one host other than persistent ones. If it is 0, hosts outside this machine
	// and private networks have DefaultPeersPerHost.
	PeersPerHost int
	// Pool is the mempool of an application that has one: CometBFT's mempool is not used then, and CheckTx is not called. If
	// Pool is nil, CometBFT's mempool has up to MempoolSize transactions, from Submit and from peers.
	Pool        Pool
	MempoolSize int
	// StateSync makes an engine without blocks start with a snapshot of its peers whose root these light blocks certify. If it
	// is nil, the engine starts with the first block.
	StateSync LightBlockSource
}

func (c Config) withDefaults() (Config, error) {
	if c.BlockInterval == 0 {
		c.BlockInterval = DefaultBlockInterval
	}
	if c.ListenAddress == "" {
		c.ListenAddress = DefaultListenAddress
	}
	if c.MempoolSize == 0 {
		c.MempoolSize = DefaultMempoolSize
	}
	switch {
	case c.BlockInterval < 0:
		return c, fmt.Errorf("block interval %v is negative", c.BlockInterval)
	case c.Heartbeat < 0:
		return c, fmt.Errorf("heartbeat %v is negative", c.Heartbeat)
	case c.PeersPerHost < 0:
		return c, fmt.Errorf("limit of peers per host %d is negative", c.PeersPerHost)
	case c.MempoolSize < 0:
		return c, fmt.Errorf("mempool size %d is negative", c.MempoolSize)
	}
	address, err := choosePort(c.ListenAddress)
	c.ListenAddress = address
	return c, err
}

// choosePort replaces port 0 by a free port. CometBFT does not report the port that the system assigned, so it is chosen
// before; if another process takes it in between, Start tries another one.
func choosePort(address string) (string, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "", fmt.Errorf("listen address: %w", err)
	}
	if host == "" {
		address = net.JoinHostPort("0.0.0.0", port)
	}
	if port != "0" {
		return address, nil
	}
	listener, err := net.Listen("tcp", address) //nolint:noctx // it only reserves a port and returns immediately
	if err != nil {
		return "", fmt.Errorf("listen address: %w", err)
	}
	return listener.Addr().String(), listener.Close()
}

// settings returns CometBFT's configuration.
func (c Config) settings() *cmtcfg.Config {
	settings := cmtcfg.DefaultConfig()
	settings.SetRoot(c.Home)
	settings.Moniker = "makechain"
	settings.DBBackend = databaseBackend
	settings.RPC.ListenAddress = ""
	settings.TxIndex.Indexer = "null"
	settings.Storage.DiscardABCIResponses = true

	settings.Mempool.Type = cmtcfg.MempoolTypeFlood
	// The transactions of a block leave the mempool a little later, so it has space for another block.
	settings.Mempool.Size = c.MempoolSize + ledger.MaxBlockMessages
	settings.Mempool.CacheSize = mempoolCacheSize
	if c.Pool != nil {
		settings.Mempool.Type = cmtcfg.MempoolTypeApp // does nothing when a block is executed
		settings.Mempool.Broadcast = false            // gossipReactor sends transactions
	}
	settings.Mempool.MaxTxBytes = message.MaxSize
	settings.Mempool.MaxTxsBytes = mempoolBytes

	setTimeouts(settings.Consensus)
	settings.Consensus.TimeoutCommit = c.BlockInterval
	settings.Consensus.CreateEmptyBlocks, settings.Consensus.CreateEmptyBlocksInterval = false, c.Heartbeat
	settings.Consensus.PeerGossipSleepDuration = gossipPause

	settings.P2P.ListenAddress = "tcp://" + c.ListenAddress
	settings.P2P.PersistentPeers = strings.Join(c.PersistentPeers, ",")
	settings.P2P.UnconditionalPeerIDs = strings.Join(persistentIDs(c.PersistentPeers), ",") // beyond the number of inbound peers
	settings.P2P.PexReactor = false
	settings.P2P.AddrBookStrict = false  // allow loopback and private addresses
	settings.P2P.AllowDuplicateIP = true // peerPolicy limits the peers of a host
	settings.P2P.MaxPacketMsgPayloadSize = packetSize
	settings.P2P.FlushThrottleTimeout = flushDelay
	settings.P2P.SendRate = transferRate
	settings.P2P.RecvRate = transferRate
	return settings
}

// setTimeouts sets the timeouts of rounds whose proposer is not known to be down.
func setTimeouts(settings *cmtcfg.ConsensusConfig) {
	settings.TimeoutPropose, settings.TimeoutProposeDelta = proposeTimeout, proposeDelta
	settings.TimeoutPrevote, settings.TimeoutPrevoteDelta = voteTimeout, voteDelta
	settings.TimeoutPrecommit, settings.TimeoutPrecommitDelta = voteTimeout, voteDelta
}
