package node

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"makechain/internal/cli/clitest"
	"makechain/internal/node/nodetest"
)

// TestGateway checks that a gateway prints its addresses and serves the status of its node.
func TestGateway(t *testing.T) {
	t.Parallel()
	n := nodetest.Start(t, t.TempDir())
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	printed, out := io.Pipe()
	command, _, _ := clitest.Command(NewGateway(), "--upstream", n.GRPCAddr(), "--rest-addr", "127.0.0.1:0", "--log-level", "error")
	command.SetOut(out)
	done := make(chan error, 1)
	go func() { done <- command.ExecuteContext(ctx) }()

	lines := bufio.NewScanner(printed)
	words := map[string]string{}
	for range 4 {
		if !lines.Scan() {
			t.Fatalf("the gateway printed %v and no more: %v", words, lines.Err())
		}
		name, value, _ := strings.Cut(lines.Text(), " ")
		words[name] = strings.TrimSpace(value)
	}
	if words["node"] != n.GRPCAddr() || words["stop"] == "" || !strings.HasPrefix(words["page"], "http://localhost:") {
		t.Errorf("the gateway printed %v", words)
	}
	if body := get(t, words["REST"]+"/v1/node/status"); !strings.Contains(body, n.ChainID()) {
		t.Errorf("the node's status is %s", body)
	}
	interrupt()
	if err := <-done; err != nil {
		t.Errorf("the gateway ended with: %v", err)
	}
}

// get returns the body of a URL, whose status must be 200.
func get(t *testing.T, url string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s answered %s: %s %v", url, response.Status, body, err)
	}
	return string(body)
}
