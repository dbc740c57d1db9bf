// Package crowd measures event streams with many clients. The node is the program itself; its clients are a process of
// their own, so that what they cost is not mistaken for what the node does.
package crowd
