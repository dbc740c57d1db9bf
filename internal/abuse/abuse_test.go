//go:build linux

package abuse_test

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"makechain/internal/cli"
)

//nolint:gochecknoglobals // flags of a test
var (
	full       = flag.Bool("full", false, "require that honest pushes are fast, on a machine that does nothing else")
	seconds    = flag.Float64("seconds", 1.5, "duration of each attack")
	only       = flag.String("only", "", "regular expression of the attacks to run")
	binaryPath = flag.String("binary", "", "program of the node, if not the one that is tested")
)

const (
	// maxMemory is the most memory that the node may have during any attack.
	maxMemory = 1_536 << 20
	// maxPush is the longest time in which an honest push may commit, with -full.
	maxPush = 2 * time.Second
	// nodeVariable marks the process of the node.
	nodeVariable = "MAKECHAIN_ABUSE_NODE"
)

func TestMain(m *testing.M) {
	if os.Getenv(nodeVariable) != "" {
		os.Exit(cli.Main())
	}
	os.Exit(m.Run())
}

// An attack is one way to harm a node.
type attack struct {
	name string
	// prepare creates what the attack needs before it starts, nil for nothing.
	prepare func(*attackers)
	// run attacks until the attackers' context ends.
	run func(*attackers)
	// check requires more than that honest pushes commit, nil for nothing. It is called while the attack runs.
	check func(*testing.T, *honest)
}

// outcome is what an honest client and the node experienced during an attack.
type outcome struct {
	attack    string
	pushes    int
	median    time.Duration
	longest   time.Duration
	blocks    float64 // per second
	maxMemory int
}

// TestAbuse runs all attacks in turn against one node. During each of them honest pushes must commit, within two seconds if
// the machine does nothing else (-full), and the memory of the node must stay below its limit.
//
//nolint:paralleltest // measures memory of a node under attack
func TestAbuse(t *testing.T) {
	if testing.Short() {
		t.Skip("attacks a node in every known way")
	}
	pattern, err := regexp.Compile(*only)
	if err != nil {
		t.Fatal(err)
	}
	n := startNode(t)
	client := newHonest(t, n)
	var outcomes []outcome
	all := append([]attack{{name: "none", run: func(a *attackers) { <-a.ctx.Done() }}}, attacks()...)
	for i, a := range all {
		if pattern.MatchString(a.name) {
			outcomes = append(outcomes, n.attack(t, client, a, i))
		}
	}
	table := new(strings.Builder)
	out := tabwriter.NewWriter(table, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(out, "attack\tpushes\tmedian\tlongest\tblocks/s\tmemory") // a strings.Builder does not fail
	for _, o := range outcomes {
		_, _ = fmt.Fprintf(out, "%s\t%d\t%.2f s\t%.2f s\t%.1f\t%d MiB\n",
			o.attack, o.pushes, o.median.Seconds(), o.longest.Seconds(), o.blocks, o.maxMemory>>20)
	}
	_ = out.Flush()
	t.Log("\n" + table.String())
}

// attack runs one attack from addresses of its own, with honest pushes beside it.
func (n *process) attack(t *testing.T, client *honest, a attack, number int) outcome {
	t.Helper()
	attackers := newAttackers(t, n, number)
	defer attackers.close()
	if a.prepare != nil {
		a.prepare(attackers)
	}
	memory := n.watchMemory(t)
	first, start := client.height(t), time.Now()
	done := attackers.start(a.run, time.Duration(*seconds*float64(time.Second)))
	durations := client.pushUntil(t, done)
	result := outcome{attack: a.name, pushes: len(durations), median: durations[len(durations)/2], longest: durations[len(durations)-1]}
	result.blocks = float64(client.height(t)-first) / time.Since(start).Seconds()
	result.maxMemory = memory()
	if a.check != nil {
		a.check(t, client)
	}
	if *binaryPath == "" && result.maxMemory > maxMemory {
		t.Errorf("%s: the node used %d MiB, more than %d", a.name, result.maxMemory>>20, maxMemory>>20)
	}
	if *full && result.longest > maxPush {
		t.Errorf("%s: an honest push took %s, more than %s", a.name, result.longest, maxPush)
	}
	return result
}

func attacks() []attack {
	return slices.Concat(requestAttacks(), messageAttacks(), contentAttacks(), peerAttacks())
}
