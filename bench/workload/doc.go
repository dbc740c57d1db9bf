// Package workload generates the messages of a load test: accounts that push commits, and sometimes send messages of all
// other types.
//
// 40 % of the messages are commit bundles, 40 % are updates of the ref to these commits, and 20 % are of other types:
// reactions, links, profiles, metadata, collaborators, merge requests, branches, verifications, projects, forks and keys.
// Everything is derived from a seed.
//
// Invariants: a message is valid once the previous messages of the same account have been admitted in order, and the setup of
// all accounts has committed. It depends on nothing else that other accounts do, so accounts may send concurrently and to
// several nodes, and no refusal is expected. An account must be used by one goroutine at a time.
package workload
