package node

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	pb "makechain/gen/makechain"
	"makechain/gen/makechain/dev/devpbconnect"
	"makechain/gen/makechain/makechainpbconnect"
	"makechain/internal/gateway"
	"makechain/internal/ledger"
	"makechain/internal/limit"
	"makechain/internal/rest"
	"makechain/internal/rpc"
	"makechain/internal/server"
	"makechain/internal/settlement"
	"makechain/internal/validators"
	"makechain/message"
	"makechain/web"
)

// startServer starts to listen for gRPC calls, for REST requests and for scrapes of metrics.
func (n *Node) startServer() (err error) {
	service := rpc.NewService(rpc.Deps{
		Genesis:        n.genesis,
		Latest:         func() rpc.Snapshot { return n.store.Snapshot() },
		RestoredHeight: n.store.RestoredHeight,
		Chain:          n.engine,
		Pool:           n.pool,
		Feed:           n.feed,
		Snapshots:      n.snapshots,
		Now:            time.Now,
		Version:        n.config.Version,
		MaxWait:        maxWait,
		Stalled:        n.stall.stalled.Load,
		Reserve:        server.ReserveRead,
		Client:         server.ClientAddress,
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
	config.Position = n.serverPosition
	config.IsLarge = limit.IsLarge
	config.Ready = func() bool { return !n.engine.Status().CatchingUp && !n.stall.stalled.Load() }
	config.WriteError = rest.WriteError
	httpMounts := []server.Mount{server.FromHandler(settlement.ClaimsPath, n.newClaims())}
	if n.content != nil {
		httpMounts = append(httpMounts, n.content.Mounts()...)
	}
	mounts = append(mounts, httpMounts...)
	if n.server, err = server.New(config, mounts...); err != nil {
		return err
	}
	if n.config.RESTAddr != "" {
		config.Addr = n.config.RESTAddr
		n.gateway, err = gateway.New(gateway.Config{
			Server:   config,
			Upstream: gateway.InProcess(service, n.server),
			Mounts:   httpMounts,
			Content:  n.content != nil,
			Gatherer: n.registry,
			Version:  n.config.Version,
			Describe: web.Describe(web.ServedByNode),
		})
		if err != nil {
			return fmt.Errorf("start the REST gateway: %w", err)
		}
	}
	if n.config.MetricsAddr != "" {
		n.metricsServer, err = server.NewMetrics(server.MetricsConfig{
			Addr: n.config.MetricsAddr, Gatherer: n.registry, Profiles: n.config.Profiles, Log: n.config.Log,
		})
	}
	return err
}

// newFaucet returns the faucet. It is nil outside DEVNET, and on a node whose key is not one of the attesters, such as one that
// joined the chain of others.
func (n *Node) newFaucet() (*settlement.Faucet, error) {
	if !n.config.Faucet || n.genesis.Network != pb.Network_NETWORK_DEVNET {
		return nil, nil
	}
	current, err := n.settlement()
	if err != nil || current.Threshold != 1 {
		return nil, err
	}
	path := filepath.Join(n.config.Home, settlement.KeyFile)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	attester, err := settlement.LoadAttester(path, rand.Reader)
	if err != nil {
		return nil, err
	}
	if !current.Has(attester.Key()) {
		return nil, nil
	}
	return &settlement.Faucet{
		Attester: attester, Domain: n.SettlementDomain, Submit: n.pool.Submit, Now: time.Now, Random: rand.Reader,
	}, nil
}

// newClaims returns the handler that collects claims for clients.
func (n *Node) newClaims() *settlement.Claims {
	return &settlement.Claims{
		Chain: func() (*ledger.Params, error) {
			current, err := n.decided()
			if err != nil {
				return nil, err
			}
			params := n.genesis.Params()
			params.Rules, params.Settlement = current.RulesVersion(), current.Settlement.Settlement
			return &params, nil
		},
		Submit: n.pool.Submit, Client: server.ClientAddress, LimitLoopback: n.config.GRPC.Limits.LimitLoopback,
		WriteProblem: rest.WriteProblem, Now: time.Now, Log: n.config.Log,
	}
}

// settlement returns the settlement in force after the latest block.
func (n *Node) settlement() (*ledger.SettlementState, error) {
	current, err := n.decided()
	if err != nil {
		return nil, err
	}
	return current.Settlement, nil
}

// decided returns what the changes up to the latest block have set.
func (n *Node) decided() (*validators.State, error) {
	latest := n.store.Snapshot()
	current, err := validators.NewRules(n.genesis).Current(latest, latest.Height()+1)
	return current, errors.Join(err, latest.Close())
}

// SettlementDomain returns what attestations are valid for on this chain in the block after the latest one.
func (n *Node) SettlementDomain() (message.SettlementDomain, error) {
	current, err := n.decided()
	if err != nil {
		return message.SettlementDomain{}, err
	}
	params := n.genesis.Params()
	params.Rules = current.RulesVersion()
	return current.Settlement.Domain(&params), nil
}

// GRPCAddr returns the address of the gRPC server.
func (n *Node) GRPCAddr() string { return n.server.Addr().String() }

// P2PAddr returns the address for peers, as id@host:port.
func (n *Node) P2PAddr() string { return n.engine.Address() }

// RESTURL returns the URL of the gateway, "" when there is none.
func (n *Node) RESTURL() string {
	if n.gateway == nil {
		return ""
	}
	return n.gateway.URL()
}

// LocalURL returns the URL of the gateway for a browser on this machine, "" when there is none.
func (n *Node) LocalURL() string {
	if n.gateway == nil {
		return ""
	}
	return n.gateway.LocalURL()
}

// HasFaucet reports whether the node serves a faucet.
func (n *Node) HasFaucet() bool { return n.faucet }
