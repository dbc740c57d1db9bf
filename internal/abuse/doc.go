// Package abuse attacks a node in every way that is known to have stopped or slowed it, while an honest client pushes
// commits, and reports what the honest client experiences. The node is a process of its own. Attackers have other addresses
// of the loopback network than the honest client, so that limits per address apply to them.
package abuse
