package peers

import (
	"context"
	"fmt"

	"makechain/bench/loadtest"
	"makechain/bench/process"
	"makechain/bench/workload"
)

const (
	// peoplePerClient is how many write by one client, in turns: as a gateway does, a batch carries messages of several.
	peoplePerClient = 20
	projectsOfEach  = 2
	// seed makes the workload the same in every run.
	seed = 1
)

// prepare fills the state of a node and puts people on its chain, who will write by the clients.
func prepare(ctx context.Context, address string, o options) (*workload.Population, error) {
	prepared, err := loadtest.Open(ctx, loadtest.Options{
		Nodes: []process.Node{{Address: address}}, Seed: seed, Accounts: o.clients * peoplePerClient, Projects: projectsOfEach,
		Rows: uint64(o.rows), Progress: func(string, int, int) {},
	})
	if err != nil {
		return nil, fmt.Errorf("prepare: %w", err)
	}
	defer prepared.Close()
	return prepared.Population(), nil
}
