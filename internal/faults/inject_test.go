package faults_test

import (
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Where things lie in a home.
const (
	logOfVotes = "data/cs.wal/wal"
	backupName = ".backup"
)

// inject makes a fault happen, and gives what undoes it.
func (n *network) inject(f fault) (undo func()) {
	n.t.Helper()
	switch f.kind {
	case kill, outage:
		n.kill(f.victims...)
		return func() { n.start(f.victims...) }
	case tear:
		n.kill(f.victims...)
		n.tearLog(f.victims[0], f.bytes)
		return func() { n.start(f.victims...) }
	case rollback:
		n.kill(f.victims...)
		n.restore(f.victims[0])
		return func() { n.start(f.victims...) }
	case twin:
		return n.twin(f.victims[0], f.victims[1])
	case pause:
		return n.pause(f.victims[0])
	case halves, alone:
		return n.stall(append(n.border(f.victims), reversed(n.border(f.victims))...))
	case mute:
		return n.stall(n.border(f.victims))
	case slow:
		return n.slow(n.border(f.victims), f.delay)
	case flaky:
		return n.keepResetting(n.border(f.victims))
	default:
		n.t.Fatalf("nobody knows how to do %s", f.kind)
		return nil
	}
}

// border are the ways from some nodes to all others.
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

func reversed(ways []way) []way {
	back := make([]way, len(ways))
	for i, w := range ways {
		back[i] = w.back()
	}
	return back
}

// stall holds back what goes some ways.
func (n *network) stall(ways []way) (undo func()) {
	set := func(stalled bool) {
		for _, w := range ways {
			n.links.gates[w].stall(stalled)
		}
	}
	set(true)
	return func() { set(false) }
}

// slow delays what goes some ways, and back.
func (n *network) slow(ways []way, delay time.Duration) (undo func()) {
	set := func(delay time.Duration) {
		for _, w := range append(ways, reversed(ways)...) {
			n.links.gates[w].slow(delay)
		}
	}
	set(delay)
	return func() { set(0) }
}

// keepResetting breaks connections again and again: every other time they are refused until the next.
func (n *network) keepResetting(ways []way) (undo func()) {
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

// pause stops a node in the middle of whatever it does.
func (n *network) pause(i int) (undo func()) {
	n.t.Helper()
	n.mustLive(i)
	n.nodes[i].process.Pause(n.t)
	return func() { n.nodes[i].process.Resume(n.t) }
}

// tearLog cuts off the end of a node's log of votes, as when the disk had not written it yet.
func (n *network) tearLog(i int, bytes int64) {
	n.t.Helper()
	path := filepath.Join(n.nodes[i].role.Home, logOfVotes)
	info, err := os.Stat(path)
	if err == nil {
		err = os.Truncate(path, max(info.Size()-bytes, 0))
	}
	if err != nil {
		n.t.Fatal(err)
	}
}

// backUp copies the homes of followers. They are stopped meanwhile.
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

// restore puts a backup where a home was.
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
