package main

import (
	"errors"
	"fmt"

	"github.com/spf13/pflag"

	"makechain/client"
	"makechain/internal/node"
)

// Names of the flags of state sync.
const (
	stateSyncFlag = "state-sync"
	trustFlag     = "trust"
)

// stateSyncFlags say where a node that has no state gets one.
type stateSyncFlags struct {
	targets []string
	trust   string
}

func (s *stateSyncFlags) register(flags *pflag.FlagSet) {
	flags.StringSliceVar(&s.targets, stateSyncFlag, nil,
		"take the state over from --peers instead of executing all blocks: nodes that have the headers, as host:port of gRPC; two or more are better")
	flags.StringVar(&s.trust, trustFlag, "", "with --state-sync, a block of the chain to trust, as number:hash")
}

// stateSync is what the flags ask for, nil for nothing.
func (s *stateSyncFlags) stateSync(peers []string) (*node.StateSync, error) {
	switch {
	case len(s.targets) == 0 && s.trust == "":
		return nil, nil
	case len(s.targets) == 0:
		return nil, errors.New("--trust is for --state-sync, which names nodes to ask")
	case s.trust == "":
		return nil, advise(errors.New("--state-sync needs --trust"),
			"--trust number:hash of a block of the chain, as makechain block get of a node that you trust tells")
	case len(peers) == 0:
		return nil, errors.New("--state-sync needs --peers, who have the state")
	}
	trusted, err := parseTrusted(s.trust)
	if err != nil {
		return nil, fmt.Errorf("--trust: %w", err)
	}
	wanted := &node.StateSync{Trust: *trusted}
	for _, target := range s.targets {
		c, err := client.New(target)
		if err != nil {
			return nil, fmt.Errorf("--state-sync: %w", err)
		}
		wanted.Sources = append(wanted.Sources, c)
	}
	return wanted, nil
}
