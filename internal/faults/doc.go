// Package faults lets a network of nodes suffer. Its tests run validators and followers as processes of their own,
// connected through proxies, and follow a plan made from a seed: nodes are killed, stopped and set back to a backup,
// disks are full, slow and forgetful, clocks are wrong, validators lie, and connections are cut, delayed, stalled and
// reset. Meanwhile clients write and read through all nodes.
//
// In the end every node must have the same blocks and roots, and be sound; every message that was reported as committed
// must stand in all of them, once, where it was reported; whatever was not must have been refused with a reason; streams
// must have been without gap; and the history of each ref, as clients saw it, must be linearizable.
package faults
