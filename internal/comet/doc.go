// Package comet runs the consensus engine, CometBFT, in the process: it initializes the engine's home, starts and stops it,
// submits transactions, and reads the blocks it has decided. No other package imports CometBFT's node.
//
// The engine has no RPC listener, transaction index or metrics server. It calls the application on four connections, each
// with a lock of its own, so reads and CheckTx do not wait for the execution of a block.
//
// Without pending transactions the engine creates no blocks, with two exceptions. A block that changed the state is followed
// by an empty one after the block interval, because the root after block N is in the header of block N+1. An idle chain
// therefore ends with an empty block. Only the root of that last block is not certified yet, and it equals the certified
// root of the block before. The first block follows genesis immediately for the same reason. And after each heartbeat an idle chain
// has another empty block, so that clients can distinguish it from one that has halted.
//
// Invariants: secrets are readable by their owner only; existing files of a home are never overwritten; an engine that fails
// closes Done and reports the reason by Err; no read panics, whatever the databases contain.
package comet
