package peers

import (
	"context"
	"fmt"

	"makechain/bench/loadtest"
	"makechain/bench/process"
	"makechain/bench/workload"
)

const (
	// accountsPerClient is the number of accounts per client, round-robin: like a gateway, a client sends for several.
	accountsPerClient  = 20
	projectsPerAccount = 2
	// seed makes the workload the same in every run.
	seed = 1
)

// prepare fills the state of a node and creates the accounts of the clients on its chain.
func prepare(ctx context.Context, address string, o options) (*workload.Population, error) {
	prepared, err := loadtest.Open(ctx, loadtest.Options{
		Nodes: []process.Node{{Address: address}}, Seed: seed, Accounts: o.clients * accountsPerClient, Projects: projectsPerAccount,
		Rows: uint64(o.rows), Progress: func(string, int, int) {},
	})
	if err != nil {
		return nil, fmt.Errorf("prepare: %w", err)
	}
	defer prepared.Close()
	return prepared.Population(), nil
}
