package rest_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"

	pb "makechain/gen/makechain"
	"makechain/gen/makechain/makechainpbconnect"
)

// TestEveryMethodHasARoute checks that the OpenAPI document has a route for every method of the service.
//
// Rules: REST.
func TestEveryMethodHasARoute(t *testing.T) {
	t.Parallel()
	g := newLocalGateway(t, makechainpbconnect.UnimplementedMakechainServiceHandler{})
	var routed []string
	for _, methods := range g.document.Paths {
		for _, op := range methods {
			routed = append(routed, op.RPCs...)
		}
	}
	methods := pb.File_makechain_service_proto.Services().ByName("MakechainService").Methods()
	for i := range methods.Len() {
		if name := string(methods.Get(i).Name()); !slices.Contains(routed, name) {
			t.Errorf("%s has no route", name)
		}
	}
	for _, name := range routed {
		if methods.ByName(protoreflect.Name(name)) == nil {
			t.Errorf("a route calls %s, which the service does not have", name)
		}
	}
}

// TestRoutes checks that the routes are those of the specification.
//
// Rules: REST.
func TestRoutes(t *testing.T) {
	t.Parallel()
	g := newLocalGateway(t, makechainpbconnect.UnimplementedMakechainServiceHandler{})
	var got []string
	for path, methods := range g.document.Paths {
		for method := range methods {
			got = append(got, strings.ToUpper(method)+" "+path)
		}
	}
	slices.Sort(got)
	want := []string{
		"GET /v1/accounts",
		"GET /v1/accounts/by-key/{key}",
		"GET /v1/accounts/search",
		"GET /v1/accounts/{ownerAddress}",
		"GET /v1/accounts/{ownerAddress}/activity",
		"GET /v1/accounts/{ownerAddress}/custody-keys",
		"GET /v1/accounts/{ownerAddress}/custody-keys/{key_id}",
		"GET /v1/accounts/{ownerAddress}/followers",
		"GET /v1/accounts/{ownerAddress}/keys",
		"GET /v1/accounts/{ownerAddress}/keys/{key}",
		"GET /v1/accounts/{ownerAddress}/links",
		"GET /v1/accounts/{ownerAddress}/merge-requests",
		"GET /v1/accounts/{ownerAddress}/reactions",
		"GET /v1/accounts/{ownerAddress}/storage-quota-proof",
		"GET /v1/accounts/{ownerAddress}/verifications",
		"GET /v1/blocks",
		"GET /v1/blocks/{number}",
		"GET /v1/blocks/{number}/finalized-root",
		"GET /v1/chain/snapshot",
		"GET /v1/chain/stats",
		"GET /v1/links",
		"GET /v1/mempool",
		"GET /v1/messages",
		"GET /v1/messages/{hash}",
		"GET /v1/messages/{hash}/inclusion-proof",
		"GET /v1/messages/{hash}/status",
		"GET /v1/node/health",
		"GET /v1/node/status",
		"GET /v1/projects",
		"GET /v1/projects/by-name/{ownerAddress}/{name}",
		"GET /v1/projects/search",
		"GET /v1/projects/{projectId}",
		"GET /v1/projects/{projectId}/activity",
		"GET /v1/projects/{projectId}/collaborators",
		"GET /v1/projects/{projectId}/commits",
		"GET /v1/projects/{projectId}/commits/{hash}",
		"GET /v1/projects/{projectId}/commits/{hash}/ancestors",
		"GET /v1/projects/{projectId}/commits/{hash}/reactions",
		"GET /v1/projects/{projectId}/content",
		"GET /v1/projects/{projectId}/forks",
		"GET /v1/projects/{projectId}/merge-requests",
		"GET /v1/projects/{projectId}/merge-requests/{requestId}",
		"GET /v1/projects/{projectId}/proof",
		"GET /v1/projects/{projectId}/refs",
		"GET /v1/projects/{projectId}/refs/by-name",
		"GET /v1/projects/{projectId}/refs/{refNameHex}",
		"GET /v1/projects/{projectId}/refs/{refNameHex}/log",
		"GET /v1/projects/{projectId}/stars",
		"GET /v1/proofs/compound/{keyHex}",
		"GET /v1/proofs/exclusion/{keyHex}",
		"GET /v1/proofs/operation/{keyHex}",
		"GET /v1/proofs/range/{prefixHex}",
		"GET /v1/stream/blocks",
		"GET /v1/stream/messages",
		"POST /v1/messages",
		"POST /v1/messages/batch",
		"POST /v1/messages/dry-run",
		"POST /v1/proofs/verify/exclusion",
		"POST /v1/proofs/verify/operation",
		"POST /v1/proofs/verify/storage-quota",
	}
	if !slices.Equal(got, want) {
		t.Errorf("routes:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestUnknownPaths checks the responses for paths without a route.
//
// Rules: REST.
func TestUnknownPaths(t *testing.T) {
	t.Parallel()
	g := newLocalGateway(t, makechainpbconnect.UnimplementedMakechainServiceHandler{})
	for _, url := range []string{"/", "/v1", "/v1/", "/v2/node/status", "/v1/node/status/", "/v1//node/status", "/v1/accounts/by-key/"} {
		g.get(t, url).wantProblem(t, http.StatusNotFound, "not_found")
	}
	for url, allow := range map[string]string{"/v1/node/status": "GET, HEAD", "/v1/messages": "GET, POST, HEAD", "/v1/proofs/verify/operation": "POST"} {
		refused := g.do(t, http.MethodDelete, url, nil, nil)
		refused.wantProblem(t, http.StatusMethodNotAllowed, "method_not_allowed")
		if got := refused.Header().Get("Allow"); got != allow {
			t.Errorf("%s allows %q, want %q", url, got, allow)
		}
	}
}
