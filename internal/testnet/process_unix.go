//go:build !windows

package testnet

import (
	"os"
	"syscall"
)

// ownProcessGroup puts a process into a group of its own, which does not receive the signals of the terminal.
func ownProcessGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// terminate asks a process to exit.
func terminate(p *os.Process) error { return p.Signal(syscall.SIGTERM) }
