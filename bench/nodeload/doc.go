// Package load measures a node under load. The node is the program itself; those who write to it and those who read
// from it are processes of their own, so that what they cost is not mistaken for what the node does.
package load
