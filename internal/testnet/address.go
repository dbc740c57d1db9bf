package testnet

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
)

const (
	// DefaultBasePort is the first port of a network on one machine.
	DefaultBasePort = 26600
	// portsPerNode keeps port numbers readable: the ports of node 3 start at the base port plus 30.
	portsPerNode = 10
	maxPort      = 65535

	// Ports of a node on a separate host.
	hostP2P, hostGRPC, hostREST, hostMetrics = 26656, 50051, 8080, 26660

	// Free ports are searched below the range that systems use for outgoing connections.
	lowestFree, highestFree = 10_000, 32_000
	freeAttempts            = 200

	loopback      = "127.0.0.1"
	allInterfaces = "0.0.0.0"
)

// addresses are the addresses of a node, as host:port.
type addresses struct {
	p2p, grpc, rest, metrics string
}

// public returns the addresses at which other nodes and clients reach a node. Metrics are served on loopback only.
func (o *Options) public(index int) addresses {
	if len(o.Hosts) > 0 {
		host := o.Hosts[index]
		return addresses{at(host, hostP2P), at(host, hostGRPC), at(host, hostREST), at(loopback, hostMetrics)}
	}
	port := o.BasePort + index*portsPerNode
	return addresses{at(loopback, port), at(loopback, port+1), at(loopback, port+2), at(loopback, port+3)}
}

// listen returns the addresses on which a node listens: on all interfaces if it has a host of its own.
func (o *Options) listen(index int) addresses {
	if len(o.Hosts) > 0 {
		return addresses{at(allInterfaces, hostP2P), at(allInterfaces, hostGRPC), at(allInterfaces, hostREST), at(loopback, hostMetrics)}
	}
	return o.public(index)
}

func at(host string, port int) string { return net.JoinHostPort(host, strconv.Itoa(port)) }

// freePorts returns the first of count consecutive ports that are free now.
func freePorts(count int) (int, error) {
	for range freeAttempts {
		first := lowestFree + rand.IntN(highestFree-lowestFree-count) //nolint:gosec // a port is not a secret
		if areFree(first, count) {
			return first, nil
		}
	}
	return 0, fmt.Errorf("found no %d consecutive free ports", count)
}

func areFree(first, count int) bool {
	var err error
	for port := first; port < first+count && err == nil; port++ {
		var listener net.Listener
		listener, err = net.Listen("tcp", at(loopback, port)) //nolint:noctx // listening on a port returns at once
		if err == nil {
			err = errors.Join(err, listener.Close())
		}
	}
	return err == nil
}
