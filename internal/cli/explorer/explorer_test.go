package explorer_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/gen/makechain/makechainpbconnect"
	"makechain/internal/cli/clitest"
	"makechain/internal/cli/explorer"
	"makechain/internal/node/nodetest"
)

// start runs the command until the end of the test, and returns what it prints by the first word of each line.
func start(t *testing.T, args ...string) map[string]string {
	t.Helper()
	ctx, interrupt := context.WithCancel(context.WithoutCancel(t.Context()))
	printed, out := io.Pipe()
	command, _, _ := clitest.Command(explorer.New(), append([]string{"--listen", "localhost:0", "--config-dir", t.TempDir(), "--log-level", "error"}, args...)...)
	command.SetOut(out)
	done := make(chan error, 1)
	go func() {
		err := command.ExecuteContext(ctx)
		done <- err
		_ = out.CloseWithError(err)
	}()
	t.Cleanup(func() {
		interrupt()
		if err := <-done; err != nil {
			t.Errorf("the explorer ended with %v", err)
		}
	})
	words := map[string]string{}
	for lines := bufio.NewScanner(printed); words["stop"] == ""; {
		if !lines.Scan() {
			t.Fatalf("the explorer printed %v and no more: %v", words, lines.Err())
		}
		name, value, _ := strings.Cut(lines.Text(), " ")
		words[name] = strings.TrimSpace(value)
	}
	return words
}

// answer is the status and the headers of a response.
type answer struct {
	StatusCode int
	Header     http.Header
}

// ask sends a request with headers given as pairs. A Host header replaces that of the URL.
func ask(t *testing.T, method, url, body string, headers ...string) (response answer, content string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			request.Host = headers[i+1]
			continue
		}
		request.Header.Add(headers[i], headers[i+1])
	}
	transport := new(http.Transport)
	t.Cleanup(transport.CloseIdleConnections)
	received, err := transport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = received.Body.Close() }()
	read, err := io.ReadAll(received.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{received.StatusCode, received.Header}, string(read)
}

// description is /page.json.
type description struct {
	ServedBy    string `json:"served_by"`
	Node        string `json:"node"`
	ContentHost string `json:"content_host"`
	Trust       *struct {
		Source         string `json:"source"`
		ChainID        string `json:"chain_id"`
		ValidatorsHash string `json:"validators_hash"`
		BlockNumber    string `json:"block_number"`
	} `json:"trust"`
}

func describe(t *testing.T, page string) description {
	t.Helper()
	response, body := ask(t, http.MethodGet, page+"/page.json", "")
	var d description
	if err := json.Unmarshal([]byte(body), &d); err != nil || response.StatusCode != http.StatusOK || d.Trust == nil {
		t.Fatalf("/page.json answered %d %s: %v", response.StatusCode, body, err)
	}
	return d
}

// TestExplorer serves the page for a real node, with each source of trust.
func TestExplorer(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	n := nodetest.Start(t, home)
	author := nodetest.NewAccount(t)
	for _, hash := range n.Register(author, 1, "author") {
		n.AwaitStatus(t, hash)
	}
	service := makechainpbconnect.NewMakechainServiceClient(http.DefaultClient, n.RESTURL())
	block, err := service.GetBlock(t.Context(), connect.NewRequest(&pb.GetBlockRequest{BlockNumber: 1}))
	if err != nil {
		t.Fatal(err)
	}
	anchor := fmt.Sprintf("1:%x", block.Msg.GetBlock().GetHash())
	for source, args := range map[string][]string{
		"genesis":    {"--genesis", filepath.Join(home, "config", "genesis.json")},
		"trust":      {"--trust", anchor},
		"first_seen": {},
	} {
		printed := start(t, append(args, "--node", n.GRPCAddr())...)
		page := printed["page"]
		if !strings.HasPrefix(page, "http://localhost:") || !strings.Contains(printed["trust"], n.ChainID()) {
			t.Fatalf("the explorer printed %v", printed)
		}
		d := describe(t, page)
		if d.ServedBy != "explorer" || d.Node != n.GRPCAddr() || d.ContentHost != n.GRPCAddr() || d.Trust.Source != source || d.Trust.ChainID != n.ChainID() ||
			len(d.Trust.ValidatorsHash) != 64 {
			t.Errorf("described as %+v, %+v", d, d.Trust)
		}
		for path, want := range map[string]string{
			"/": "<!doctype html>", "/app.js": "", "/v1/node/status": n.ChainID(), "/openapi.json": "openapi", "/reference": "<",
		} {
			if response, body := ask(t, http.MethodGet, page+path, ""); response.StatusCode != http.StatusOK || !strings.Contains(body, want) {
				t.Errorf("%s answered %d %.100s", path, response.StatusCode, body)
			}
		}
		called := makechainpbconnect.NewMakechainServiceClient(http.DefaultClient, page)
		if status, err := called.GetNodeStatus(t.Context(), connect.NewRequest(&pb.GetNodeStatusRequest{})); err != nil || status.Msg.GetChainId() != n.ChainID() {
			t.Errorf("a call returned %v, %v", status, err)
		}
		wantEvent(t, page)
	}
}

// wantEvent reads an event of the stream of blocks.
func wantEvent(t *testing.T, page string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, page+"/v1/stream/blocks?from=0", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept", "text/event-stream")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "data:") {
			return
		}
	}
	t.Errorf("%s has no event", page)
}

// TestGuard checks that requests of other web sites are refused: by a name of theirs (DNS rebinding), and across origins.
func TestGuard(t *testing.T) {
	t.Parallel()
	n := nodetest.Start(t, t.TempDir())
	page := start(t, "--node", n.GRPCAddr())["page"]
	port := page[strings.LastIndex(page, ":"):]
	refused := [][]string{
		{"Host", "evil.example"},
		{"Host", "evil.example" + port},
		{"Host", "localhost"},
		{"Host", "localhost:1"},
		{"Host", "localhost." + port},
		{"Host", "localhost.evil.example" + port},
		{"Host", "127.0.0.1.evil.example" + port},
		{"Host", "127.0.0.2" + port},
		{"Host", "user@localhost" + port},
		{"Origin", "https://evil.example"},
		{"Origin", "null"},
		{"Origin", "http://localhost:1"},
		{"Origin", "https://localhost" + port},
		{"Origin", page, "Origin", "https://evil.example"},
		{"Host", "127.0.0.1" + port, "Origin", page}, // the same machine, another origin
		{"Sec-Fetch-Site", "cross-site"},
		{"Sec-Fetch-Site", "same-site"}, // another port of this machine
		{"Sec-Fetch-Site", "unknown"},
		{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe"},
	}
	for _, headers := range refused {
		for _, target := range []struct{ method, path string }{
			{http.MethodGet, "/"},
			{http.MethodGet, "/page.json"},
			{http.MethodGet, "/v1/content"},
			{http.MethodPost, "/v1/messages"},
			{http.MethodPost, "/makechain.MakechainService/GetNodeStatus"},
			{http.MethodOptions, "/v1/messages"},
			{http.MethodGet, "/v1/stream/blocks"},
			{http.MethodGet, "//"},
			{http.MethodGet, "/git/../page.json"},
		} {
			response, body := ask(t, target.method, page+target.path, "", headers...)
			if response.StatusCode != http.StatusForbidden || response.Header.Get("Access-Control-Allow-Origin") != "" {
				t.Errorf("%s %s with %q answered %d %.80s", target.method, target.path, headers, response.StatusCode, body)
			}
		}
	}
	for _, headers := range [][]string{
		{},
		{"Host", "LOCALHOST" + port},
		{"Host", "127.0.0.1" + port, "Origin", "http://127.0.0.1" + port},
		{"Host", "[::1]" + port},
		{"Origin", page, "Sec-Fetch-Site", "same-origin"},
		{"Sec-Fetch-Site", "none", "Sec-Fetch-Mode", "navigate"},
		{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}, // a link
	} {
		if response, body := ask(t, http.MethodGet, page+"/", "", headers...); response.StatusCode != http.StatusOK {
			t.Errorf("/ with %q answered %d %.80s", headers, response.StatusCode, body)
		}
	}
	link := []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}
	if response, _ := ask(t, http.MethodGet, page+"/v1/content", "", link...); response.StatusCode != http.StatusForbidden {
		t.Errorf("a link to content answered %d", response.StatusCode)
	}
}

// TestUnreachable checks that the page loads without its node, and that /page.json has the trust when the node is there.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	page := start(t, "--node", nodetest.FreeAddress(t))["page"]
	if response, body := ask(t, http.MethodGet, page+"/", ""); response.StatusCode != http.StatusOK {
		t.Errorf("/ answered %d %s", response.StatusCode, body)
	}
	for _, path := range []string{"/page.json", "/v1/node/status", "/v1/content"} {
		response, body := ask(t, http.MethodGet, page+path, "")
		if response.StatusCode != http.StatusServiceUnavailable || response.Header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s answered %d %s", path, response.StatusCode, body)
		}
	}
}

// TestFlags checks flags that are refused, and a node of another chain.
func TestFlags(t *testing.T) {
	t.Parallel()
	n, other := nodetest.Start(t, t.TempDir()), t.TempDir()
	nodetest.Start(t, other)
	genesis := filepath.Join(other, "config", "genesis.json")
	for want, args := range map[string][]string{
		"this machine only":       {"--listen", "0.0.0.0:0"},
		"localhost":               {"--listen", "example.com:0"},
		"exclude one another":     {"--genesis", genesis, "--trust", "1:" + strings.Repeat("0", 64)},
		"is not a block":          {"--trust", "one"},
		"serves chain":            {"--genesis", genesis},
		"no such file":            {"--genesis", filepath.Join(other, "none")},
		"node address":            {"--node", "ftp://localhost"},
		"trusted is 0000":         {"--trust", "1:" + strings.Repeat("0", 64)},
		"missing port in address": {"--listen", "localhost"},
	} {
		_, _, err := clitest.Run(t.Context(), explorer.New(), append([]string{"--node", n.GRPCAddr(), "--config-dir", t.TempDir(), "--listen", "localhost:0"}, args...)...)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q ended with %v, want %q", args, err, want)
		}
	}
}
