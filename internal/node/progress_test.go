package node_test

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/internal/comet"
	"makechain/internal/node/nodetest"
	"makechain/internal/server"
	"makechain/message"
)

// TestNotReady checks that a node that cannot reach its peers serves and reports that it is not ready, and that it becomes
// ready when it reaches them.
func TestNotReady(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs a network")
	}
	log := slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelError}))
	home := filepath.Join(t.TempDir(), "validator")
	config := nodetest.Config(home, log)
	config.P2PAddr = nodetest.FreeAddress(t)
	validator := nodetest.StartWith(t, config)
	alice := nodetest.NewAccount(t)
	joined := validator.Register(alice, 1, "alice")
	if status := validator.AwaitStatus(t, joined[len(joined)-1]); status.GetState() != pb.MessageState_MESSAGE_STATE_COMMITTED {
		t.Fatalf("alice was not registered: %v", status)
	}
	validator.Stop(t)
	known, err := comet.EnsureKeys(home)
	if err != nil {
		t.Fatal(err)
	}

	joining := nodetest.Config(filepath.Join(t.TempDir(), "follower"), log)
	joining.Genesis, joining.Peers = filepath.Join(home, "config", "genesis.json"), []string{known.NodeID + "@" + config.P2PAddr}
	follower := nodetest.StartWith(t, joining)
	if status, body := get(t, follower.RESTURL()+"/readyz"); status != http.StatusServiceUnavailable || !strings.Contains(body, "catching up") {
		t.Errorf("readyz is %d: %s", status, body)
	}
	if status, _ := get(t, follower.RESTURL()+"/healthz"); status != http.StatusOK {
		t.Errorf("healthz is %d", status)
	}
	health := ask(t, follower)
	if health.Msg.GetReady() || !health.Msg.GetServing() || health.Header().Get(server.BehindHeader) != "0" {
		t.Errorf("health is %v with %v", health.Msg, health.Header())
	}
	bio := &pb.SubmitMessageRequest{Message: alice.Sign(message.AccountData(pb.AccountDataType_ACCOUNT_DATA_BIO, "me")).Proto()}
	if _, err := follower.SubmitMessage(t.Context(), connect.NewRequest(bio)); connect.CodeOf(err) != connect.CodeUnavailable || !strings.Contains(err.Error(), "catching up") {
		t.Errorf("the result for a message of an account that it does not have yet is %v", err)
	}

	validator = nodetest.StartWith(t, config)
	// A node is ready when it lacks only a few blocks, which here may be all of them.
	nodetest.Await(t, "the follower to be ready and to have all blocks", func() bool {
		health = ask(t, follower)
		height := health.Header().Get(server.BlockHeader)
		return health.Msg.GetReady() && height != "" && height != "0" && health.Header().Get(server.BehindHeader) == ""
	})
	if status, body := get(t, follower.RESTURL()+"/readyz"); status != http.StatusOK {
		t.Errorf("readyz is %d: %s", status, body)
	}
	if answer := nodetest.Call(t, follower.SubmitMessage, bio); !answer.GetAccepted() {
		t.Errorf("the result for the same message is %v", answer)
	}
	if follower.HasFaucet() || !validator.HasFaucet() {
		t.Error("a node whose key is not an attester has a faucet")
	}
}

func ask(t *testing.T, n *nodetest.Node) *connect.Response[pb.GetHealthResponse] {
	t.Helper()
	answer, err := n.GetHealth(t.Context(), connect.NewRequest(&pb.GetHealthRequest{}))
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

func get(t *testing.T, url string) (status int, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	read, err := io.ReadAll(answer.Body)
	if err = errors.Join(err, answer.Body.Close()); err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(read)
}
