// Package faults tests networks under faults. Its tests run validators and followers as processes, connected through proxies,
// and inject the faults of a plan that is derived from a seed: nodes are killed, paused and restored from a backup, disks are
// full, slow or lose writes, clocks are wrong, validators are byzantine, and connections are cut, delayed, stalled and reset.
// Meanwhile clients write and read through all nodes.
//
// At the end every node must have the same blocks and roots and be sound; every message that was reported as committed must be
// in all of them once, at the reported position; every other message must have been refused with a reason; streams must have
// no gaps; and the history of each ref, as clients observed it, must be linearizable.
package faults
