package loadtest

import (
	"context"
	"fmt"
	"slices"

	"makechain/bench/process"
)

// Protocols of calls.
const (
	ProtocolGRPC    = "grpc"    // over HTTP/2, concurrent calls on a connection
	ProtocolConnect = "connect" // over HTTP/1.1, one call at a time on a connection
)

// connectionsPerNode is the number of HTTP/2 connections that lanes share.
const connectionsPerNode = 4

// caller makes calls with encoded requests and responses, so that the generator does little work. A response is valid until
// the next call. A caller is for one goroutine at a time.
type caller interface {
	call(ctx context.Context, procedure string, request []byte) (response []byte, err error)
	close()
}

// callers returns a caller for each lane. Lanes are assigned to nodes round-robin.
func (g *Generator) callers(lanes int, nodes []process.Node) ([]caller, error) {
	made := make([]caller, lanes)
	var shared []*grpcConnection
	for lane := range made {
		address := nodes[lane%len(nodes)].Address
		switch g.options.Protocol {
		case ProtocolConnect:
			made[lane] = newHTTPCaller(address)
		case ProtocolGRPC:
			if lane < connectionsPerNode*len(nodes) {
				shared = append(shared, newGRPCConnection(address))
			}
			made[lane] = newGRPCCaller(shared[lane%len(shared)])
		default:
			return nil, fmt.Errorf("protocol %q is neither %s nor %s", g.options.Protocol, ProtocolGRPC, ProtocolConnect)
		}
	}
	return made, nil
}

func closeAll(callers []caller) {
	for _, c := range callers {
		c.close()
	}
}

// nodeOf returns the index of the client and of the node to which a lane sends messages.
func (g *Generator) nodeOf(lane int) int { return lane % len(g.clients) }

// writable returns the nodes to which messages are sent: all except followers.
func (o *Options) writable() []process.Node {
	return slices.DeleteFunc(slices.Clone(o.Nodes), func(n process.Node) bool { return n.Follower })
}

// readable returns the nodes to which reads are sent: followers, or all nodes if there are none.
func (o *Options) readable() []process.Node {
	followers := slices.DeleteFunc(slices.Clone(o.Nodes), func(n process.Node) bool { return !n.Follower })
	if len(followers) == 0 {
		return o.Nodes
	}
	return followers
}
