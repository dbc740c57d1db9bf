package evm

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"makechain/tools/evm/jsonrpc"
)

// A provider serves the JSON-RPC methods of a simulated chain over HTTP, with faults.
type provider struct {
	url string

	mu     sync.Mutex // guards the fields below
	chain  *chain
	faults map[string]fault // by method
	status int              // of all responses, 0 for 200
}

// A fault replaces a result.
type fault func(params []json.RawMessage, result json.RawMessage) any

func newProvider(t *testing.T, c *chain) *provider {
	t.Helper()
	p := &provider{chain: c, faults: map[string]fault{}}
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	p.url = server.URL
	return p
}

// set changes the faults: a method, and what replaces its results, nil for none.
func (p *provider) set(method string, f fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.faults, method)
	if f != nil {
		p.faults[method] = f
	}
}

// use makes the provider serve another chain.
func (p *provider) use(c *chain) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.chain = c
}

// fail makes all requests fail with a status, 0 for none.
func (p *provider) fail(status int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.status = status
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.status != 0 {
		w.WriteHeader(p.status)
		return
	}
	jsonrpc.Serve(w, r, func(request jsonrpc.Request) jsonrpc.Response {
		response := jsonrpc.Forward(r.Context(), p.chain.rpc, request)
		if result, ok := response.Result.(json.RawMessage); ok && p.faults[request.Method] != nil {
			response.Result = p.faults[request.Method](request.Params, result)
		}
		return response
	})
}
