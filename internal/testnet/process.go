package testnet

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// process is a running node.
type process struct {
	command *exec.Cmd
	done    chan struct{} // closed when it has exited
	err     error         // of the exit; written before done is closed
}

// launch starts a program. It does not receive the signals of the terminal, so that Ctrl-C reaches it once, from stop.
func launch(program string, args []string, log *os.File) (*process, error) {
	command := exec.Command(program, args...) //nolint:noctx,gosec // stop ends it; the program is makechain
	command.Args[0] = "makechain"             // whatever the name of its file
	command.Stdout, command.Stderr = log, log
	command.Env = slices.DeleteFunc(os.Environ(), isNodeSetting)
	command.SysProcAttr = ownProcessGroup()
	if err := command.Start(); err != nil {
		return nil, err
	}
	p := &process{command: command, done: make(chan struct{})}
	go func() {
		p.err = command.Wait()
		close(p.done)
	}()
	return p, nil
}

// isNodeSetting reports whether an environment variable sets a flag that differs between nodes. It would override the
// config.toml of all of them.
func isNodeSetting(variable string) bool {
	name, _, _ := strings.Cut(variable, "=")
	return slices.Contains([]string{
		"MAKECHAIN_HOME", "MAKECHAIN_P2P_ADDR", "MAKECHAIN_GRPC_ADDR", "MAKECHAIN_REST_ADDR", "MAKECHAIN_METRICS_ADDR", "MAKECHAIN_PEERS",
	}, name)
}

// hasExited reports whether the process has exited.
func (p *process) hasExited() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// stop asks the process to exit and kills it after a timeout.
func (p *process) stop(timeout time.Duration) error {
	if p.hasExited() {
		return nil // it has been reported
	}
	if err := terminate(p.command.Process); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case <-p.done:
	case <-timer.C:
		err := p.command.Process.Kill()
		<-p.done
		return errors.Join(errors.New("a node did not stop and was killed"), err)
	}
	return p.err
}
