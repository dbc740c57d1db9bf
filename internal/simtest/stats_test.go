package simtest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	pb "makechain/gen/makechain"
	"makechain/internal/schema"
	"makechain/message"
)

// stats counts the results of a run, to check that it covers what it should.
type stats struct {
	applied  map[pb.MessageType]int
	refused  map[message.Code]int
	pruned   map[schema.Prefix]int
	swapped  int // pairs of project groups
	replayed int
	lapsed   int // usernames that were taken from an account without storage
	reused   int // messages of blocks whose executions at admission were reused
	repeated int // messages whose executions were repeated in another session
	executed int // those that were executed again
}

func newStats() stats {
	return stats{applied: map[pb.MessageType]int{}, refused: map[message.Code]int{}, pruned: map[schema.Prefix]int{}}
}

func (y *stats) add(other *stats) {
	addTo(y.applied, other.applied)
	addTo(y.refused, other.refused)
	addTo(y.pruned, other.pruned)
	y.swapped += other.swapped
	y.replayed += other.replayed
	y.lapsed += other.lapsed
	y.reused += other.reused
	y.repeated += other.repeated
	y.executed += other.executed
}

func addTo[K comparable](sum, counts map[K]int) {
	for key, n := range counts {
		sum[key] += n
	}
}

func (y *stats) String() string {
	var text strings.Builder
	total := func(counts int, what string) { fmt.Fprintf(&text, "\n%7d %s", counts, what) }
	applied, refused := 0, 0
	for _, n := range y.applied {
		applied += n
	}
	for _, n := range y.refused {
		refused += n
	}
	total(applied, "applied")
	for _, typ := range slices.Sorted(maps.Keys(y.applied)) {
		fmt.Fprintf(&text, " %s:%d", strings.TrimPrefix(typ.String(), "MESSAGE_TYPE_"), y.applied[typ])
	}
	total(refused, "refused")
	for _, code := range slices.Sorted(maps.Keys(y.refused)) {
		fmt.Fprintf(&text, " %s:%d", code, y.refused[code])
	}
	total(y.swapped, "project groups swapped")
	total(y.replayed, "replays refused")
	total(y.lapsed, "lapsed usernames taken")
	total(y.reused, "executions reused")
	total(y.repeated, "executions repeated")
	total(y.executed, "messages executed again")
	for _, p := range slices.Sorted(maps.Keys(y.pruned)) {
		total(y.pruned[p], fmt.Sprintf("pruned with prefix %#x", byte(p)))
	}
	return text.String()
}
