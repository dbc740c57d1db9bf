package gitcache

import (
	"errors"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// inGroup lets the process lead a process group, so that its children are killed with it.
func inGroup(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
}

// restrict limits a process that has just started, and the children that it will start.
func restrict(pid int, memoryBytes, cpuSeconds, fileBytes int64) error {
	for resource, limit := range map[int]int64{
		unix.RLIMIT_AS: memoryBytes, unix.RLIMIT_CPU: cpuSeconds, unix.RLIMIT_FSIZE: fileBytes, unix.RLIMIT_CORE: 0,
	} {
		var inherited unix.Rlimit
		err := unix.Prlimit(pid, resource, nil, &inherited)
		if err == nil {
			least := min(uint64(limit), inherited.Max) // only a privileged process may raise its limits
			err = unix.Prlimit(pid, resource, &unix.Rlimit{Cur: least, Max: least}, nil)
		}
		if err != nil && !errors.Is(err, unix.ESRCH) { // it ended already
			return err
		}
	}
	if err := unix.Setpriority(unix.PRIO_PGRP, pid, niceness); err != nil && !errors.Is(err, unix.ESRCH) {
		return err
	}
	return nil
}
