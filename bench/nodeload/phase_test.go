package load_test

import (
	"bufio"
	"math"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	pb "makechain/gen/makechain"
	"makechain/internal/node/nodetest"
)

// student95 bounds 95 % of Student's t distribution with pairs-1 degrees of freedom.
const student95 = 2.201

// phase is what a node did from one block to another.
type phase struct {
	messages, seconds, cpu float64 // cpu is processor time in seconds
}

// rate is how much commits in a second.
func (p phase) rate() float64 { return p.messages / p.seconds }

// perCPU is how much commits in a second of processor time.
func (p phase) perCPU() float64 { return p.messages / p.cpu }

// measure counts for the time of a phase.
func (n *loaded) measure(b *testing.B) phase {
	b.Helper()
	<-time.After(settle)
	before, begin := n.nextBlock(b)
	used := processorTime(b, n.metrics)
	<-time.After(phaseTime)
	after, end := n.nextBlock(b)
	return phase{messages: float64(after - before), seconds: end.Sub(begin).Seconds(), cpu: processorTime(b, n.metrics) - used}
}

// nextBlock waits for a block, and says how many messages there are with it, and when that was.
func (n *loaded) nextBlock(b *testing.B) (messages uint64, at time.Time) {
	b.Helper()
	now := nodetest.Call(b, n.GetChainStats, &pb.GetChainStatsRequest{}).GetBlockHeight()
	nodetest.Await(b, "a block", func() bool {
		select {
		case <-n.writing.Done():
			b.Fatalf("the writers have ended: %s", n.writing.Stderr())
		default:
		}
		stats := nodetest.Call(b, n.GetChainStats, &pb.GetChainStatsRequest{})
		messages, at = stats.GetTotalMessages(), time.Now()
		return stats.GetBlockHeight() > now
	})
	return messages, at
}

// processorTime is what a node has used so far, in seconds, as its metrics say.
func processorTime(b *testing.B, metrics string) float64 {
	b.Helper()
	request, err := http.NewRequestWithContext(b.Context(), http.MethodGet, "http://"+metrics+"/metrics", nil)
	if err != nil {
		b.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }() // it was only read
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		if value, found := strings.CutPrefix(lines.Text(), "process_cpu_seconds_total "); found {
			return number(b, value)
		}
	}
	b.Fatal("the node does not say what it uses")
	return 0
}

// count is what clients printed at their end.
func count(b *testing.B, clients *nodetest.Process) float64 {
	b.Helper()
	return number(b, strings.TrimSpace(clients.Stdout()))
}

func number(b *testing.B, text string) float64 {
	b.Helper()
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		b.Fatal(err)
	}
	return value
}

// compare reports the mean ratio of a quantity of paired phases, and the bounds of its confidence interval, on the
// scale of logarithms, on which twice and half are as far from one.
func compare(b *testing.B, read, alone []phase, of func(phase) float64, suffix string) {
	b.Helper()
	n := float64(len(read))
	var ratios, squares, withReads, without float64
	for i := range read {
		ratio := math.Log(of(read[i]) / of(alone[i]))
		ratios += ratio
		squares += ratio * ratio
		withReads += of(read[i]) / n
		without += of(alone[i]) / n
	}
	mean := ratios / n
	margin := student95 * math.Sqrt((squares-n*mean*mean)/(n-1)/n)
	b.ReportMetric(math.Exp(mean), "ratio"+suffix)
	b.ReportMetric(math.Exp(mean-margin), "low"+suffix)
	b.ReportMetric(math.Exp(mean+margin), "high"+suffix)
	b.ReportMetric(without, "msg/s-alone"+suffix)
	b.ReportMetric(withReads, "msg/s-read"+suffix)
}
