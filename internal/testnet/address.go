package testnet

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
)

const (
	// DefaultBasePort is where the ports of a network on one machine begin.
	DefaultBasePort = 26600
	// portsPerNode keeps the numbers readable: node 3 has the ports that begin with the base and 30.
	portsPerNode = 10
	maxPort      = 65535

	// The ports of a node that has a machine of its own.
	hostP2P, hostGRPC, hostREST, hostMetrics = 26656, 50051, 8080, 26660

	// Ports are looked for below those that systems give to outgoing connections.
	lowestFree, highestFree = 10_000, 32_000
	freeAttempts            = 200

	thisMachine = "127.0.0.1"
	anywhere    = "0.0.0.0"
)

// addresses are those of a node, as host:port.
type addresses struct {
	p2p, grpc, rest, metrics string
}

func (a addresses) all() (p2p, grpc, rest, metrics string) { return a.p2p, a.grpc, a.rest, a.metrics }

// reached is where others reach a node. Metrics are for its own machine alone.
func (o *Options) reached(index int) addresses {
	if len(o.Hosts) > 0 {
		host := o.Hosts[index]
		return addresses{at(host, hostP2P), at(host, hostGRPC), at(host, hostREST), at(thisMachine, hostMetrics)}
	}
	port := o.BasePort + index*portsPerNode
	return addresses{at(thisMachine, port), at(thisMachine, port+1), at(thisMachine, port+2), at(thisMachine, port+3)}
}

// listening is where a node listens: on a machine of its own for everybody.
func (o *Options) listening(index int) addresses {
	if len(o.Hosts) > 0 {
		return addresses{at(anywhere, hostP2P), at(anywhere, hostGRPC), at(anywhere, hostREST), at(thisMachine, hostMetrics)}
	}
	return o.reached(index)
}

func at(host string, port int) string { return net.JoinHostPort(host, strconv.Itoa(port)) }

// freePorts finds a row of ports on which nobody listens now, and gives the first.
func freePorts(count int) (int, error) {
	for range freeAttempts {
		first := lowestFree + rand.IntN(highestFree-lowestFree-count) //nolint:gosec // anybody may guess a port
		if areFree(first, count) {
			return first, nil
		}
	}
	return 0, fmt.Errorf("found no %d free ports in a row", count)
}

func areFree(first, count int) bool {
	var err error
	for port := first; port < first+count && err == nil; port++ {
		var listener net.Listener
		listener, err = net.Listen("tcp", at(thisMachine, port)) //nolint:noctx // it only asks for a port and returns at once
		if err == nil {
			err = errors.Join(err, listener.Close())
		}
	}
	return err == nil
}
