//go:build linux

package abuse_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	devpb "makechain/gen/makechain/dev"
	"makechain/gen/makechain/dev/devpbconnect"
	"makechain/gen/makechain/makechainpbconnect"
	"makechain/internal/ident"
	"makechain/internal/node/nodetest"
	"makechain/message"
)

const (
	// refusalPause is how long an attacker waits after a failed call. Attackers share the processors of this machine with the
	// node, which attackers elsewhere would not.
	refusalPause = 5 * time.Millisecond
	// attackerUnits is the storage of an attacker's account.
	attackerUnits = 20
	// setupBatch is the number of messages that are submitted together during preparation.
	setupBatch = 10
)

// attackers are clients with one address of their own.
type attackers struct {
	makechainpbconnect.MakechainServiceClient

	t      *testing.T
	node   *process
	number int
	faucet devpbconnect.FaucetServiceClient
	http   *http.Client // HTTP/1.1
	grpc   *http.Client
	setup  *nodetest.Client // from the honest client's address
	ctx    context.Context  //nolint:containedctx // ends the attack
	cancel context.CancelFunc
	group  sync.WaitGroup

	accounts []*nodetest.Account
	projects []ident.Hash
	targets  []searched

	published published // a project with content
	body      []byte    // what is uploaded
}

// newAttackers returns attackers with the address of an attack.
func newAttackers(t *testing.T, n *process, number int) *attackers {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	a := &attackers{t: t, node: n, number: number, ctx: ctx, cancel: cancel, setup: nodetest.Dial(n.grpc)}
	h2c := new(http.Protocols)
	h2c.SetUnencryptedHTTP2(true)
	a.http = &http.Client{Transport: &http.Transport{DialContext: a.dialer().DialContext, MaxIdleConnsPerHost: 100}}
	a.grpc = &http.Client{Transport: &http.Transport{DialContext: a.dialer().DialContext, Protocols: h2c}}
	a.MakechainServiceClient = makechainpbconnect.NewMakechainServiceClient(a.grpc, "http://"+n.grpc, connect.WithGRPC())
	a.faucet = devpbconnect.NewFaucetServiceClient(a.grpc, "http://"+n.grpc, connect.WithGRPC())
	return a
}

// dialer returns a dialer that uses the attackers' address.
func (a *attackers) dialer() *net.Dialer {
	return &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 1, byte(a.number))}}
}

// start runs an attack for a time. The result is closed when the time is over; the attack may still be running then.
func (a *attackers) start(run func(*attackers), duration time.Duration) <-chan struct{} {
	a.group.Go(func() { run(a) })
	time.AfterFunc(duration, a.cancel)
	return a.ctx.Done()
}

// close ends the attack and waits for it.
func (a *attackers) close() {
	a.cancel()
	a.group.Wait()
	a.http.CloseIdleConnections()
	a.grpc.CloseIdleConnections()
	a.setup.Close()
}

// repeat calls do in a number of goroutines until the attack ends, with a pause after a failure.
func (a *attackers) repeat(workers int, do func(worker int) error) {
	var group sync.WaitGroup
	for i := range workers {
		group.Go(func() {
			for a.ctx.Err() == nil {
				if do(i) != nil {
					a.wait(refusalPause)
				}
			}
		})
	}
	group.Wait()
}

func (a *attackers) wait(pause time.Duration) {
	select {
	case <-time.After(pause):
	case <-a.ctx.Done():
	}
}

// post sends a body to a URL and discards the response.
func (a *attackers) post(url, contentType, encoding string, body []byte) error {
	request, err := http.NewRequestWithContext(a.ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", contentType)
	if encoding != "" {
		request.Header.Set("Content-Encoding", encoding)
	}
	return a.do(request)
}

// get requests a URL and discards the response.
func (a *attackers) get(url string) error {
	request, err := http.NewRequestWithContext(a.ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	return a.do(request)
}

func (a *attackers) do(request *http.Request) error {
	response, err := a.http.Do(request)
	if err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, response.Body) // the status decides
	_ = response.Body.Close()
	if response.StatusCode >= http.StatusBadRequest {
		return fmt.Errorf("status %s", response.Status)
	}
	return nil
}

// dial opens a connection to an address and sends bytes, whose answer nobody reads. It ends with the attack.
func (a *attackers) dial(address, sent string) error {
	conn, err := a.dialer().DialContext(a.ctx, "tcp", address)
	if err != nil {
		return err
	}
	_ = conn.(*net.TCPConn).SetReadBuffer(1 << 10) // the network is tcp; the size is a hint
	_, err = io.WriteString(conn, sent)
	context.AfterFunc(a.ctx, func() { _ = conn.Close() }) // the node may have closed it
	return err
}

// register creates accounts with storage, from the honest client's address.
func (a *attackers) register(count int) {
	a.t.Helper()
	for i := range count {
		account := nodetest.NewAccount(a.t)
		hashes := a.setup.Register(account, attackerUnits, fmt.Sprintf("attacker-%d-%d", a.number, i))
		a.accounts = append(a.accounts, account)
		a.setup.AwaitStatus(a.t, hashes[len(hashes)-1])
	}
}

// commit submits messages in batches, which must be accepted, and waits for the last one.
func (a *attackers) commit(messages ...*message.Envelope) {
	a.t.Helper()
	for start := 0; start < len(messages); start += setupBatch {
		batch := &pb.BatchSubmitRequest{}
		for _, m := range messages[start:min(start+setupBatch, len(messages))] {
			batch.Messages = append(batch.Messages, m.Proto())
		}
		if answer := nodetest.Call(a.t, a.setup.BatchSubmitMessages, batch); answer.GetRejectedCount() > 0 {
			a.t.Fatalf("preparation: %v", answer.GetResults())
		}
		a.setup.MustCommit(a.t, messages[min(start+setupBatch, len(messages))-1])
	}
}

// submit submits a batch from the attackers' address. It fails if the node accepts none of its messages.
func (a *attackers) submit(messages ...*message.Envelope) error {
	batch := &pb.BatchSubmitRequest{}
	for _, m := range messages {
		batch.Messages = append(batch.Messages, m.Proto())
	}
	answer, err := a.BatchSubmitMessages(a.ctx, connect.NewRequest(batch))
	if err == nil && answer.Msg.GetAcceptedCount() == 0 {
		err = fmt.Errorf("refused: %s", answer.Msg.GetResults()[0].GetError())
	}
	return err
}

// claim claims storage for an account from the attackers' address.
func (a *attackers) claim(owner ident.Address) error {
	_, err := a.faucet.Claim(a.ctx, connect.NewRequest(&devpb.ClaimRequest{OwnerAddress: owner[:], Units: 1}))
	return err
}

// compressed returns the gzip form of a number of bytes, each of which is value.
func compressed(t *testing.T, size int, unit []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	writer := gzip.NewWriter(&out)
	chunk := bytes.Repeat(unit, 1<<10)
	for written := 0; written < size; written += len(chunk) {
		if _, err := writer.Write(chunk); err != nil {
			t.Fatal(err)
		}
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
