package histories_test

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"makechain/internal/comet"
	"makechain/internal/gitrepo/gittest"
	"makechain/internal/node/nodetest"
)

// rounds is how often each step of BenchmarkGit is measured.
const rounds = 9

// BenchmarkGit measures git through makechain:// next to git http-backend, with the same repository of more than 10,000 commits
// and 100 refs, and prints medians. The programs are built as users build them, and keys are not encrypted.
func BenchmarkGit(b *testing.B) {
	m := &machine{flags: []string{"--block-interval", comet.DefaultBlockInterval.String()}}
	m.start(b, build)
	made := gittest.Init(b)
	made.Fill(b, gittest.Variety{Commits: 10_300, Tags: 85})
	url, s := m.create(b, "hello"), m.newStores(b, made.Dir)
	for b.Loop() {
		m.push(b, s, made.Dir, url)
		m.git(b, s.bare, "gc", "--quiet") // as servers do, and the content service too, after some seconds
		nodetest.Await(b, "the maintenance of the content service", func() bool {
			found, err := filepath.Glob(filepath.Join(m.home, "content", "repositories", "*", "*.git", "objects", "pack", "*.bitmap"))
			return err == nil && len(found) > 0
		})
		b.Logf("%s commits, %d refs, %d objects, medians of %d", m.git(b, made.Dir, "rev-list", "--all", "--count"),
			strings.Count(m.refs(b, made.Dir), "\n")+1, len(m.objects(b, made.Dir)), rounds)
		remotes := []string{url, s.backend}
		m.compareSpeed(b, "clone", remotes, func(url string) *exec.Cmd {
			return m.command(b, m.dir, "git", "clone", "--quiet", "--mirror", url, filepath.Join(b.TempDir(), "clone"))
		})
		clones := map[string]string{}
		for _, url := range remotes {
			clones[url] = filepath.Join(b.TempDir(), "clone")
			m.git(b, m.dir, "clone", "--quiet", url, clones[url])
		}
		m.compareSpeed(b, "fetch without changes", remotes, func(url string) *exec.Cmd {
			return m.command(b, clones[url], "git", "fetch", "--quiet")
		})
		m.compareSpeed(b, "push of a commit", remotes, func(url string) *exec.Cmd {
			m.change(b, clones[url], 1)
			return m.command(b, clones[url], "git", "push", "--quiet", "origin", "main")
		})
		m.compareSpeed(b, "fetch of a commit", remotes, func(url string) *exec.Cmd {
			other := clones[url] + "-other"
			if _, err := os.Stat(other); err != nil {
				m.git(b, m.dir, "clone", "--quiet", url, other)
			}
			m.change(b, clones[url], 1)
			m.git(b, clones[url], "push", "--quiet", "origin", "main")
			return m.command(b, other, "git", "fetch", "--quiet")
		})
		m.countBytes(b, clones[url])
	}
}

// build builds the programs.
func build(tb testing.TB, dir string) {
	tb.Helper()
	command := exec.CommandContext(tb.Context(), "go", "build", "-o", dir+string(filepath.Separator), "makechain/cmd/makechain", "makechain/cmd/git-remote-makechain")
	if printed, err := command.CombinedOutput(); err != nil {
		tb.Fatalf("go build: %v: %s", err, printed)
	}
}

// compareSpeed measures a command for each remote in turn, and prints the medians and the ratio.
func (m *machine) compareSpeed(b *testing.B, name string, remotes []string, prepare func(url string) *exec.Cmd) {
	b.Helper()
	took := map[string][]time.Duration{}
	for range rounds {
		for _, url := range remotes {
			command := prepare(url)
			start := time.Now()
			printed, err := command.CombinedOutput()
			took[url] = append(took[url], time.Since(start))
			if err != nil {
				b.Fatalf("%s: %v: %s", command, err, printed)
			}
		}
	}
	first, second := median(took[remotes[0]]), median(took[remotes[1]])
	b.Logf("%-22s %6d ms, git http-backend %6d ms, ratio %.2f", name, first.Milliseconds(), second.Milliseconds(), float64(first)/float64(second))
}

func median(list []time.Duration) time.Duration {
	slices.Sort(list)
	return list[len(list)/2]
}

// change adds commits that each change a line of a text file.
func (m *machine) change(b *testing.B, dir string, commits int) {
	b.Helper()
	for range commits {
		file := filepath.Join(dir, "changed")
		text, err := os.ReadFile(file)
		if err != nil {
			text = []byte(strings.Repeat("a line of text\n", 50))
		}
		text = fmt.Appendf(text, "another line, %d\n", len(text))
		if err := os.WriteFile(file, text, 0o600); err != nil {
			b.Fatal(err)
		}
		m.git(b, dir, "add", "changed")
		m.git(b, dir, "commit", "--quiet", "--message", "Change a line")
	}
}

// countBytes prints how many bytes a push of five small changes transfers, in both directions.
func (m *machine) countBytes(b *testing.B, dir string) {
	b.Helper()
	m.change(b, dir, 5)
	var transferred atomic.Int64
	address := forward(b, m.address, &transferred)
	command := m.command(b, dir, "git", "push", "--quiet", "origin", "main")
	command.Env = append(command.Env, "MAKECHAIN_NODE="+address)
	if printed, err := command.CombinedOutput(); err != nil {
		b.Fatalf("git push: %v: %s", err, printed)
	}
	b.Logf("%-22s %6.1f kB", "push of 5 changes", float64(transferred.Load())/1000)
}

// forward forwards connections to an address and counts the bytes. It returns the address to connect to.
func forward(b *testing.B, to string, transferred *atomic.Int64) string {
	b.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it is closed with the benchmark
	if err != nil {
		b.Fatal(err)
	}
	var connections sync.WaitGroup
	b.Cleanup(func() {
		_ = listener.Close() // nothing depends on it
		connections.Wait()
	})
	connections.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", to) //nolint:noctx // as above
			if err != nil {
				_ = client.Close()
				continue
			}
			for _, pair := range [][2]net.Conn{{client, server}, {server, client}} {
				connections.Go(func() {
					_, _ = io.Copy(&counter{pair[0], transferred}, pair[1]) // it ends when one side closes
					_ = client.Close()
					_ = server.Close()
				})
			}
		}
	})
	return listener.Addr().String()
}

// counter counts the bytes that are written.
type counter struct {
	io.Writer

	written *atomic.Int64
}

func (c *counter) Write(data []byte) (int, error) {
	c.written.Add(int64(len(data)))
	return c.Writer.Write(data)
}
