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

// session is a reader at a terminal: a shell in a fresh directory that stands for a clone of this repository. What
// the reader has besides is a home of their own, git, and a curl that this test makes.
type session struct {
	t     *testing.T
	shell io.Writer
	said  *bufio.Scanner
	kill  func() error
	env   []string
	clone string
	rest  string // the address of the gateway, once there is one
	stop  func() // stops the node, if there is one

	place string // the page
	line  int
}

// endOfCommand is printed after each command, with how it ended and where the shell is then.
const endOfCommand = "--- ended "

// commandPatience is far more than any command of a page takes.
const commandPatience = 2 * time.Minute

func newSession(t *testing.T) *session {
	t.Helper()
	work := t.TempDir()
	s := &session{t: t, clone: filepath.Join(work, "makechain")}
	s.env = append(os.Environ(), "HOME="+filepath.Join(work, "home"), "XDG_CONFIG_HOME=", "NO_COLOR=1", "TZ=UTC",
		"MAKECHAIN_NODE="+nowhere, "MAKECHAIN_GRPC_ADDR=127.0.0.1:0", "MAKECHAIN_REST_ADDR=127.0.0.1:0", "MAKECHAIN_BLOCK_INTERVAL=10ms",
		"GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=ann@example.com",
		"GIT_COMMITTER_NAME=Ann", "GIT_COMMITTER_EMAIL=ann@example.com")
	if err := os.MkdirAll(s.clone, 0o700); err != nil {
		t.Fatal(err)
	}
	shell := exec.CommandContext(context.WithoutCancel(t.Context()), "sh") // which is ended in the cleanup
	shell.Dir, shell.Env = s.clone, s.env
	in, err := shell.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, back := io.Pipe()
	shell.Stdout, shell.Stderr = back, back
	if err := shell.Start(); err != nil {
		t.Fatal(err)
	}
	s.shell, s.said, s.kill = in, bufio.NewScanner(out), shell.Process.Kill
	s.said.Buffer(nil, 4<<20)
	t.Cleanup(func() {
		_ = in.Close() // which ends the shell
		_ = shell.Wait()
		_ = back.Close()
	})
	s.must("git init --quiet --initial-branch=main", "git commit --quiet --allow-empty -m 'a beginning'", "git commit --quiet --allow-empty -m 'a middle'")
	return s
}

// settle brings the reader to where the quick start ends.
func (s *session) settle() {
	s.t.Helper()
	s.startNode("makechain node", s.clone, "")
	s.must("makechain account create alice --insecure-plaintext", "makechain push alice/hello --create")
}

// must runs commands that have to succeed.
func (s *session) must(commands ...string) {
	s.t.Helper()
	for _, command := range commands {
		if printed, code, _ := s.run(command); code != "0" {
			s.t.Fatalf("%s ended with %s: %s", command, code, printed)
		}
	}
}

// runBlock runs the commands of a block, and compares what they print with what the page shows. A command of which
// nothing is shown has only to succeed, and one of which a failure is shown has to fail.
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
		if strings.HasPrefix(line, "makechain fsck") { // the page says to stop the node first
			s.stop()
		}
		printed, code, _ := s.run(line)
		fails := strings.Contains("\n"+command.Output, "\nmakechain: ")
		switch {
		case (code != "0") != fails:
			s.t.Errorf("%s:%d: %s ended with %s:\n%s", s.place, s.line, command.Line, code, printed)
		case command.Output != "" && !shown(command.Output, printed):
			s.t.Errorf("%s:%d: %s printed\n%swhere the page has\n%s", s.place, s.line, command.Line, printed, command.Output)
		}
	}
}

// translate puts the program that is under test in the place of building it, and the addresses of this test in the
// place of those that a node has by default.
func (s *session) translate(line string) string {
	line = strings.ReplaceAll(line, "go run ./cmd/makechain", "makechain")
	line = strings.ReplaceAll(line, "go build ./cmd/makechain", `ln -s "$(command -v makechain)" makechain`)
	if strings.HasPrefix(line, "makechain testnet init --validators") {
		line += " --base-port 0" // those that the page has may be taken
	}
	if s.rest != "" {
		line = strings.ReplaceAll(line, "localhost:8080", s.rest)
	}
	return line
}

// run types a command, and gives what it prints, the code that it ends with, and the directory then.
func (s *session) run(line string) (printed, code, dir string) {
	s.t.Helper()
	defer time.AfterFunc(commandPatience, func() { _ = s.kill() }).Stop()
	if _, err := fmt.Fprintf(s.shell, "{ %s\n} </dev/null; ended=$?; echo; echo \"%s$ended $PWD\"\n", line, endOfCommand); err != nil {
		s.t.Fatal(err)
	}
	var lines []string
	for s.said.Scan() {
		if end, ended := strings.CutPrefix(s.said.Text(), endOfCommand); ended {
			code, dir, _ := strings.Cut(end, " ")
			text := strings.TrimRight(strings.Join(lines, "\n"), "\n")
			if text != "" {
				text += "\n"
			}
			return text, code, dir
		}
		lines = append(lines, s.said.Text())
	}
	s.t.Fatalf("the shell ended at %s: %v", line, s.said.Err())
	return "", "", ""
}

// startNode runs a node beside the shell until the test ends, as in another terminal. The shell is told where it is.
func (s *session) startNode(line, dir, wanted string) {
	s.t.Helper()
	words := strings.Fields(line)
	command := exec.CommandContext(context.WithoutCancel(s.t.Context()), words[0], words[1:]...) // ended in the cleanup
	command.Dir, command.Env = dir, s.env
	process := nodetest.Launch(s.t, command)
	s.stop = sync.OnceFunc(func() { process.Stop(s.t) })
	s.t.Cleanup(s.stop)
	address, serves := process.Address()
	if !serves {
		s.t.Fatalf("the node did not start: %s", process.Stderr())
	}
	nodetest.Await(s.t, "the last line of the node", func() bool { return strings.Contains(process.Stdout(), "Ctrl-C") })
	printed := process.Stdout()
	wanted = regexp.MustCompile("(?m)^"+nodetest.AddressPrefix+".*\n").ReplaceAllString(wanted, "") // it was taken out of what was printed
	if wanted != "" && !shown(wanted, printed) {
		s.t.Errorf("%s:%d: %s printed\n%swhere the page has\n%s", s.place, s.line, line, printed, wanted)
	}
	for line := range strings.Lines(printed) {
		if url, isREST := strings.CutPrefix(line, "REST"); isREST {
			s.rest = strings.TrimPrefix(strings.TrimSpace(url), "http://")
		}
	}
	s.must("export MAKECHAIN_NODE=" + address)
}

// startNetwork runs the nodes of a network beside the shell until the test ends. From then on each home says where its
// node is, and nothing else does.
func (s *session) startNetwork(line, directory, wanted string) {
	s.t.Helper()
	words := strings.Fields(line)
	command := exec.CommandContext(context.WithoutCancel(s.t.Context()), words[0], words[1:]...) // ended in the cleanup
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
	if printed := process.Stdout(); wanted != "" && !shown(wanted, printed) {
		s.t.Errorf("%s:%d: %s printed\n%swhere the page has\n%s", s.place, s.line, line, printed, wanted)
	}
	s.must("unset MAKECHAIN_NODE")
}
