package evm

import (
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"makechain/internal/attester"
	"makechain/internal/comet"
	"makechain/internal/evm"
	"makechain/internal/genesis"
	"makechain/internal/ledger"
	"makechain/message"
)

// childVariable is the environment variable that makes this program one of the processes below instead of running tests.
const childVariable = "EVM_TEST_CHILD"

// A child is a process of a test.
type child struct {
	Sign       bool // prints a signature as an external signer does, instead of reading the chain
	Seed       message.Seed
	Dir        string
	Settlement attester.Settlement
	Providers  []string
	KillAt     int // the number of the step before which the process kills itself, 0 for none
}

func TestMain(m *testing.M) {
	encoded, isChild := os.LookupEnv(childVariable)
	if !isChild {
		os.Exit(m.Run())
	}
	var c child
	err := json.Unmarshal([]byte(encoded), &c)
	if err == nil {
		err = c.run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func (c *child) run() error {
	if c.Sign {
		return c.sign()
	}
	steps := 0
	config := attester.Config{
		Dir: c.Dir, Settlement: func(context.Context) (attester.Settlement, error) { return c.Settlement, nil },
		Signer: key{c.Seed}, Poll: time.Second, Now: time.Now, Log: slog.New(slog.DiscardHandler),
		BeforeStep: func(string) error {
			if steps++; steps == c.KillAt {
				if err := syscall.Kill(os.Getpid(), syscall.SIGKILL); err != nil {
					return err
				}
				select {} // nothing is done until the signal arrives
			}
			return nil
		},
	}
	for _, url := range c.Providers {
		provider, err := evm.Dial(url, 0)
		if err != nil {
			return err
		}
		config.Providers = append(config.Providers, provider)
	}
	a, err := attester.New(config)
	if err != nil {
		return err
	}
	for {
		if isBehind, err := a.Step(context.Background()); err != nil || !isBehind {
			return err
		}
	}
}

// sign signs the digest of the standard input.
func (c *child) sign() error {
	var request struct{ Digest string }
	if err := json.NewDecoder(os.Stdin).Decode(&request); err != nil {
		return err
	}
	digest, err := hex.DecodeString(request.Digest)
	if err != nil {
		return err
	}
	fmt.Printf("%x\n", ed25519.Sign(ed25519.NewKeyFromSeed(c.Seed[:]), digest))
	return nil
}

// command returns the process, which has not been started.
func (c *child) command(t *testing.T) *exec.Cmd {
	t.Helper()
	encoded, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), self)
	command.Env = append(os.Environ(), childVariable+"="+string(encoded))
	return command
}

// TestKilledAtEveryStep kills the process of an attester with SIGKILL before every step of its scans: reading heads and blocks, storing
// payments, storing the cursor, and publishing. Another process continues in the same directory, and every payment is there once.
func TestKilledAtEveryStep(t *testing.T) {
	c := newChain(t)
	signer := key{message.Seed{1}}
	providers := []*provider{newProvider(t, c), newProvider(t, c)}
	paid := map[string]bool{}
	for i := range 3 {
		paid[c.pay(c.alice, c.bob.address, uint32(i+1)).Hash().Hex()] = true
		c.commit(9)
	}
	c.commit(epoch - 3*9)
	unfinal := c.pay(c.alice, c.bob.address, 9)
	c.Commit()
	for killAt := 1; ; killAt++ {
		config := configure(t, settlementOf(c, signer), signer, providers...)
		one := child{
			Seed: signer.Seed, Dir: config.Dir, Settlement: settlementOf(c, signer), Providers: []string{providers[0].url, providers[1].url}, KillAt: killAt,
		}
		output, err := one.command(t).CombinedOutput()
		exited, isKilled := errors.AsType[*exec.ExitError](err)
		if err != nil && (!isKilled || exited.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL) {
			t.Fatalf("step %d: %v: %s", killAt, err, output)
		}
		again := open(t, config)
		if halted := catchUp(t, again); halted != nil {
			t.Fatal(halted)
		}
		seen := map[string]bool{}
		for _, got := range attestations(t, serve(t, again)) {
			if seen[got.Tx] || !paid[got.Tx] || got.Tx == unfinal.Hash().Hex() {
				t.Fatalf("killed before step %d: %s is signed twice, or was not paid or not final", killAt, got.Tx)
			}
			seen[got.Tx] = true
		}
		if len(seen) != len(paid) {
			t.Fatalf("killed before step %d: %d payments are signed, want %d", killAt, len(seen), len(paid))
		}
		if !isKilled {
			if killAt < 15 {
				t.Errorf("only %d steps", killAt)
			}
			return
		}
	}
}

// TestKilledWhileSigning kills the program while its external signer signs a payment, and while it responds. A process that is started
// after that returns the same attestation.
func TestKilledWhileSigning(t *testing.T) {
	c := newChain(t)
	program := build(t)
	dir := t.TempDir()
	signer := key{message.Seed{5}}
	encoded, err := json.Marshal(child{Sign: true, Seed: signer.Seed})
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The script kills the attester that runs it, the first time.
	script := fmt.Sprintf("#!/bin/sh\nif [ ! -e '%s/killed' ]; then : > '%s/killed'; kill -9 $PPID; exit 1; fi\n%s='%s' exec '%s'\n",
		dir, dir, childVariable, encoded, self)
	if err := os.WriteFile(filepath.Join(dir, "signer"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	domain := settlementOf(c).Domain
	if err := comet.Init(filepath.Join(dir, "node"), genesis.Genesis{ChainID: domain.ChainID, Network: domain.Network, Settlement: ledger.Settlement{
		ChainID: domain.SettlementChainID, Contract: domain.Contract, Threshold: 1, Attesters: []ledger.Attester{{Key: signer.Key()}},
	}}); err != nil {
		t.Fatal(err)
	}
	args := []string{
		"--home", filepath.Join(dir, "att"), "--genesis", filepath.Join(dir, "node", "config", "genesis.json"), "--rpc", newProvider(t, c).url,
		"--rpc", newProvider(t, c).url, "--signer", filepath.Join(dir, "signer"), "--signer-key", signer.Key().String(),
	}
	path := "/attestations/" + c.pay(c.alice, c.bob.address, 4).Hash().Hex()
	c.finalize()
	url, _ := start(t, program, args...)
	awaitPayment(t, url)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if response, err := http.DefaultClient.Do(request); err == nil {
		t.Fatalf("the attester was not killed: %s", response.Status)
	}
	if _, err := os.Stat(filepath.Join(dir, "killed")); err != nil {
		t.Fatal(err)
	}
	url, kill := start(t, program, args...)
	awaitPayment(t, url)
	connection, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(connection, "GET "+path+" HTTP/1.1\r\nHost: attester\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	kill() // whatever it has done of the request
	_ = connection.Close()
	url, kill = start(t, program, args...)
	awaitPayment(t, url)
	status, first := get(t, url+path)
	kill()
	url, _ = start(t, program, args...)
	awaitPayment(t, url)
	if again, second := get(t, url+path); status != http.StatusOK || again != http.StatusOK || first != second {
		t.Errorf("the attestation is %d %s, and after another start %d %s", status, first, again, second)
	}
	if got := attestations(t, url); len(got) != 1 || got[0].Units != 4 {
		t.Errorf("signed: %+v", got)
	}
}

// awaitPayment waits until an attester has read a payment and signs.
func awaitPayment(t *testing.T, url string) {
	t.Helper()
	await(t, "the payment", func() bool {
		_, body := get(t, url+"/status")
		return strings.Contains(body, `"payments":1,`) && strings.Contains(body, `"signing":true`)
	})
}
