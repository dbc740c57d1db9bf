// Package client calls a node: it submits messages and waits for their outcome, reads rows of the state with proofs, and
// resolves the names of accounts, projects, refs, commits and keys.
//
// A Client has every method of the service. It adds the following:
//
//   - A call that fails because the node is unavailable is retried with exponential backoff, if repeating it has no
//     effect of its own. A message is submitted again only after the node has answered that it does not have it.
//   - Row and the methods that resolve names read with proofs. With trusted validators (WithTrust, WithTrustSource) a
//     proof is verified up to the signatures of the chain's validators, so the node need not be trusted. Without them
//     Row returns ErrNoTrust, and names are resolved as the node answers. A proof shows the state after the block that
//     it names; a node can still answer from an older block than its newest.
//   - The initial trust comes from a genesis file (finality.TrustGenesis) or from the node itself (TrustOnFirstUse); in
//     the second case the caller stores it and compares it from then on. When the chain changes its validators, the
//     client follows the changes (finality.NewLightClientFromTrust) and reports the newest validators (WithTrustUpdates).
//
// The caller supplies the timestamps of messages. A node refuses timestamps that differ from its time by more than 300
// seconds (P6.4); the RefusedError then contains the difference between the two clocks.
//
// A Client may be used by several goroutines at once.
package client
