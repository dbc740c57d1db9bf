// Package nodeload contains benchmarks of a node under load. The node is the program itself; writers and readers run in processes
// of their own, so that their cost is not attributed to the node.
package nodeload
