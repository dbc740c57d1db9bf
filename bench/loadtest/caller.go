package loadtest

import (
	"context"
	"fmt"
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
func (g *Generator) callers(lanes int) ([]caller, error) {
	nodes := g.options.Nodes
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

// nodeOf returns the index of the node that a lane calls.
func (g *Generator) nodeOf(lane int) int { return lane % len(g.options.Nodes) }
