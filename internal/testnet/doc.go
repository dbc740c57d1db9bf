// Package testnet makes the homes of a network and runs its nodes as processes of one machine.
//
// Init writes a directory: a home for each node, with keys of its own and a config.toml, the same genesis in all of them,
// and testnet.json, which names them. The nodes are ordinary ones: each can be run alone by makechain node --home. On a
// development network each node also vouches for the storage that its faucet gives away, with a key of its own.
//
// Invariants: secrets are made readable by their owner alone; nothing that exists is overwritten; testnet.json is
// written last, so that a directory that has it is complete.
package testnet
