// Package jsonrpc serves JSON-RPC 2.0 over HTTP, with batches. A function answers the calls, so that tests can change what a chain
// returns.
package jsonrpc

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/ethereum/go-ethereum/rpc"
)

const (
	// maxBody is the size of a request that is read.
	maxBody = 1 << 20
	// serverError is the code of all errors.
	serverError = -32000
)

// A Request is a call.
type Request struct {
	ID     json.RawMessage   `json:"id"`
	Method string            `json:"method"`
	Params []json.RawMessage `json:"params"`
}

// A Response is the answer to a call: a result or an error.
type Response struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   any             `json:"error,omitempty"`
}

// Serve reads a call or a batch from a request and writes what answer returns. The responses of a batch are in reverse order, which the
// protocol allows.
func Serve(w http.ResponseWriter, r *http.Request, answer func(Request) Response) {
	var raw json.RawMessage
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&raw); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	var many []Request
	if json.Unmarshal(raw, &many) == nil {
		responses := make([]Response, len(many))
		for i, one := range many {
			responses[len(many)-1-i] = answer(one)
		}
		_ = json.NewEncoder(w).Encode(responses) // the client is gone
		return
	}
	var one Request
	if err := json.Unmarshal(raw, &one); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	_ = json.NewEncoder(w).Encode(answer(one))
}

// Forward passes a call on to a node.
func Forward(ctx context.Context, node *rpc.Client, request Request) Response {
	response := Response{Version: "2.0", ID: request.ID}
	params := make([]any, len(request.Params))
	for i, param := range request.Params {
		params[i] = param
	}
	var result json.RawMessage
	if err := node.CallContext(ctx, &result, request.Method, params...); err != nil {
		response.Error = map[string]any{"code": serverError, "message": err.Error()}
		return response
	}
	response.Result = result
	return response
}
