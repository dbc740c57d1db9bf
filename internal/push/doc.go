// Package push sends commits and refs of a git repository to a project on the chain.
//
// A push reads the state of the project, makes a plan, and sends messages: bundles with the missing commits, parents
// first, then the ref updates. When the chain has changed in the meantime it makes a new plan.
//
// Invariants:
//
//   - A ref update is sent after the bundles that contain its commit, by the same author, and the chain applies the
//     messages of an author in order. So no ref ever points at an unknown commit, wherever a push is interrupted.
//   - A ref update is a compare-and-swap on the commit and nonce that the plan was made with. A ref that someone else
//     has updated since is read again, never overwritten.
//   - A repeated push sends only what is missing. It first waits for the messages that an interrupted push left pending
//     (see Journal), so that no commit is sent twice.
//   - While a project has more commits than it keeps for commits without a ref (P8.7), temporary refs point at all
//     commits that were sent, so that nothing of a long history is pruned before its branch exists.
package push
