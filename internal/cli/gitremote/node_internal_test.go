package gitremote

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	"makechain/client"
	pb "makechain/gen/makechain"
	rpc "makechain/gen/makechain/makechainpbconnect"
	"makechain/internal/ident"
	"makechain/proof"
)

// answer returns what a malicious node answers to a request for a project and its refs.
type answer func(ctx context.Context, honest *client.Client, r *pb.GetProjectProofRequest) (*pb.GetProjectProofResponse, error)

// maliciousNode is in front of a real node. It forwards everything except the methods for which it has answers of its own.
type maliciousNode struct {
	honest  *client.Client
	project answer
	row     func(*pb.GetOperationProofResponse) // changes the proof of a row; may be nil
}

// serve returns the address of the node.
func (m *maliciousNode) serve(t *testing.T, at string) string {
	t.Helper()
	honest, err := client.New(at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(honest.Close)
	m.honest = honest
	mux := http.NewServeMux()
	mux.Handle("/", forward(at))
	if m.project != nil {
		mux.Handle(rpc.MakechainServiceGetProjectProofProcedure, connect.NewUnaryHandler(rpc.MakechainServiceGetProjectProofProcedure,
			func(ctx context.Context, r *connect.Request[pb.GetProjectProofRequest]) (*connect.Response[pb.GetProjectProofResponse], error) {
				response, err := m.project(ctx, honest, r.Msg)
				if err != nil {
					return nil, err
				}
				return connect.NewResponse(response), nil
			}))
	}
	if m.row != nil {
		mux.Handle(rpc.MakechainServiceGetOperationProofProcedure, connect.NewUnaryHandler(rpc.MakechainServiceGetOperationProofProcedure,
			func(ctx context.Context, r *connect.Request[pb.GetOperationProofRequest]) (*connect.Response[pb.GetOperationProofResponse], error) {
				response, err := client.Call(ctx, honest.GetOperationProof, r.Msg)
				if err != nil {
					return nil, connect.NewError(connect.CodeOf(err), errors.New("as the honest node"))
				}
				m.row(response)
				return connect.NewResponse(response), nil
			}))
	}
	server := httptest.NewUnstartedServer(mux)
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetHTTP1(true)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Start()
	t.Cleanup(server.CloseClientConnections)
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

// forward returns a proxy of all protocols that a node serves.
func forward(at string) http.Handler {
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	calls := &http.Transport{Protocols: protocols}
	return &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(&url.URL{Scheme: "http", Host: at}); r.Out.Host = r.In.Host },
		Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
			if strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc") {
				return calls.RoundTrip(r)
			}
			return http.DefaultTransport.RoundTrip(r)
		}),
		FlushInterval: -1,
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// change returns an answer of the real node with a change.
func change(by func(*pb.GetProjectProofResponse)) answer {
	return func(ctx context.Context, honest *client.Client, r *pb.GetProjectProofRequest) (*pb.GetProjectProofResponse, error) {
		response, err := client.Call(ctx, honest.GetProjectProof, r)
		if err == nil {
			by(response)
		}
		return response, err
	}
}

// paged returns the answer of the real node in pages of one ref each, without those whose cursor is skipped.
func paged(skip string) answer {
	return func(ctx context.Context, honest *client.Client, r *pb.GetProjectProofRequest) (*pb.GetProjectProofResponse, error) {
		response, err := client.Call(ctx, honest.GetProjectProof, &pb.GetProjectProofRequest{ProjectId: r.GetProjectId()})
		if err != nil {
			return nil, err
		}
		full, after := response.GetRefs(), r.GetCursor()
		page, complete := proof.CompactPage(full, after, 1, proof.MaxAnswerSize)
		if !complete {
			response.NextCursor = page.GetRows()[0].GetKey()
			if skip != "" && bytes.HasSuffix(response.GetNextCursor(), []byte(skip)) {
				next, _ := proof.CompactPage(full, response.GetNextCursor(), 1, proof.MaxAnswerSize)
				response.NextCursor = next.GetRows()[0].GetKey()
			}
		}
		response.Refs = page
		return response, nil
	}
}

// fixture is a chain with a project that has two branches and a tag, and a clone of it that lacks the newest commit.
type fixture struct {
	*machine

	node, genesis string
	old           *pb.GetProjectProofResponse // before the newest commit
	other         []byte                      // the id of another project
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	n := startNode(t)
	f := &fixture{machine: newMachine(t, n.GRPCAddr(), genesisOf(n)), node: n.GRPCAddr(), genesis: genesisOf(n)}
	f.must(t, "", "makechain", "account", "create", "alice", "--insecure-plaintext")
	f.must(t, "", "git", "init", "--quiet", "--initial-branch=main", "hello")
	f.must(t, "hello", "git", "commit", "--quiet", "--allow-empty", "-m", "first")
	f.must(t, "hello", "git", "branch", "topic")
	f.must(t, "hello", "git", "tag", "-a", "-m", "a tag", "v1.0")
	for _, project := range []string{"hello", "other"} {
		f.must(t, "", "makechain", "project", "create", project)
		f.must(t, "hello", "git", "push", "--quiet", "makechain://alice/"+project, "--all")
		f.must(t, "hello", "git", "push", "--quiet", "makechain://alice/"+project, "--tags")
	}
	f.must(t, "", "git", "clone", "--quiet", "makechain://alice/hello", "copy")
	honest, err := client.New(n.GRPCAddr())
	if err != nil {
		t.Fatal(err)
	}
	defer honest.Close()
	ids := map[string][]byte{}
	for _, name := range []string{"alice/hello", "alice/other"} {
		id, err := honest.Project(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		ids[name] = id[:]
	}
	f.other = ids["alice/other"]
	if f.old, err = client.Call(t.Context(), honest.GetProjectProof, &pb.GetProjectProofRequest{ProjectId: ids["alice/hello"]}); err != nil {
		t.Fatal(err)
	}
	f.must(t, "hello", "git", "commit", "--quiet", "--allow-empty", "-m", "second")
	f.must(t, "hello", "git", "push", "--quiet", "makechain://alice/hello", "main")
	f.must(t, "", "git", "ls-remote", "makechain://alice/hello") // the highest verified block is stored
	return f
}

// user returns another machine with the same accounts and known blocks, and a copy of the clone.
func (f *fixture) user(t *testing.T) *machine {
	t.Helper()
	m := newMachine(t, f.node, f.genesis)
	for _, name := range []string{"config", "copy"} {
		if err := os.CopyFS(filepath.Join(m.dir, name), os.DirFS(filepath.Join(f.dir, name))); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(filepath.Join(m.dir, "config"), 0o700); err != nil {
		t.Fatal(err)
	}
	return m
}

// TestMaliciousNodes clones, fetches and pushes through nodes that return something else than the chain has. Each is rejected with a
// message that names the node and what is wrong, nothing is checked out, no ref of the clone moves, and nothing reaches the chain.
//
// Rules: P11.2, T3.9.
func TestMaliciousNodes(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts nodes and runs git many times")
	}
	f := newFixture(t)
	elsewhere := newFixture(t) // another chain with the same names
	type page = *pb.GetProjectProofResponse
	for name, c := range map[string]struct {
		node   maliciousNode
		at     string // the real node, if it is not that of the chain
		limit  string // a variable of the helper with its value
		reason string
	}{
		"another commit": {node: maliciousNode{project: change(func(p page) { p.Refs.Rows[0].Value[8] ^= 1 })}, reason: "proof leads to root"},
		"hidden branch":  {node: maliciousNode{project: change(func(p page) { p.Refs.Rows = p.GetRefs().GetRows()[1:] })}, reason: "the answer is not proven: shape"},
		"added branch": {node: maliciousNode{project: change(func(p page) {
			row := proto.CloneOf(p.GetRefs().GetRows()[0])
			row.Key = append(row.GetKey(), "-2"...)
			p.Refs.Rows = append([]*pb.RangeRow{p.GetRefs().GetRows()[0], row}, p.GetRefs().GetRows()[1:]...)
		})}, reason: "the answer is not proven: shape"},
		"no refs":               {node: maliciousNode{project: change(func(p page) { p.Refs = p.GetForkParent() })}, reason: "bound"},
		"no project":            {node: maliciousNode{project: change(func(p page) { p.Project = p.GetForkParent() })}, reason: "project: "},
		"other stores":          {node: maliciousNode{project: change(func(p page) { p.Metadata.Rows[0].Value[0] ^= 1 })}, reason: "metadata: "},
		"forged signatures":     {node: maliciousNode{project: change(func(p page) { p.LightBlock[len(p.GetLightBlock())/2] ^= 1 })}, reason: "is not certified"},
		"no signatures":         {node: maliciousNode{project: change(func(p page) { p.LightBlock = nil })}, reason: "is not certified"},
		"refs of another block": {node: maliciousNode{project: change(func(p page) { p.Refs = f.old.GetRefs() })}, reason: "proof leads to root"},
		"old block": {node: maliciousNode{project: func(context.Context, *client.Client, *pb.GetProjectProofRequest) (page, error) {
			return f.old, nil
		}}, limit: rollbackVariable + "=1ms", reason: "returned the state after block"},
		"another project": {node: maliciousNode{project: func(ctx context.Context, honest *client.Client, _ *pb.GetProjectProofRequest) (page, error) {
			return client.Call(ctx, honest.GetProjectProof, &pb.GetProjectProofRequest{ProjectId: f.other})
		}}, reason: "project: "},
		"another chain": {at: elsewhere.node, reason: "is not certified"},
		"missing page":  {node: maliciousNode{project: paged("refs/heads/main")}, reason: "lower bound"},
		"endless pages": {node: maliciousNode{project: change(func(p page) { p.NextCursor = []byte("again") })}, reason: "proof is not complete"},
		"error": {node: maliciousNode{project: func(context.Context, *client.Client, *pb.GetProjectProofRequest) (page, error) {
			return nil, connect.NewError(connect.CodeInternal, errors.New("\x1b[31mthe disk is \nfull"))
		}}, reason: `the node answers internal: `},
		"silence": {node: maliciousNode{project: func(ctx context.Context, _ *client.Client, _ *pb.GetProjectProofRequest) (page, error) {
			<-ctx.Done() // the deadline of the client
			return nil, connect.NewError(connect.CodeDeadlineExceeded, ctx.Err())
		}}, limit: timeoutVariable + "=3s", reason: "the node did not answer in time"},
		"name of another project": {node: maliciousNode{row: func(r *pb.GetOperationProofResponse) {
			r.Value = bytes.Replace(r.GetValue(), r.GetValue()[len(r.GetValue())-ident.AddressSize:], f.other[:ident.AddressSize], 1)
		}}, reason: "proof"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := f.node
			if c.at != "" {
				at = c.at
			}
			address := c.node.serve(t, at)
			m := f.user(t)
			if c.limit != "" {
				m.environment = append(m.environment, c.limit)
			}
			m.rejects(t, address, c.reason)
		})
	}
	t.Run("honest pages", func(t *testing.T) {
		t.Parallel()
		node := maliciousNode{project: paged("")}
		m := f.user(t)
		m.must(t, "copy", "git", "remote", "set-url", "origin", "makechain://"+node.serve(t, f.node)+"/alice/hello")
		m.must(t, "copy", "git", "fetch", "--quiet")
		if got, want := m.must(t, "copy", "git", "rev-parse", "origin/main"), f.must(t, "hello", "git", "rev-parse", "main"); got != want {
			t.Errorf("the branch is at %s, want %s", got, want)
		}
	})
}

// rejects clones, fetches and pushes through a node, which must fail with a message that names it.
func (m *machine) rejects(t *testing.T, address, reason string) {
	t.Helper()
	const refs = "--format=%(refname) %(objectname)"
	remote := "makechain://" + address + "/alice/hello"
	m.must(t, "copy", "git", "commit", "--quiet", "--allow-empty", "-m", "not for a malicious node")
	before := m.must(t, "copy", "git", "for-each-ref", refs)
	m.environment = append(m.environment, "MAKECHAIN_NODE="+address)
	for _, args := range [][]string{
		{"", "git", "clone", remote, "new"},
		{"copy", "git", "fetch", remote, "+refs/*:refs/*"},
		{"copy", "git", "push", remote, "HEAD:refs/heads/new"},
	} {
		printed, succeeded := m.run(t, args[0], args[1:]...)
		if succeeded || !strings.Contains(printed, reason) || !strings.Contains(printed, "node "+address) && !strings.Contains(printed, "node at "+address) {
			t.Errorf("%s printed %q, want %q and %s", strings.Join(args[1:], " "), printed, reason, address)
		}
		if strings.ContainsRune(printed, '\x1b') {
			t.Errorf("%s printed control characters: %q", strings.Join(args[1:], " "), printed)
		}
	}
	if _, err := os.Stat(filepath.Join(m.dir, "new")); err == nil {
		t.Error("the clone was not removed")
	}
	if after := m.must(t, "copy", "git", "for-each-ref", refs); after != before {
		t.Errorf("the refs changed from\n%s\nto\n%s", before, after)
	}
}
