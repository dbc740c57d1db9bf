// Package push brings commits and refs of a git repository to a project on the chain.
//
// A push reads what the chain has, plans, and sends: bundles of the commits that are missing, parents first, then the
// moves of refs. When the chain changed meanwhile it plans again.
//
// What always holds:
//
//   - A ref is moved after the bundles that bring its commit, by the same author, and chains keep an author's messages
//     in order. So no ref ever points at an unknown commit, wherever a push breaks off.
//   - A ref is moved by compare and swap, from the commit and nonce that the plan saw. What somebody else has moved
//     meanwhile is looked at again, never overwritten.
//   - A push that is repeated sends what is missing. Messages that an earlier one left under way are waited for first
//     (see Journal), so that no commit is sent twice.
//   - While a project holds more commits than it keeps for unmoved refs (P8.7), all that was sent is held by refs of
//     the push's own (see lanes), and nothing of a long history is pruned before its branch is there.
package push
