//go:build unix && !linux

package gitcache

import (
	"os/exec"
	"syscall"
)

// inGroup lets the process lead a process group, so that its children are killed with it.
func inGroup(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
}

// restrict lowers the priority of a process. The resources of another process can only be limited on Linux.
func restrict(pid int, _, _, _ int64) error {
	return syscall.Setpriority(syscall.PRIO_PGRP, pid, niceness)
}
