// Package comet runs the consensus engine, CometBFT, inside the program: it makes the engine's home, starts
// and stops it, hands it transactions, and answers with the blocks it has decided.
//
// The engine has no RPC listener, transaction index or metrics server of its own. Applications are called on
// four connections, each with a lock of its own, so reading and checking never wait for a block's execution.
//
// When nothing is pending, no block is made, but for one: when a block has changed the state, an empty one
// follows after the block interval, because the root after block N stands in the header of N+1. A chain at
// rest therefore ends with an empty block, and of all blocks only that last one has no certified root yet; its
// root is that of the block before it, which is certified. The first block follows genesis at once, for the
// same reason.
//
// Invariants: secrets are made readable by their owner alone; what exists in a home is kept; an engine that cannot
// go on says so by Done and Err, and never goes on as if nothing had happened; no read panics, whatever the
// databases hold.
//
// This is the only package that knows CometBFT's node.
package comet
