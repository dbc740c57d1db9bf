// Package fanout measures event streams with many clients. The node is the program itself; its clients run in a process of their
// own, so that their cost is not attributed to the node.
package fanout
