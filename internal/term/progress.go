package term

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

const (
	// progressDelay is how long something may take without a word.
	progressDelay = time.Second
	// progressInterval is the time between two drawings.
	progressInterval = 100 * time.Millisecond
	// barWidth is the length of a full bar, in characters.
	barWidth = 24

	eraseLine = "\r\x1b[K"
)

// Progress is a line that says how far something has come. It shows after a second, on a terminal alone, and is
// wiped away at the end. A nil Progress says nothing.
type Progress struct {
	out  io.Writer
	stop chan struct{}
	done chan struct{}

	mu    sync.Mutex
	label string // guarded by mu, as are the other two
	at    int
	total int
}

// StartProgress begins a line on a stream, usually standard error. It is nil where nobody watches.
func StartProgress(stream io.Writer, label string) *Progress {
	if !IsTerminal(stream) {
		return nil
	}
	p := &Progress{out: stream, label: label, stop: make(chan struct{}), done: make(chan struct{})}
	go p.draw()
	return p
}

// Set says what is being done and how far it is; a total of 0 is not known.
func (p *Progress) Set(label string, at, total int) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.label, p.at, p.total = label, at, total
}

// Stop wipes the line away.
func (p *Progress) Stop() {
	if p == nil {
		return
	}
	close(p.stop)
	<-p.done
}

func (p *Progress) draw() {
	defer close(p.done)
	delay := time.NewTimer(progressDelay)
	defer delay.Stop()
	select {
	case <-delay.C:
	case <-p.stop:
		return
	}
	ticker := time.NewTicker(progressInterval)
	defer ticker.Stop()
	for {
		_, _ = io.WriteString(p.out, eraseLine+p.line()) // what is only for watching may fail
		select {
		case <-ticker.C:
		case <-p.stop:
			_, _ = io.WriteString(p.out, eraseLine)
			return
		}
	}
}

// line is the progress as it stands.
func (p *Progress) line() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.total <= 0 {
		return p.label + " ..."
	}
	at := min(max(p.at, 0), p.total)
	full := barWidth * at / p.total
	return fmt.Sprintf("%s [%s%s] %d/%d", p.label, strings.Repeat("=", full), strings.Repeat(" ", barWidth-full), at, p.total)
}
