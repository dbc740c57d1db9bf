// Package testnet creates the homes of a network of nodes and runs the nodes as processes on one machine.
//
// Init writes a directory with a home for each node, which has its own keys and a config.toml, the same genesis in every
// home, and testnet.json, which lists the nodes. Each node can also be run alone with makechain node --home. On a
// development network every node is an attester of storage claims, with a key for its faucet.
//
// Invariants: secret files are readable by their owner only; existing files are never overwritten; testnet.json is written
// last, so a directory that contains it is complete.
package testnet
