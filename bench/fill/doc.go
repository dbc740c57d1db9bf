// Package fill writes rows straight into the state of a development chain, for measurements of states that take hours to fill with
// messages.
//
// The rows are those of accounts with keys, names, links, reactions, projects, commits, refs and merge requests, with their derived
// and index rows, so that the state is valid (P12); only the messages that would have written them do not exist. They are a function
// of a seed and generated in key order. The store is replaced by one with the same height, whose root is computed from the rows, and
// CometBFT's state gets this root as the app hash of its last block, so that the next block certifies it.
//
// A filled chain is for measurements only: its blocks do not lead to its state, so a replay, or a node that joins by block sync, fails.
package fill
