package peers

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
)

// TestMain lets the tests run this program as one of the applications.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == peersCommand && os.Args[2] == serveCommand {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		err := run(ctx, os.Args[2:], os.Stdout, os.Stderr)
		stop()
		if err != nil {
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// run executes the command with arguments.
func run(ctx context.Context, args []string, out, progress io.Writer) error {
	command := NewCommand() //nolint:contextcheck // a cobra command carries its context
	command.SetArgs(args)
	command.SetOut(out)
	command.SetErr(progress)
	return command.ExecuteContext(ctx)
}

// TestCompare runs a short comparison and checks its JSON output.
func TestCompare(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts nodes")
	}
	var out, progress bytes.Buffer
	args := []string{"--for", "1s", "--clients", "4", "--rows", "2000", "--json"}
	if err := run(t.Context(), args, &out, &progress); err != nil {
		t.Fatalf("%v\n%s", err, progress.String())
	}
	var found report
	if err := json.Unmarshal(out.Bytes(), &found); err != nil {
		t.Fatalf("%v in %s", err, out.String())
	}
	if found.Clients != 4 || found.Batch != 100 || found.Rows != 2000 || found.Rate != defaultRate || found.Machine.Cores == 0 {
		t.Errorf("the parameters are %+v", found)
	}
	var names []string
	for _, r := range found.Results {
		names = append(names, r.Name)
		for phase, m := range map[string]measured{"saturated": r.Saturated, "steady": r.Steady} {
			if m.Messages == 0 || m.Messages%batchSize != 0 || m.CommittedPerSecond <= 0 || m.CommittedP50 <= 0 || m.CommittedP99 < m.CommittedP50 {
				t.Errorf("%s, %s: %+v", r.Name, phase, m)
			}
		}
		if r.Share <= 0 {
			t.Errorf("the share relative to %s is %g", r.Name, r.Share)
		}
	}
	if got := strings.Join(names, " "); got != "makechain kvstore ceiling" {
		t.Errorf("the applications are %s", got)
	}
	if share := found.Results[0].Share; share != 1 {
		t.Errorf("the share relative to the node itself is %g", share)
	}
}

// TestFlagErrors checks that invalid flags are rejected.
func TestFlagErrors(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"unknown":       {"--nodes", "3"},
		"argument":      {"makechain"},
		"no time":       {"--for", "0s"},
		"no rate":       {"--rate", "-1"},
		"no clients":    {"--clients", "0"},
		"negative rows": {"--rows", "-5"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			if err := run(t.Context(), args, &out, &out); err == nil {
				t.Errorf("%v was accepted", args)
			}
		})
	}
}
