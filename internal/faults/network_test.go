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
	"slices"
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
	// roleVariable makes a process of this test run a node, with a role in JSON, instead of tests.
	roleVariable = "MAKECHAIN_FAULTS_NODE"
	// genesisName is the genesis file in a home.
	genesisName = "config/genesis.json"
	// treeRows is less than the rows of any network that clients write to, so that nodes write pages and checkpoints.
	treeRows = 64
	// statusTimeout is the timeout of a status call.
	statusTimeout = 2 * time.Second
	// pollInterval is the time between two status calls.
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

// Byzantine faults of a node.
const (
	invalidBlocksFault = "blocks"
	wrongRootsFault    = "roots"
)

// role is the configuration of a node process.
type role struct {
	Home, GRPC, P2P string
	Peers           []string
	Byzantine       string // its fault, if any
}

// runNode runs a node until it is stopped.
func runNode(encoded string) error {
	var r role
	if err := json.Unmarshal([]byte(encoded), &r); err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	config := node.Config{Home: r.Home, P2PAddr: r.P2P, Peers: r.Peers, TreeRows: treeRows, Faucet: true, Version: "test", Log: log}
	config.GRPC.Addr = r.GRPC
	switch r.Byzantine {
	case invalidBlocksFault:
		config.WrapApplication = func(app comet.Application) comet.Application { return &invalidProposer{Application: app} }
	case wrongRootsFault:
		proposer, err := newWrongRootProposer(r.Home)
		if err != nil {
			return err
		}
		config.WrapApplication = proposer.wrap
	}
	return nodetest.Serve(config)
}

// network is a network of node processes, each connected to all others through links.
type network struct {
	shape

	t     *testing.T
	dir   string
	links *links
	nodes []*member

	rebuilt string // path of the rebuilt program
}

// member is a node of a network.
type member struct {
	*nodetest.Client // for all its processes

	role    role
	name    string
	process *nodetest.Process // nil while down

	program     string // this program if empty
	environment []string
}

// newNetwork creates a network without starting it.
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

// start starts nodes concurrently and waits until they serve.
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

// tryStart starts a node and reports whether it serves. Otherwise it has exited.
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
	// The process is stopped by the test or ends with it, not with its context.
	command := exec.CommandContext(context.WithoutCancel(n.t.Context()), cmp.Or(m.program, program))
	command.Env = append(append(os.Environ(), roleVariable+"="+string(encoded)), m.environment...)
	m.process = nodetest.Launch(n.t, command)
}

// serves waits until a node serves or has exited.
func (m *member) serves() bool {
	watchdog := time.AfterFunc(nodetest.Timeout, m.process.DumpGoroutines) // of a node that hangs
	defer watchdog.Stop()
	_, serves := m.process.Address()
	if !serves {
		<-m.process.Done()
	}
	return serves
}

// all returns the indices of all nodes.
func (n *network) all() []int {
	indices := make([]int, len(n.nodes))
	for i := range indices {
		indices[i] = i
	}
	return indices
}

// kill kills nodes.
func (n *network) kill(indices ...int) {
	for _, i := range indices {
		n.mustRun(i)
		n.nodes[i].process.Kill()
		n.nodes[i].process = nil
	}
}

// stop stops all nodes with SIGTERM.
func (n *network) stop() {
	n.t.Helper()
	for _, m := range n.nodes {
		m.process.Stop(n.t)
		m.process = nil
	}
}

// mustRun fails the test if the process of a node has exited.
func (n *network) mustRun(i int) {
	n.t.Helper()
	m := n.nodes[i]
	select {
	case <-m.process.Done():
		n.t.Fatalf("%s exited: %v: %s", m.name, m.process.State(), m.process.Stderr())
	default:
	}
}

// status returns the status of a node.
func (m *member) status(ctx context.Context) (*pb.GetNodeStatusResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, statusTimeout)
	defer cancel()
	answer, err := m.GetNodeStatus(ctx, connect.NewRequest(&pb.GetNodeStatusRequest{}))
	if err != nil {
		return nil, err
	}
	return answer.Msg, nil
}

// height returns the latest block of all nodes.
func (n *network) height() uint64 {
	var newest uint64
	for _, m := range n.nodes {
		if m.process == nil {
			continue
		}
		if status, err := m.status(n.t.Context()); err == nil {
			newest = max(newest, status.GetCurrentBlock())
		}
	}
	return newest
}

// reach waits until nodes are beyond a height.
func (n *network) reach(height uint64, indices ...int) {
	n.t.Helper()
	ctx, cancel := context.WithTimeout(n.t.Context(), nodetest.Timeout)
	defer cancel()
	for _, i := range indices {
		for {
			n.mustRun(i)
			status, err := n.nodes[i].status(ctx)
			if err == nil && status.GetCurrentBlock() > height {
				break
			}
			if !sleep(ctx, pollInterval) {
				n.failStuck(fmt.Sprintf("%s does not advance beyond block %d: %v, %v", n.nodes[i].name, height, status, err))
			}
		}
	}
}

// failStuck fails a test whose network makes no progress, with a goroutine dump of each node.
func (n *network) failStuck(reason string) {
	n.t.Helper()
	running := slices.DeleteFunc(slices.Clone(n.nodes), func(m *member) bool { return m.process == nil })
	for _, m := range running { // all before the first one ends, which disconnects it from the others
		status, err := m.status(n.t.Context())
		n.t.Logf("%s: %v %v", m.name, status, err)
	}
	for _, m := range running {
		m.process.DumpGoroutines()
		<-m.process.Done()
		path := filepath.Join(n.t.ArtifactDir(), m.name+".txt")
		if err := os.WriteFile(path, []byte(m.process.Stderr()), 0o600); err != nil {
			n.t.Error(err)
		}
	}
	n.t.Fatal(reason)
}

// sleep waits, and reports false if ctx ended before.
func sleep(ctx context.Context, pause time.Duration) bool {
	select {
	case <-time.After(pause):
		return true
	case <-ctx.Done():
		return false
	}
}
