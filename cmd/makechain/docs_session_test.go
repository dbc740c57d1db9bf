package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"makechain/internal/lint"
	"makechain/internal/node/nodetest"
)

// session is a shell in a new directory, which has the role of a clone of this repository. It has its own home
// directory, git, and the curl of this test.
type session struct {
	t      *testing.T
	shell  io.Writer
	output *bufio.Scanner
	kill   func() error
	env    []string
	clone  string
	rest   string // the address of the gateway, empty before a node is started
	stop   func() // stops the node, nil before it is started
	// requests are the ids of merge requests by those that the page shows in their place.
	requests map[string]string

	page string
	line int
}

// endOfCommand is printed after each command, with its exit code and the working directory.
const endOfCommand = "--- ended "

// commandTimeout is much longer than any command of a page takes.
const commandTimeout = 2 * time.Minute

func newSession(t *testing.T) *session {
	t.Helper()
	work := t.TempDir()
	s := &session{t: t, clone: filepath.Join(work, "makechain"), requests: map[string]string{}}
	s.env = append(os.Environ(), "HOME="+filepath.Join(work, "home"), "XDG_CONFIG_HOME=", "NO_COLOR=1", "TZ=UTC",
		"MAKECHAIN_NODE="+unreachable, "MAKECHAIN_GRPC_ADDR=127.0.0.1:0", "MAKECHAIN_REST_ADDR=127.0.0.1:0", "MAKECHAIN_BLOCK_INTERVAL=10ms",
		"MAKECHAIN_CONTENT_MIN_FREE=0", "MAKECHAIN_CONTENT_MAX_BYTES=1GiB",
		"GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=ann@example.com",
		"GIT_COMMITTER_NAME=Ann", "GIT_COMMITTER_EMAIL=ann@example.com")
	if err := os.MkdirAll(s.clone, 0o700); err != nil {
		t.Fatal(err)
	}
	shell := exec.CommandContext(context.WithoutCancel(t.Context()), "sh") // the cleanup ends it
	shell.Dir, shell.Env = s.clone, s.env
	in, err := shell.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, writer := io.Pipe()
	shell.Stdout, shell.Stderr = writer, writer
	if err := shell.Start(); err != nil {
		t.Fatal(err)
	}
	s.shell, s.output, s.kill = in, bufio.NewScanner(out), shell.Process.Kill
	s.output.Buffer(nil, 4<<20)
	t.Cleanup(func() {
		_ = in.Close() // this ends the shell
		_ = shell.Wait()
		_ = writer.Close()
	})
	s.must("git init --quiet --initial-branch=main", "git commit --quiet --allow-empty -m 'first commit'", "git commit --quiet --allow-empty -m 'second commit'")
	return s
}

// quickstart runs the commands of the quick start.
func (s *session) quickstart() {
	s.t.Helper()
	s.startNode("makechain node", s.clone, "")
	s.must("makechain account create alice --insecure-plaintext", "makechain push alice/hello --create")
}

// must runs commands that must succeed.
func (s *session) must(commands ...string) {
	s.t.Helper()
	for _, command := range commands {
		if printed, code, _ := s.run(command); code != "0" {
			s.t.Fatalf("%s: exit code %s: %s", command, code, printed)
		}
	}
}

// runBlock runs the commands of a block and compares their output with the page. A command without output on the page
// must succeed, and one with an error on the page must fail.
func (s *session) runBlock(block lint.Block) {
	s.t.Helper()
	for _, command := range typedLines(block) {
		line := s.translate(command.Line)
		if strings.HasSuffix(line, "makechain node") {
			_, _, dir := s.run("true")
			s.startNode(line, dir, command.Output)
			continue
		}
		if directory, starts := strings.CutPrefix(line, "makechain testnet start "); starts {
			s.startNetwork(line, directory, command.Output)
			continue
		}
		if strings.HasPrefix(line, "makechain fsck") { // the node must be stopped first, as the page explains
			s.stop()
		}
		printed, code, _ := s.run(line)
		fails := strings.Contains("\n"+command.Output, "\nmakechain: ")
		switch {
		case (code != "0") != fails:
			s.t.Errorf("%s:%d: %s: exit code %s:\n%s", s.page, s.line, command.Line, code, printed)
		case command.Output != "" && !lint.MatchesPage(command.Output, printed):
			s.t.Errorf("%s:%d: %s printed\n%s, want\n%s", s.page, s.line, command.Line, printed, command.Output)
		}
		s.noteRequest(command.Output, printed)
	}
}

// noteRequest notes the id of a merge request that a command has opened, which later commands of the page name.
func (s *session) noteRequest(page, printed string) {
	opened := regexp.MustCompile(`(?m)^opened merge request ([0-9a-f]{8}) `)
	shown, actual := opened.FindStringSubmatch(page), opened.FindStringSubmatch(printed)
	if shown != nil && actual != nil {
		s.requests[shown[1]] = actual[1]
	}
}

// translate replaces commands that build the program by the program under test, and default addresses and the ids of merge
// requests by those of this test.
func (s *session) translate(line string) string {
	line = strings.ReplaceAll(line, "go run ./cmd/makechain", "makechain")
	line = strings.ReplaceAll(line, "go install ./cmd/...", "true") // the programs under test are on the PATH
	line = strings.ReplaceAll(line, "go build ./cmd/makechain", `ln -s "$(command -v makechain)" makechain`)
	if strings.HasPrefix(line, "makechain testnet init --validators") {
		line += " --base-port 0" // the default ports may be in use
	}
	if s.rest != "" {
		line = strings.ReplaceAll(line, "localhost:8080", s.rest)
	}
	for shown, actual := range s.requests {
		line = strings.ReplaceAll(line, shown, actual)
	}
	return line
}

// run runs a command and returns its output, its exit code and the working directory after it.
func (s *session) run(line string) (printed, code, dir string) {
	s.t.Helper()
	defer time.AfterFunc(commandTimeout, func() { _ = s.kill() }).Stop()
	if _, err := fmt.Fprintf(s.shell, "{ %s\n} </dev/null; code=$?; echo; echo \"%s$code $PWD\"\n", line, endOfCommand); err != nil {
		s.t.Fatal(err)
	}
	var lines []string
	for s.output.Scan() {
		if end, ended := strings.CutPrefix(s.output.Text(), endOfCommand); ended {
			code, dir, _ := strings.Cut(end, " ")
			text := strings.TrimRight(strings.Join(lines, "\n"), "\n")
			if text != "" {
				text += "\n"
			}
			return text, code, dir
		}
		lines = append(lines, s.output.Text())
	}
	s.t.Fatalf("the shell ended at %s: %v", line, s.output.Err())
	return "", "", ""
}

// startNode runs a node in the background until the test ends, and sets MAKECHAIN_NODE in the shell to its address.
func (s *session) startNode(line, dir, wanted string) {
	s.t.Helper()
	words := strings.Fields(line)
	command := exec.CommandContext(context.WithoutCancel(s.t.Context()), words[0], words[1:]...) // the cleanup ends it
	command.Dir, command.Env = dir, s.env
	process := nodetest.Launch(s.t, command)
	s.stop = sync.OnceFunc(func() { process.Stop(s.t) })
	s.t.Cleanup(s.stop)
	address, serves := process.Address()
	if !serves {
		s.t.Fatalf("the node did not start: %s", process.Stderr())
	}
	nodetest.Await(s.t, "the last line of the output of the node", func() bool { return strings.Contains(process.Stdout(), "Ctrl-C") })
	printed := process.Stdout()
	wanted = regexp.MustCompile("(?m)^"+nodetest.AddressPrefix+".*\n").ReplaceAllString(wanted, "") // Launch removes this line from the output
	if wanted != "" && !lint.MatchesPage(wanted, printed) {
		s.t.Errorf("%s:%d: %s printed\n%s, want\n%s", s.page, s.line, line, printed, wanted)
	}
	for line := range strings.Lines(printed) {
		if url, isREST := strings.CutPrefix(line, "REST"); isREST {
			s.rest = strings.TrimPrefix(strings.TrimSpace(url), "http://")
		}
	}
	s.must("export MAKECHAIN_NODE=" + address)
}

// startNetwork runs the nodes of a network in the background until the test ends, and unsets MAKECHAIN_NODE in the shell:
// commands read the addresses from the homes.
func (s *session) startNetwork(line, directory, wanted string) {
	s.t.Helper()
	words := strings.Fields(line)
	command := exec.CommandContext(context.WithoutCancel(s.t.Context()), words[0], words[1:]...) // the cleanup ends it
	command.Dir = s.clone
	command.Env = slices.DeleteFunc(slices.Clone(s.env), func(variable string) bool { return strings.HasPrefix(variable, "MAKECHAIN_") })
	process := nodetest.Launch(s.t, command)
	s.t.Cleanup(func() { process.Stop(s.t) })
	homes, err := filepath.Glob(filepath.Join(s.clone, directory, "node*"))
	if err != nil || len(homes) == 0 {
		s.t.Fatalf("%s has no homes: %v", directory, err)
	}
	for _, home := range homes {
		ready := regexp.MustCompile("(?m)^" + filepath.Base(home) + " .* ready$")
		nodetest.Await(s.t, home+" to be ready", func() bool { return ready.MatchString(process.Stdout()) })
	}
	if printed := process.Stdout(); wanted != "" && !lint.MatchesPage(wanted, printed) {
		s.t.Errorf("%s:%d: %s printed\n%s, want\n%s", s.page, s.line, line, printed, wanted)
	}
	s.must("unset MAKECHAIN_NODE")
}
