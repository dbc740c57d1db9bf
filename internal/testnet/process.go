package testnet

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"
)

// logMode is for logs, which may tell who talks to a node.
const logMode = 0o600

// process is a node that runs.
type process struct {
	command *exec.Cmd
	done    chan struct{} // closed when it has ended
	err     error         // why; written before done is closed
}

// launch starts a program. It gets no signals of the terminal, so that Ctrl-C reaches it once, from stop.
func launch(program string, args []string, log *os.File) (*process, error) {
	command := exec.Command(program, args...) //nolint:noctx,gosec // stopped, not killed, at the end; it is this program
	command.Args[0] = "makechain"             // wherever the program lies and whatever its file is called
	command.Stdout, command.Stderr = log, log
	command.Env = slices.DeleteFunc(os.Environ(), isOfOne)
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
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

// isOfOne says whether a variable would tell all nodes what each has in its own config.toml.
func isOfOne(variable string) bool {
	name, _, _ := strings.Cut(variable, "=")
	return slices.Contains([]string{
		"MAKECHAIN_HOME", "MAKECHAIN_P2P_ADDR", "MAKECHAIN_GRPC_ADDR", "MAKECHAIN_REST_ADDR", "MAKECHAIN_METRICS_ADDR", "MAKECHAIN_PEERS",
	}, name)
}

// hasEnded says whether the process is gone.
func (p *process) hasEnded() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// stop ends the process as an operator would, and after a while as a power cut would.
func (p *process) stop(patience time.Duration) error {
	if p.hasEnded() {
		return nil // it has been reported
	}
	if err := p.command.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	timer := time.NewTimer(patience)
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
