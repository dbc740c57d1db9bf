//go:build !windows

package nodetest

import (
	"syscall"
	"testing"
)

// Pause suspends the program until Resume.
func (p *Process) Pause(tb testing.TB) {
	tb.Helper()
	p.signal(tb, syscall.SIGSTOP)
}

// Resume continues a program that was paused.
func (p *Process) Resume(tb testing.TB) {
	tb.Helper()
	p.signal(tb, syscall.SIGCONT)
}
