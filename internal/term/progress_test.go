package term

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"makechain/internal/capture"
)

// start begins a progress as on a terminal.
func start(s *capture.Buffer, label string) *Progress {
	p := &Progress{out: s, label: label, stop: make(chan struct{}), done: make(chan struct{})}
	go p.draw()
	return p
}

// TestProgress checks that the line is drawn after a second and erased at the end.
func TestProgress(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		drawn := new(capture.Buffer)
		p := start(drawn, "waiting")
		<-time.After(progressDelay - time.Millisecond)
		synctest.Wait()
		if drawn.String() != "" {
			t.Errorf("drawn at once: %q", drawn)
		}
		<-time.After(time.Second)
		synctest.Wait()
		p.Set("pushing", 3, 12)
		<-time.After(time.Second)
		synctest.Wait()
		p.Stop()
		got := drawn.String()
		for _, want := range []string{"\r\x1b[Kwaiting ...", "\r\x1b[Kpushing [======                  ] 3/12"} {
			if !strings.Contains(got, want) {
				t.Errorf("%q lacks %q", got, want)
			}
		}
		if !strings.HasSuffix(got, eraseLine) {
			t.Errorf("%q does not end clean", got)
		}
	})
}

// TestQuickProgress checks that nothing is drawn within the first second, or without a terminal.
func TestQuickProgress(t *testing.T) {
	t.Parallel()
	drawn := new(capture.Buffer)
	p := start(drawn, "quick")
	p.Set("quick", 1, 2)
	p.Stop()
	p.Stop() // as a deferred call does
	unseen := StartProgress(drawn, "unseen")
	unseen.Set("unseen", 1, 2)
	unseen.Stop()
	if unseen != nil || drawn.String() != "" {
		t.Errorf("drawn: %q", drawn)
	}
}

// TestProgressLine checks that the bar stays within its width.
func TestProgressLine(t *testing.T) {
	t.Parallel()
	p := new(Progress)
	for at, want := range map[int]string{-1: "x [" + strings.Repeat(" ", barWidth) + "] 0/4", 9: "x [" + strings.Repeat("=", barWidth) + "] 4/4"} {
		p.Set("x", at, 4)
		if got := p.line(); got != want {
			t.Errorf("%d: %q, want %q", at, got, want)
		}
	}
}
