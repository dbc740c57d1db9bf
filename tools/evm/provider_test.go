package evm

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
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

type rpcRequest struct {
	ID     json.RawMessage   `json:"id"`
	Method string            `json:"method"`
	Params []json.RawMessage `json:"params"`
}

type rpcResponse struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   any             `json:"error,omitempty"`
}

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
	var raw json.RawMessage
	if err := json.NewDecoder(r.Body).Decode(&raw); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	var many []rpcRequest
	if json.Unmarshal(raw, &many) == nil {
		responses := make([]rpcResponse, len(many))
		for i, one := range many {
			responses[len(many)-1-i] = p.call(r, one) // any order is allowed
		}
		_ = json.NewEncoder(w).Encode(responses)
		return
	}
	var one rpcRequest
	if err := json.Unmarshal(raw, &one); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	_ = json.NewEncoder(w).Encode(p.call(r, one))
}

// call passes a call on to the simulated chain.
func (p *provider) call(r *http.Request, request rpcRequest) rpcResponse {
	response := rpcResponse{Version: "2.0", ID: request.ID}
	params := make([]any, len(request.Params))
	for i, param := range request.Params {
		params[i] = param
	}
	var result json.RawMessage
	if err := p.chain.rpc.CallContext(r.Context(), &result, request.Method, params...); err != nil {
		response.Error = map[string]any{"code": -32000, "message": err.Error()}
		return response
	}
	response.Result = result
	if replace := p.faults[request.Method]; replace != nil {
		response.Result = replace(request.Params, result)
	}
	return response
}
