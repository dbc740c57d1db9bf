package evm

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"makechain/internal/comet"
	"makechain/internal/genesis"
	"makechain/internal/ident"
	"makechain/internal/ledger"
)

// build builds the program and returns its path.
func build(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "makechain")
	if output, err := exec.CommandContext(t.Context(), "go", "build", "-C", "../..", "-o", program, "./cmd/makechain").CombinedOutput(); err != nil {
		t.Fatalf("build the program: %v\n%s", err, output)
	}
	return program
}

// start starts an attester as a process and returns its URL, and a function that kills it.
func start(t *testing.T, program string, args ...string) (url string, kill func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	command := exec.CommandContext(ctx, program, append([]string{"attester", "--listen", "127.0.0.1:0", "--poll", "5ms"}, args...)...)
	command.Stderr, command.WaitDelay = t.Output(), time.Minute
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(output)
	for lines.Scan() {
		if _, after, found := strings.Cut(lines.Text(), "serving"); found {
			url = strings.TrimSpace(after)
			break
		}
	}
	killed := false
	kill = func() {
		if !killed {
			killed = true
			cancel() // SIGKILL
			_ = command.Wait()
		}
	}
	t.Cleanup(kill)
	if url == "" {
		t.Fatal("the attester did not start")
	}
	return url, kill
}

// TestProcessKilled runs the program and kills it again and again while payments are made. In the end every payment is signed once.
func TestProcessKilled(t *testing.T) {
	c := newChain(t)
	program := build(t)
	home := filepath.Join(t.TempDir(), "att")
	printed, err := exec.CommandContext(t.Context(), program, "attester", "key", "--home", home).Output()
	if err != nil {
		t.Fatal(err)
	}
	public, err := ident.ParsePublicKey(strings.TrimSpace(string(printed)))
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(home, "attester_key.hex")); err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("the file of the key: %v, %v", info, err)
	}
	node := t.TempDir()
	domain := settlementOf(c).Domain
	if err := comet.Init(node, genesis.Genesis{ChainID: domain.ChainID, Network: domain.Network, Settlement: ledger.Settlement{
		ChainID: domain.SettlementChainID, Contract: domain.Contract, Threshold: 1, Attesters: []ledger.Attester{{Key: public}},
	}}); err != nil {
		t.Fatal(err)
	}
	args := []string{
		"--home", home, "--genesis", filepath.Join(node, "config", "genesis.json"), "--rpc", newProvider(t, c).url, "--rpc", newProvider(t, c).url,
	}
	want := map[string]bool{}
	for range 8 {
		url, kill := start(t, program, args...)
		for range 3 {
			want[c.pay(c.alice, c.bob.address, 1).Hash().Hex()] = true
			c.commit(epoch / 2)
		}
		// At least something was read, so that there is something to lose; the rest is read or not.
		await(t, "a block", func() bool {
			_, body := get(t, url+"/status")
			return !strings.Contains(body, `"block":0,`)
		})
		kill()
	}
	c.finalize()
	url, _ := start(t, program, args...)
	await(t, "all payments", func() bool {
		status, _ := get(t, url+"/readyz")
		return status == 200 && len(attestations(t, url)) == len(want)
	})
	seen := map[string]bool{}
	for _, one := range attestations(t, url) {
		if seen[one.Tx] || !want[one.Tx] {
			t.Errorf("%s is signed twice, or was not paid", one.Tx)
		}
		seen[one.Tx] = true
	}
	if second, err := exec.CommandContext(t.Context(), program, append([]string{"attester", "--listen", "127.0.0.1:0"}, args...)...).CombinedOutput(); err == nil ||
		!strings.Contains(string(second), "another process") {
		t.Errorf("a second process in the same directory: %v\n%s", err, second)
	}
}
