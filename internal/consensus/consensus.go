// Package consensus defines what the consensus engine reports about itself to the packages that serve requests.
package consensus

// Status is the state of the consensus engine of a node.
type Status struct {
	ChainID      string
	CatchingUp   bool   // the node is fetching blocks that its peers have
	Behind       uint64 // blocks that persistent peers have and this node has not; 0 when the number is not known
	Peers        int
	ValidatorKey []byte // of this node, whether or not it is a validator
}
