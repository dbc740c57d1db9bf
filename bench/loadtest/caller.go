package loadtest

import (
	"context"
	"fmt"
)

// Protocols by which calls can be made.
const (
	ProtocolGRPC    = "grpc"    // over HTTP/2, many calls on a connection
	ProtocolConnect = "connect" // over HTTP/1.1, one call at a time on a connection
)

// connectionsPerNode is how many connections lanes share where a connection takes many calls.
const connectionsPerNode = 4

// link makes calls whose requests and answers are encoded already: what is measured is the node. The answer is good until
// the next call. A link is for one goroutine at a time.
type link interface {
	call(ctx context.Context, procedure string, request []byte) (answer []byte, err error)
	close()
}

// links makes a link for each of some lanes; lanes take turns with the nodes.
func (b *Generator) links(lanes int) ([]link, error) {
	nodes := b.options.Nodes
	made := make([]link, lanes)
	var shared []*channel
	for lane := range made {
		address := nodes[lane%len(nodes)].Address
		switch b.options.Protocol {
		case ProtocolConnect:
			made[lane] = newExchange(address)
		case ProtocolGRPC:
			if lane < connectionsPerNode*len(nodes) {
				shared = append(shared, newChannel(address))
			}
			made[lane] = newStub(shared[lane%len(shared)])
		default:
			return nil, fmt.Errorf("protocol %q is neither %s nor %s", b.options.Protocol, ProtocolGRPC, ProtocolConnect)
		}
	}
	return made, nil
}

func closeAll(links []link) {
	for _, l := range links {
		l.close()
	}
}

// nodeOf is the node that a lane calls, by its number.
func (b *Generator) nodeOf(lane int) int { return lane % len(b.options.Nodes) }
