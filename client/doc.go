// Package client talks to a node: it calls the service, submits messages and learns what became of them, proves
// rows of the state, and finds what people name.
//
// A Client has every method of the service. What it adds:
//
//   - A call that the node could not take, or whose answer says to come back, is repeated a few times with growing
//     pauses, if repeating it cannot do anything twice. A message is sent again only after the node has said that it
//     does not know it.
//   - Row and the names are read with proofs. With trust (WithTrust, WithTrustFrom) the proof leads up to the
//     signatures of the chain's validators, so the node is not believed. Without trust Row refuses, and names are
//     as good as the node that is asked. A node can still answer from an older block than it has: a proof says
//     that something was so, at the block it names, and no clock is consulted.
//   - The first trust comes from a genesis file (finality.TrustGenesis), or from the node itself at first contact
//     (FirstContact), which the caller keeps and compares from then on. When the chain changes its validators, the
//     client follows them from there (finality.NewLightClientFromTrust), and trusts the newest from then on (WithTrustKept).
//
// Timestamps are the caller's. A node refuses those that are more than 300 seconds off (P6.4); the RefusedError then
// says how far the clocks of the two machines differ.
//
// A Client may be used by several goroutines at once.
package client
