package comet

import (
	"errors"
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
	// DefaultBlockInterval makes fuller blocks than none would, and so more messages in a second.
	DefaultBlockInterval = 50 * time.Millisecond
	// DefaultListenAddress is for peers on this machine. A network needs another one.
	DefaultListenAddress = "127.0.0.1:26656"
	// DefaultMempoolSize is how many transactions may be pending (P10.2).
	DefaultMempoolSize = 100_000
)

// Settings of the engine that nobody has to choose.
const (
	// mempoolBytes bounds the memory of pending transactions. They are shared with the node's own pool.
	mempoolBytes = 512 << 20
	// mempoolRecent is how many transactions are known at once when a peer sends them again. Of older ones the node's
	// own pool is asked.
	mempoolRecent = 2 * ledger.MaxBlockMessages
	// packetSize and transferRate let a full block travel in a few packets and well within a block interval.
	packetSize   = 32 << 10
	transferRate = 64 << 20 // bytes in a second
	flushDelay   = 5 * time.Millisecond
	// gossipPause is how long an idle gossip routine sleeps: a delay of every hop of a vote or block part.
	gossipPause = 5 * time.Millisecond
	// proposeTimeout is how long validators wait for a proposal, and so what the turn of one that is down costs. It
	// leaves time to execute a full block, a third of a second, and to carry 1.5 MiB. Whoever needs more is waited for
	// proposeDelta longer in each further round, so that slow networks and machines make blocks too, with the second or
	// third attempt.
	proposeTimeout = time.Second
	proposeDelta   = time.Second
	// voteTimeout is how long validators wait for the rest of the votes when those of two thirds do not agree on a
	// block, which is so after every turn that passed. Votes are small: it is time for a way around the world.
	voteTimeout = 250 * time.Millisecond
	voteDelta   = 500 * time.Millisecond
	// databases of the engine are small and written synchronously, once or twice for a block.
	database = "goleveldb"
)

// Config says where the engine lives and whom it talks to. The zero value of a field means its default.
type Config struct {
	Home string // made by Init
	// BlockInterval is how long the engine waits after a block before it begins the next.
	BlockInterval time.Duration
	// ListenAddress is the host and port for peers. Port 0 picks a free one; Address tells which.
	ListenAddress string
	// PersistentPeers are dialled until they answer, as id@host:port.
	PersistentPeers []string
	// PeerExchange tells peers of one another. Seeds, as id@host:port, are asked for peers and need it.
	PeerExchange bool
	Seeds        []string
	MempoolSize  int
	// Take has the application judge transactions that peers sent, many at a time, and tells which of them wait for a block
	// then. The engine asks about these alone. With nil it asks about each, and reads nothing from a peer meanwhile.
	AdmitGossip func(transactions [][]byte) (waits []bool, err error)
	// StateSync, in a home without blocks, has the engine begin with a snapshot that peers offer, if the state in it is
	// the one that these headers certify. Nil begins with the first block.
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
	case c.MempoolSize < 0:
		return c, fmt.Errorf("mempool size %d is negative", c.MempoolSize)
	case len(c.Seeds) > 0 && !c.PeerExchange:
		return c, errors.New("seeds need peer exchange")
	}
	address, err := concrete(c.ListenAddress)
	c.ListenAddress = address
	return c, err
}

// concrete replaces port 0 by a free port. The engine cannot say which port the system gave it, so the port
// is chosen before; somebody else may take it in between, and Start then tries another.
func concrete(address string) (string, error) {
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
	listener, err := net.Listen("tcp", address) //nolint:noctx // it only asks for a port and returns at once
	if err != nil {
		return "", fmt.Errorf("listen address: %w", err)
	}
	return listener.Addr().String(), listener.Close()
}

// settings is the engine's own configuration.
func (c Config) settings() *cmtcfg.Config {
	settings := cmtcfg.DefaultConfig()
	settings.SetRoot(c.Home)
	settings.Moniker = "makechain"
	settings.DBBackend = database
	settings.RPC.ListenAddress = ""
	settings.TxIndex.Indexer = "null"
	settings.Storage.DiscardABCIResponses = true

	settings.Mempool.Type = cmtcfg.MempoolTypeFlood
	// The node's own pool is the one that may be full. Here there is room for a block more, because the
	// transactions of a block leave this pool a little later than that one.
	settings.Mempool.Size = c.MempoolSize + ledger.MaxBlockMessages
	settings.Mempool.CacheSize = mempoolRecent
	settings.Mempool.MaxTxBytes = message.MaxSize
	settings.Mempool.MaxTxsBytes = mempoolBytes

	settings.Consensus.TimeoutPropose, settings.Consensus.TimeoutProposeDelta = proposeTimeout, proposeDelta
	settings.Consensus.TimeoutPrevote, settings.Consensus.TimeoutPrevoteDelta = voteTimeout, voteDelta
	settings.Consensus.TimeoutPrecommit, settings.Consensus.TimeoutPrecommitDelta = voteTimeout, voteDelta
	settings.Consensus.TimeoutCommit = c.BlockInterval
	settings.Consensus.CreateEmptyBlocks = false
	settings.Consensus.PeerGossipSleepDuration = gossipPause

	settings.P2P.ListenAddress = "tcp://" + c.ListenAddress
	settings.P2P.PersistentPeers = strings.Join(c.PersistentPeers, ",")
	settings.P2P.Seeds = strings.Join(c.Seeds, ",")
	settings.P2P.PexReactor = c.PeerExchange
	settings.P2P.AddrBookStrict = false // networks of one machine and of private addresses are welcome
	settings.P2P.AllowDuplicateIP = true
	settings.P2P.MaxPacketMsgPayloadSize = packetSize
	settings.P2P.FlushThrottleTimeout = flushDelay
	settings.P2P.SendRate = transferRate
	settings.P2P.RecvRate = transferRate
	return settings
}
