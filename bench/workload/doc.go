// Package workload makes the messages that a node is measured with: people who push commits and move refs, and now and
// then do everything else that the protocol has.
//
// Of the messages 40 % bring commits, 40 % move a ref to them, and 20 % are the rest: reactions, links, profiles,
// metadata, collaborators, merge requests, branches, verifications, projects, forks and keys. All follows from a seed.
//
// What always holds: a message applies when those of the same account before it have been taken in, in their order, and
// the founding of all people has committed. It relies on nothing else that others do, so people may send at the same
// time, from several nodes, and no refusal is to be expected. A account may be used by one goroutine at a time.
package workload
