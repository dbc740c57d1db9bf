package faults_test

import (
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Paths in a home.
const (
	walPath    = "data/cs.wal/wal"
	backupName = ".backup"
)

// ongoing is a fault that has been injected.
type ongoing struct {
	took func() bool // reports whether it has had its effect; nil if that is immediate
	undo func()
}

// inject injects a fault.
func (n *network) inject(f fault) ongoing {
	n.t.Helper()
	victim := f.victims[0]
	switch f.kind {
	case twin:
		return n.twin(victim, f.victims[1])
	case lie:
		return n.lie(victim)
	case forge:
		return n.forge(victim)
	case full:
		return n.fillDisk(victim)
	case clock:
		return n.setClock(victim, f.delay)
	case slowFlush:
		return n.slowDisk(victim, f.delay)
	case cut:
		return n.cutPower(victim, f.bytes)
	case lose:
		return n.loseFlushes(victim, f.part, f.flushes)
	case flips:
		return n.flipBits(victim)
	case kill, outage:
		n.kill(f.victims...)
	case tear:
		n.kill(victim)
		n.truncateWAL(victim, f.bytes)
	case rollback:
		n.kill(victim)
		n.restore(victim)
	case tornPages:
		n.awaitPages(victim)
		n.kill(victim)
		n.tearPages(victim, f.bytes)
	case lostPages:
		n.awaitPages(victim)
		n.kill(victim)
		n.losePages(victim)
	default:
		return ongoing{undo: n.disturb(f)}
	}
	return ongoing{undo: func() { n.start(f.victims...) }}
}

// disturb injects a fault that does not stop processes.
func (n *network) disturb(f fault) (undo func()) {
	n.t.Helper()
	border := n.border(f.victims)
	switch f.kind {
	case pause:
		return n.pause(f.victims[0])
	case halves, isolated:
		return n.stall(append(border, opposite(border)...))
	case oneWay:
		return n.stall(border)
	case slow:
		return n.slow(border, f.delay)
	case flaky:
		return n.resetRepeatedly(border)
	default:
		n.t.Fatalf("unknown fault %s", f.kind)
		return nil
	}
}

// border returns the links from some nodes to all others.
func (n *network) border(inside []int) []way {
	var ways []way
	for _, from := range inside {
		for to := range n.nodes {
			if !slices.Contains(inside, to) {
				ways = append(ways, way{from, to})
			}
		}
	}
	return ways
}

func opposite(ways []way) []way {
	back := make([]way, len(ways))
	for i, w := range ways {
		back[i] = w.back()
	}
	return back
}

// stall stops the traffic on links.
func (n *network) stall(ways []way) (undo func()) {
	set := func(stalled bool) {
		for _, w := range ways {
			n.links.gates[w].stall(stalled)
		}
	}
	set(true)
	return func() { set(false) }
}

// slow delays the traffic on links, in both directions.
func (n *network) slow(ways []way, delay time.Duration) (undo func()) {
	set := func(delay time.Duration) {
		for _, w := range append(ways, opposite(ways)...) {
			n.links.gates[w].slow(delay)
		}
	}
	set(delay)
	return func() { set(0) }
}

// resetRepeatedly resets connections periodically, and refuses new ones in every other period.
func (n *network) resetRepeatedly(ways []way) (undo func()) {
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		ticker := time.NewTicker(resetEvery)
		defer ticker.Stop()
		for refused := true; ; refused = !refused {
			for _, w := range ways {
				n.links.refuse(w, refused)
			}
			select {
			case <-ticker.C:
			case <-stop:
				for _, w := range ways {
					n.links.refuse(w, false)
				}
				return
			}
		}
	}()
	return func() {
		close(stop)
		<-stopped
	}
}

// pause suspends the process of a node.
func (n *network) pause(i int) (undo func()) {
	n.t.Helper()
	n.mustRun(i)
	n.nodes[i].process.Pause(n.t)
	return func() { n.nodes[i].process.Resume(n.t) }
}

// truncateWAL removes the end of a node's WAL, as if the disk had not written it.
func (n *network) truncateWAL(i int, bytes int64) {
	n.t.Helper()
	path := filepath.Join(n.nodes[i].role.Home, walPath)
	info, err := os.Stat(path)
	if err == nil {
		err = os.Truncate(path, max(info.Size()-bytes, 0))
	}
	if err != nil {
		n.t.Fatal(err)
	}
}

// backUp stops followers, copies their homes and starts them again.
func (n *network) backUp() {
	n.t.Helper()
	for i := n.validators; i < len(n.nodes); i++ {
		m := n.nodes[i]
		m.process.Stop(n.t)
		if err := os.CopyFS(m.role.Home+backupName, os.DirFS(m.role.Home)); err != nil {
			n.t.Fatal(err)
		}
		n.start(i)
	}
}

// restore replaces a home with its backup.
func (n *network) restore(i int) {
	n.t.Helper()
	home := n.nodes[i].role.Home
	err := os.RemoveAll(home)
	if err == nil {
		err = os.CopyFS(home, os.DirFS(home+backupName))
	}
	if err != nil {
		n.t.Fatal(err)
	}
}
