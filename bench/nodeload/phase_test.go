package nodeload_test

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

// student95 is the 95 % quantile of Student's t distribution with pairs-1 degrees of freedom.
const student95 = 2.201

// phase is a measurement from one block to another.
type phase struct {
	messages, seconds, cpu float64 // cpu is CPU time in seconds
}

// rate returns the committed messages per second.
func (p phase) rate() float64 { return p.messages / p.seconds }

// perCPU returns the committed messages per second of CPU time.
func (p phase) perCPU() float64 { return p.messages / p.cpu }

// measure measures one phase.
func (n *loaded) measure(b *testing.B) phase {
	b.Helper()
	<-time.After(settle)
	before, start := n.nextBlock(b)
	used := cpuSeconds(b, n.metrics)
	<-time.After(phaseTime)
	after, end := n.nextBlock(b)
	return phase{messages: float64(after - before), seconds: end.Sub(start).Seconds(), cpu: cpuSeconds(b, n.metrics) - used}
}

// nextBlock waits for a block, and returns the total number of messages and the time.
func (n *loaded) nextBlock(b *testing.B) (messages uint64, at time.Time) {
	b.Helper()
	now := nodetest.Call(b, n.GetChainStats, &pb.GetChainStatsRequest{}).GetBlockHeight()
	nodetest.Await(b, "a block", func() bool {
		select {
		case <-n.writing.Done():
			b.Fatalf("the writers have exited: %s", n.writing.Stderr())
		default:
		}
		stats := nodetest.Call(b, n.GetChainStats, &pb.GetChainStatsRequest{})
		messages, at = stats.GetTotalMessages(), time.Now()
		return stats.GetBlockHeight() > now
	})
	return messages, at
}

// cpuSeconds returns the CPU time of a node so far, from its metrics.
func cpuSeconds(b *testing.B, metrics string) float64 {
	b.Helper()
	request, err := http.NewRequestWithContext(b.Context(), http.MethodGet, "http://"+metrics+"/metrics", nil)
	if err != nil {
		b.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }() // only read
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		if value, found := strings.CutPrefix(lines.Text(), "process_cpu_seconds_total "); found {
			return number(b, value)
		}
	}
	b.Fatal("the metrics have no CPU time")
	return 0
}

// count returns the number that clients printed at their end.
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

// compare reports the geometric mean of the ratios of paired phases, with its confidence interval.
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
