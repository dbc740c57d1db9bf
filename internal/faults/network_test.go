package faults_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/internal/comet"
	"makechain/internal/node"
	"makechain/internal/node/nodetest"
	"makechain/internal/testnet"
)

const (
	// roleVariable makes a process of this test run a node instead of tests. It says which, as JSON.
	roleVariable = "MAKECHAIN_FAULTS_NODE"
	// genesisName is where a home keeps its genesis.
	genesisName = "config/genesis.json"
	// lookTimeout is how long a node may take to say where it stands.
	lookTimeout = 2 * time.Second
	// pollInterval is the time between two looks at a node.
	pollInterval = 20 * time.Millisecond
)

func TestMain(m *testing.M) {
	encoded, isNode := os.LookupEnv(roleVariable)
	if !isNode {
		os.Exit(m.Run())
	}
	if err := runNode(encoded); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// What a node can lie about.
const (
	aboutBlocks = "blocks"
	aboutRoots  = "roots"
)

// role is what a process needs to know to be a node.
type role struct {
	Home, GRPC, P2P string
	Peers           []string
	Lies            string // what it lies about, if it does
}

// runNode runs a node until it is told to stop.
func runNode(encoded string) error {
	var r role
	if err := json.Unmarshal([]byte(encoded), &r); err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	config := node.Config{Home: r.Home, P2PAddr: r.P2P, Peers: r.Peers, Faucet: true, Version: "test", Log: log}
	config.GRPC.Addr = r.GRPC
	switch r.Lies {
	case aboutBlocks:
		config.WrapApplication = func(app comet.Application) comet.Application { return &liar{Application: app} }
	case aboutRoots:
		forger, err := newForger(r.Home)
		if err != nil {
			return err
		}
		config.WrapApplication = forger.pretend
	}
	return nodetest.Serve(config)
}

// network is a chain of nodes that run as processes, each connected to all others through links.
type network struct {
	shape

	t     *testing.T
	dir   string
	links *links
	nodes []*member

	rebuilt string // the program with a clock and files that can be wrong
}

// member is a node of a network.
type member struct {
	*nodetest.Client // of wherever it serves, now and after it is started again

	role    role
	name    string
	process *nodetest.Process // nil while it is down

	program     string // this one when empty
	environment []string
}

// newNetwork makes a network that does not run yet.
func newNetwork(t *testing.T, s shape) *network {
	t.Helper()
	n := &network{shape: s, t: t, dir: filepath.Join(t.TempDir(), "network")}
	made, err := testnet.Init(testnet.Options{Dir: n.dir, Validators: s.validators, Followers: s.followers})
	if err != nil {
		t.Fatal(err)
	}
	var listening []string
	for i := range made.Nodes {
		listening = append(listening, made.Nodes[i].P2P)
	}
	n.links = newLinks(t, listening)
	for i := range made.Nodes {
		own := &made.Nodes[i]
		m := &member{Client: nodetest.Dial(own.GRPC), name: own.Name, role: role{Home: own.Home, GRPC: own.GRPC, P2P: own.P2P}}
		for j := range made.Nodes {
			if i != j {
				m.role.Peers = append(m.role.Peers, made.Nodes[j].ID+"@"+n.links.addresses[way{i, j}])
			}
		}
		n.nodes = append(n.nodes, m)
		t.Cleanup(m.Close)
	}
	return n
}

// start runs nodes, all at once, and waits until they serve.
func (n *network) start(indices ...int) {
	n.t.Helper()
	for _, i := range indices {
		n.launch(i)
	}
	for _, i := range indices {
		if m := n.nodes[i]; !m.serves() {
			n.t.Fatalf("%s did not start: %v: %s", m.name, m.process.State(), m.process.Stderr())
		}
	}
}

// tryStart runs a node, and says whether it serves rather than to end by itself.
func (n *network) tryStart(i int) bool {
	n.t.Helper()
	n.launch(i)
	return n.nodes[i].serves()
}

func (n *network) launch(i int) {
	n.t.Helper()
	m := n.nodes[i]
	program, err := os.Executable()
	n.must(err)
	encoded, err := json.Marshal(m.role)
	n.must(err)
	// The process ends with the harness or by it, not with the test's context.
	command := exec.CommandContext(context.WithoutCancel(n.t.Context()), cmp.Or(m.program, program))
	command.Env = append(append(os.Environ(), roleVariable+"="+string(encoded)), m.environment...)
	m.process = nodetest.Launch(n.t, command)
}

// serves waits until a node serves, or has ended by itself.
func (m *member) serves() bool {
	watchdog := time.AfterFunc(nodetest.Timeout, m.process.DumpGoroutines) // one that stands still must say where
	defer watchdog.Stop()
	_, serves := m.process.Address()
	if !serves {
		<-m.process.Done()
	}
	return serves
}

// all are the nodes of the network.
func (n *network) all() []int {
	indices := make([]int, len(n.nodes))
	for i := range indices {
		indices[i] = i
	}
	return indices
}

// kill ends nodes as a power cut would.
func (n *network) kill(indices ...int) {
	for _, i := range indices {
		n.mustLive(i)
		n.nodes[i].process.Kill()
		n.nodes[i].process = nil
	}
}

// stop ends all nodes as an operator would.
func (n *network) stop() {
	n.t.Helper()
	for _, m := range n.nodes {
		m.process.Stop(n.t)
		m.process = nil
	}
}

// mustLive is for a node that nobody ended.
func (n *network) mustLive(i int) {
	n.t.Helper()
	m := n.nodes[i]
	select {
	case <-m.process.Done():
		n.t.Fatalf("%s ended by itself: %v: %s", m.name, m.process.State(), m.process.Stderr())
	default:
	}
}

// look asks a node where it stands.
func (m *member) look(ctx context.Context) (*pb.GetNodeStatusResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	answer, err := m.GetNodeStatus(ctx, connect.NewRequest(&pb.GetNodeStatusRequest{}))
	if err != nil {
		return nil, err
	}
	return answer.Msg, nil
}

// height is the newest block that any node serves.
func (n *network) height() uint64 {
	var newest uint64
	for _, m := range n.nodes {
		if m.process == nil {
			continue
		}
		if status, err := m.look(n.t.Context()); err == nil {
			newest = max(newest, status.GetCurrentBlock())
		}
	}
	return newest
}

// reach waits until nodes serve a block after a height.
func (n *network) reach(height uint64, indices ...int) {
	n.t.Helper()
	ctx, cancel := context.WithTimeout(n.t.Context(), nodetest.Timeout)
	defer cancel()
	for _, i := range indices {
		for {
			n.mustLive(i)
			status, err := n.nodes[i].look(ctx)
			if err == nil && status.GetCurrentBlock() > height {
				break
			}
			if !rest(ctx, pollInterval) {
				n.complain(fmt.Sprintf("%s does not get beyond block %d: %v, %v", n.nodes[i].name, height, status, err))
			}
		}
	}
}

// complain ends a test whose network stands still: each node says where its goroutines are.
func (n *network) complain(reason string) {
	n.t.Helper()
	for _, m := range n.nodes {
		if m.process == nil {
			continue
		}
		status, err := m.look(n.t.Context())
		n.t.Logf("%s: %v %v", m.name, status, err)
		m.process.DumpGoroutines()
		<-m.process.Done()
		path := filepath.Join(n.t.ArtifactDir(), m.name+".txt")
		if err := os.WriteFile(path, []byte(m.process.Stderr()), 0o600); err != nil {
			n.t.Error(err)
		}
	}
	n.t.Fatal(reason)
}

// rest waits a while, and is false when ctx ended before.
func rest(ctx context.Context, pause time.Duration) bool {
	select {
	case <-time.After(pause):
		return true
	case <-ctx.Done():
		return false
	}
}
