package commit

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

// lessOptions are the options of less, as git sets them: quit if the output fits on the screen, keep colours, and do not
// clear the screen.
const lessOptions = "FRX"

// pager returns the user's pager, empty for none.
func pager() string {
	chosen, set := os.LookupEnv("GIT_PAGER")
	if !set {
		chosen, set = os.LookupEnv("PAGER")
	}
	if _, err := exec.LookPath("less"); !set && err == nil {
		chosen = "less"
	}
	if chosen = strings.TrimSpace(chosen); chosen == "cat" {
		return ""
	}
	return chosen
}

// paged runs a function whose output goes through a pager, unless that is empty. If the user quits the pager, the rest of the
// output is dropped.
func paged(command *cobra.Command, pager string, run func() error) error {
	out := command.OutOrStdout()
	if pager == "" {
		return run()
	}
	process := exec.CommandContext(command.Context(), "sh", "-c", pager) //nolint:gosec // the user's own pager
	process.Stdout, process.Stderr, process.Env = out, command.ErrOrStderr(), os.Environ()
	if os.Getenv("LESS") == "" {
		process.Env = append(process.Env, "LESS="+lessOptions)
	}
	input, err := process.StdinPipe()
	if err != nil {
		return err
	}
	if err := process.Start(); err != nil {
		return run() // a system without sh
	}
	command.SetOut(input)
	err = run()
	command.SetOut(out)
	if errors.Is(err, syscall.EPIPE) {
		err = nil
	}
	return errors.Join(err, input.Close(), process.Wait())
}
