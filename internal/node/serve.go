package node

import (
	"fmt"
	"time"

	"makechain/gen/makechain/dev/devpbconnect"
	"makechain/gen/makechain/makechainpbconnect"
	"makechain/internal/gateway"
	"makechain/internal/rpc"
	"makechain/internal/server"
)

// startServer begins to listen, for calls, for REST and for who reads metrics.
func (n *Node) startServer() (err error) {
	service := rpc.NewService(rpc.Deps{
		Genesis:        n.genesis,
		Latest:         func() rpc.Snapshot { return n.store.Snapshot() },
		RestoredHeight: n.store.RestoredHeight,
		Chain:          n.engine,
		Pool:           n.pool,
		Feed:           n.feed,
		Snapshots:      snapshots{n.snapshots, n.config.SnapshotEvery},
		Now:            time.Now,
		Version:        n.config.Version,
		MaxWait:        maxWait,
		Log:            n.config.Log,
	})
	mounts := []server.Mount{server.Service(makechainpbconnect.NewMakechainServiceHandler, makechainpbconnect.MakechainServiceHandler(service))}
	faucet, err := n.newFaucet()
	if err != nil {
		return err
	}
	if faucet != nil {
		n.faucet = true
		mounts = append(mounts, server.Service(devpbconnect.NewFaucetServiceHandler, devpbconnect.FaucetServiceHandler(faucet)))
	}
	config := n.config.GRPC
	config.Log, config.Registerer = n.config.Log, n.registry
	config.Position = n.progressed
	config.Ready = func() bool { return !n.engine.Status().CatchingUp }
	if n.server, err = server.New(config, mounts...); err != nil {
		return err
	}
	if err := n.startGateway(config, service); err != nil {
		return err
	}
	if n.config.MetricsAddr != "" {
		n.metricsServer, err = server.NewMetrics(server.MetricsConfig{
			Addr: n.config.MetricsAddr, Gatherer: n.registry, Profiles: n.config.Profiles, Log: n.config.Log,
		})
	}
	return err
}

// startGateway puts REST in front of the node's own services.
func (n *Node) startGateway(config server.Config, service *rpc.Service) (err error) {
	if n.config.RESTAddr == "" {
		return nil
	}
	config.Addr = n.config.RESTAddr
	n.gateway, err = gateway.New(gateway.Config{
		Server:   config,
		Upstream: gateway.InProcess(service, n.server),
		Gatherer: n.registry,
		Version:  n.config.Version,
	})
	if err != nil {
		return fmt.Errorf("the REST gateway: %w", err)
	}
	return nil
}

// GRPCAddr is where the node serves.
func (n *Node) GRPCAddr() string { return n.server.Addr().String() }

// P2PAddr is where other nodes reach this one, as id@host:port.
func (n *Node) P2PAddr() string { return n.engine.Address() }

// RESTURL is where the node serves REST, "" when it does not.
func (n *Node) RESTURL() string {
	if n.gateway == nil {
		return ""
	}
	return n.gateway.URL()
}

// HasFaucet says whether the node gives storage away.
func (n *Node) HasFaucet() bool { return n.faucet }
