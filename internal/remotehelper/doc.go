// Package remotehelper implements git-remote-makechain, with which git clones, fetches and pushes projects of the chain
// (gitremote-helpers(7)).
//
// Refs come from the chain, with proofs. Objects come from content stores, which need not be trusted: the ids of the refs
// determine all objects, and git checks them. Two ways of reading exist:
//
//   - Stores that serve git: the helper answers git's request for refs itself (stateless-connect, protocol version 2), and
//     forwards requests for objects to a store. It checks an answer before git sees it, so that another store can replace one
//     that fails.
//   - Stores that only have files: git's fetch command. The helper downloads the git bundles that the chain lists, checks
//     their digests, and adds them to the repository.
//
// Invariants:
//
//   - git never sees a ref that the chain does not prove, and no answer of a store to a request for refs.
//   - A store cannot truncate the history: see copyResponse.
//   - A push touches the chain only after enough stores have acknowledged its content.
package remotehelper
