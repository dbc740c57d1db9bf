package input

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"makechain/internal/cli/usage"
)

// TestInterruptible checks that a read returns its answer, or ends with the context.
func TestInterruptible(t *testing.T) {
	t.Parallel()
	if got, err := interruptible(t.Context(), func() (string, error) { return "yes", nil }); got != "yes" || err != nil {
		t.Errorf("answered %q, %v", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan struct{})
	defer close(left)
	got, err := interruptible(ctx, func() (string, error) {
		cancel()
		<-left
		return "too late", nil
	})
	if got != "" || !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %q, %v", got, err)
	}
}

// TestConfirm checks that --yes is required without a terminal.
func TestConfirm(t *testing.T) {
	t.Parallel()
	command := &cobra.Command{Use: "x"}
	command.SetIn(strings.NewReader("y\n"))
	if err := Confirm(command, true, "Sure?"); err != nil {
		t.Error(err)
	}
	if err := Confirm(command, false, "Sure?"); usage.ExitCode(err) != usage.ExitUsage || !strings.Contains(err.Error(), "--yes") {
		t.Errorf("without a terminal: %v", err)
	}
}
