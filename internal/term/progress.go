package term

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

const (
	// progressDelay is the time before the line is drawn.
	progressDelay = time.Second
	// progressInterval is the time between two updates of the line.
	progressInterval = 100 * time.Millisecond
	// barWidth is the width of the progress bar, in characters.
	barWidth = 24

	eraseLine = "\r\x1b[K"
)

// Progress is a progress line on a terminal. It is drawn after progressDelay and erased by Stop. The methods of a nil
// Progress do nothing.
type Progress struct {
	out     io.Writer
	stop    chan struct{}
	done    chan struct{}
	stopped sync.Once // closes stop

	mu    sync.Mutex
	label string // guarded by mu, as are the other two
	at    int
	total int
}

// StartProgress starts a progress line on a stream, usually standard error. It returns nil if that is not a terminal.
func StartProgress(stream io.Writer, label string) *Progress {
	if !IsTerminal(stream) {
		return nil
	}
	p := &Progress{out: stream, label: label, stop: make(chan struct{}), done: make(chan struct{})}
	go p.draw()
	return p
}

// Set sets the label and the progress. A total of 0 is unknown.
func (p *Progress) Set(label string, at, total int) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.label, p.at, p.total = label, at, total
}

// Stop erases the line and waits until nothing is drawn any more. It may be called again.
func (p *Progress) Stop() {
	if p == nil {
		return
	}
	p.stopped.Do(func() { close(p.stop) })
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
		_, _ = io.WriteString(p.out, eraseLine+p.line()) // progress is not essential
		select {
		case <-ticker.C:
		case <-p.stop:
			_, _ = io.WriteString(p.out, eraseLine)
			return
		}
	}
}

// line returns the current text of the line.
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
