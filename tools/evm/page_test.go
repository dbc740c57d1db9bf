package evm

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"makechain/internal/lint"
	"makechain/internal/node/nodetest"
)

// walkthrough is the page whose commands are run.
const walkthrough = "../../docs/paid-network.md"

// claimDistance is longer than timestamps of messages are ahead of the clock.
const claimDistance = 10 * time.Second

// A page runs the commands of a page in a directory that is empty at first.
type page struct {
	t        *testing.T
	dir, bin string
	env      []string
	replace  map[string]string // texts of the page by those of this test: addresses and transactions
	running  map[string]*nodetest.Process
	claimed  time.Time // when a payment was claimed
}

func newPage(t *testing.T) *page {
	t.Helper()
	work := t.TempDir()
	p := &page{t: t, dir: filepath.Join(work, "work"), bin: filepath.Join(work, "bin"), replace: map[string]string{}, running: map[string]*nodetest.Process{}}
	for _, dir := range []string{p.dir, p.bin} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, build := range [][]string{
		{"build", "-C", "../..", "-o", p.bin, "./cmd/..."}, {"build", "-o", filepath.Join(p.bin, "devchain"), "./cmd/devchain"},
	} {
		if output, err := exec.CommandContext(t.Context(), "go", build...).CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(build, " "), err, output)
		}
	}
	p.env = append(os.Environ(), "HOME="+filepath.Join(work, "home"), "XDG_CONFIG_HOME=", "NO_COLOR=1", "TZ=UTC",
		"PATH="+p.bin+string(os.PathListSeparator)+os.Getenv("PATH"), "MAKECHAIN_CONTENT_MIN_FREE=0", "MAKECHAIN_CONTENT_MAX_BYTES=1GiB",
		"GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=ann@example.com",
		"GIT_COMMITTER_NAME=Ann", "GIT_COMMITTER_EMAIL=ann@example.com")
	for i := range 3 { // the attesters have their ports before they start
		p.replace[fmt.Sprintf("127.0.0.1:%d", 8071+i)] = nodetest.FreeAddress(t)
	}
	return p
}

// translate replaces what differs from the page.
func (p *page) translate(line string) string {
	for shown, actual := range p.replace {
		line = strings.ReplaceAll(line, shown, actual)
	}
	switch {
	case strings.HasPrefix(line, "makechain testnet init"):
		line += " --base-port 0" // the default ports may be in use
	case strings.HasPrefix(line, "makechain account create"), strings.HasPrefix(line, "makechain storage claim"):
		line += " --timeout 3m" // the machine may be slow
	}
	return line
}

// run runs the commands of a block.
func (p *page) run(block lint.Block) {
	p.t.Helper()
	for _, command := range lint.Transcripts("```console\n" + strings.ReplaceAll(block.Text, "\\\n", "") + "```\n") {
		p.runCommand(command)
	}
}

// runCommand runs a command and compares its output with the page. One with an error on the page must fail.
func (p *page) runCommand(command lint.Command) {
	p.t.Helper()
	line := p.translate(command.Line)
	if strings.HasPrefix(line, "makechain storage claim") {
		await(p.t, "another second: a claim with the same timestamp is the same message", func() bool { return time.Since(p.claimed) > claimDistance })
	}
	if found := regexp.MustCompile(`--claim-tx (\S+)`).FindStringSubmatch(line); found != nil {
		for _, address := range []string{"127.0.0.1:8071", "127.0.0.1:8072", "127.0.0.1:8073"} {
			await(p.t, "the signature of the payment", func() bool {
				status, _ := get(p.t, "http://"+p.replace[address]+"/attestations/"+found[1])
				return status == http.StatusOK
			})
		}
	}
	var printed string
	switch {
	case line == "go install ./cmd/...": // newPage has built them
		return
	case line == "go run -C tools/evm ./cmd/devchain":
		path, err := filepath.Abs("../../contracts/build/StorageRent.json")
		if err != nil {
			p.t.Fatal(err)
		}
		printed = p.start("devchain", "Ctrl-C", "devchain", "--listen", "127.0.0.1:0,127.0.0.1:0", "--contract", path)
		for i, found := range regexp.MustCompile(`http://(\S+)`).FindAllStringSubmatch(printed, -1) {
			p.replace[fmt.Sprintf("127.0.0.1:%d", 8545+i)] = found[1]
		}
	case strings.HasPrefix(line, "makechain attester --home"):
		words := strings.Fields(line)
		printed = p.start(words[3], "Ctrl-C", words...)
	case strings.HasPrefix(line, "makechain testnet start"):
		words := strings.Fields(line)
		printed = p.start("net", `(?s)node0 .* ready\n.*node1 .* ready\n.*node2 .* ready\n.*node3 .* ready\n.*node4 .* ready\n`, words...)
	case strings.HasPrefix(line, "export "):
		p.env = append(p.env, strings.TrimPrefix(line, "export "))
		return
	default:
		output, err := p.shell(line)
		if fails := strings.Contains("\n"+command.Output, "\nmakechain: "); (err != nil) != fails {
			p.t.Fatalf("%s: %v\n%s", line, err, output)
		}
		printed = output
	}
	p.t.Logf("$ %s\n%s", line, printed)
	if command.Output != "" && !lint.MatchesPage(command.Output, printed) {
		p.t.Errorf("%s printed\n%s, want\n%s", command.Line, printed, command.Output)
	}
	if strings.Contains(line, "--claim-tx") {
		p.claimed = time.Now()
	}
	p.note(command.Output, printed)
}

// note notes the address of the follower and the transaction of a payment, which later commands of the page name.
func (p *page) note(shown, printed string) {
	for _, pattern := range []string{`(?m)^node4 +follower +(\S+) `, `transaction (0x[0-9a-f]{64}) in block`} {
		expression := regexp.MustCompile(pattern)
		if there, here := expression.FindStringSubmatch(shown), expression.FindStringSubmatch(printed); there != nil && here != nil {
			p.replace[there[1]] = here[1]
		}
	}
}

// shell runs a command and returns its output.
func (p *page) shell(line string) (string, error) {
	ctx, cancel := context.WithTimeout(p.t.Context(), 5*time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, "sh", "-c", line)
	command.Dir, command.Env, command.WaitDelay = p.dir, p.env, time.Minute
	output, err := command.CombinedOutput()
	return string(output), err
}

// start runs a program in the background until the test ends, and returns its output once that matches an expression.
func (p *page) start(name, until string, words ...string) string {
	p.t.Helper()
	command := exec.CommandContext(context.WithoutCancel(p.t.Context()), filepath.Join(p.bin, words[0]), words[1:]...) // the cleanup ends it
	command.Dir, command.Env = p.dir, p.env
	process := nodetest.Launch(p.t, command)
	p.t.Cleanup(func() { // before it is killed, because testnet start has processes of its own
		select {
		case <-process.Done():
		default:
			process.Stop(p.t)
		}
	})
	p.running[name] = process
	expression := regexp.MustCompile(until)
	await(p.t, name, func() bool {
		select {
		case <-process.Done():
			p.t.Fatalf("%s has ended: %s", name, process.Stderr())
		default:
		}
		return expression.MatchString(process.Stdout())
	})
	return process.Stdout()
}

// grants returns the units of the grants of alice.
func (p *page) grants() []uint32 {
	p.t.Helper()
	output, err := p.shell("makechain storage show alice --json 2>/dev/null")
	var report struct {
		Grants []struct{ Units uint32 }
	}
	if err == nil {
		err = json.Unmarshal([]byte(output), &report)
	}
	if err != nil {
		p.t.Fatalf("%v: %s", err, output)
	}
	var units []uint32
	for _, grant := range report.Grants {
		units = append(units, grant.Units)
	}
	return units
}
