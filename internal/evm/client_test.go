package evm_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"makechain/internal/evm"
	"makechain/internal/ident"
)

// fake returns a client of a provider that responds to every request in the same way.
func fake(t *testing.T, respond http.HandlerFunc) *evm.Client {
	t.Helper()
	server := httptest.NewServer(respond)
	t.Cleanup(server.Close)
	client, err := evm.Dial(server.URL+"/v3/secret?key=secret", 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

func text(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) }
}

// endless sends a body that does not end.
func endless(w http.ResponseWriter, _ *http.Request) {
	for chunk := strings.Repeat("[", 1<<16); ; {
		if _, err := io.WriteString(w, chunk); err != nil {
			return
		}
	}
}

// TestResponses checks the errors for responses of a provider that is overloaded, wrong or malicious, and that none contains
// the access key of the provider.
func TestResponses(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		respond http.HandlerFunc
		want    error // nil for any
	}{
		"rate limit":      {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) }, evm.ErrRateLimited},
		"rate limit code": {text(`{"id":1,"error":{"code":-32005,"message":"limit"}}`), evm.ErrRateLimited},
		"error":           {text(`{"id":1,"error":{"code":-32000,"message":"` + strings.Repeat("x", 10_000) + `"}}`), nil},
		"status":          {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }, nil},
		"redirect":        {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/", http.StatusTemporaryRedirect) }, nil},
		"endless":         {endless, evm.ErrResponseTooLarge},
		"disconnect":      {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, nil},
		"empty":           {text(``), evm.ErrMalformed},
		"no JSON":         {text(`<html>`), evm.ErrMalformed},
		"no result":       {text(`{"id":1}`), evm.ErrNotFound},
		"null":            {text(`{"id":1,"result":null}`), evm.ErrNotFound},
		"other id":        {text(`{"id":2,"result":"0x1"}`), evm.ErrMalformed},
		"no id":           {text(`{"result":"0x1"}`), evm.ErrMalformed},
		"more":            {text(`[{"id":1,"result":"0x1"},{"id":1,"result":"0x1"}]`), evm.ErrMalformed},
		"none":            {text(`[]`), evm.ErrMalformed},
		"too long":        {text(`{"id":1,"result":"0x10000000000000000"}`), evm.ErrMalformed},
		"sign":            {text(`{"id":1,"result":"0x-1"}`), evm.ErrMalformed},
		"number":          {text(`{"id":1,"result":1}`), evm.ErrMalformed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := fake(t, test.respond).ChainID(t.Context())
			if err == nil || test.want != nil && !errors.Is(err, test.want) {
				t.Fatalf("error %v, want %v", err, test.want)
			}
			if strings.Contains(err.Error(), "secret") || len(err.Error()) > 500 {
				t.Errorf("the error contains the access key, or is long: %v", err)
			}
		})
	}
}

// TestChainID checks a response that is valid.
func TestChainID(t *testing.T) {
	t.Parallel()
	if id, err := fake(t, text(`{"jsonrpc":"2.0","id":1,"result":"0x7a69"}`)).ChainID(t.Context()); err != nil || id != 31337 {
		t.Errorf("chain id %d: %v", id, err)
	}
}

// TestDial checks which URLs are refused.
func TestDial(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"", "localhost:8545", "ws://localhost", "file:///etc/passwd", "http://", "http://\x00"} {
		if _, err := evm.Dial(url, 0); err == nil {
			t.Errorf("%q is accepted", url)
		}
	}
}

const (
	topic  = "0x" + "%TOPIC%"
	word1  = "0000000000000000000000000000000000000000000000000000000000000001"
	word9  = "0000000000000000000000000000000000000000000000000000000000000009"
	owner  = "0x0000000000000000000000000000000000000000000000000000000000000a11"
	block7 = "0x0700000000000000000000000000000000000000000000000000000000000000"
)

// valid is an event of block 7 as providers encode it.
func valid() map[string]string {
	return map[string]string{
		"address": `"0x0100000000000000000000000000000000000000"`, "topics": `["` + topic + `","` + owner + `","` + owner + `"]`,
		"data": `"0x` + word1 + word9 + `"`, "blockNumber": `"0x7"`, "blockHash": `"` + block7 + `"`,
		"transactionHash": `"` + block7 + `"`, "logIndex": `"0x2"`, "removed": "false",
	}
}

func encode(fields map[string]string, topicHash string) string {
	var parts []string
	for name, value := range fields {
		parts = append(parts, `"`+name+`":`+strings.ReplaceAll(value, "%TOPIC%", topicHash))
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// TestRents checks that events are refused which are not of the block and the contract that were asked for, or not valid.
func TestRents(t *testing.T) {
	t.Parallel()
	block := evm.Block{Number: 7, Hash: ident.Hash{7}, Timestamp: 9}
	// The topic is what the client asks for.
	var topicHash string
	record := fake(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, after, _ := strings.Cut(string(body), `"topics":["0x`)
		topicHash, _, _ = strings.Cut(after, `"`)
		_, _ = io.WriteString(w, `{"id":1,"result":[]}`)
	})
	if rents, err := record.Rents(t.Context(), ident.Address{1}, []evm.Block{block}); err != nil || len(rents) != 1 || len(rents[0]) != 0 {
		t.Fatalf("a block without events: %v, %v", rents, err)
	}
	read := func(t *testing.T, events ...string) ([][]evm.Rent, error) {
		t.Helper()
		return fake(t, text(`{"id":1,"result":[`+strings.Join(events, ",")+`]}`)).Rents(t.Context(), ident.Address{1}, []evm.Block{block})
	}
	one := encode(valid(), topicHash)
	if rents, err := read(t, one); err != nil || len(rents[0]) != 1 || rents[0][0].Units != 1 || rents[0][0].LogIndex != 2 {
		t.Fatalf("an event: %v, %v", rents, err)
	}
	if _, err := read(t, one, one); !errors.Is(err, evm.ErrMalformed) {
		t.Errorf("an event twice: %v", err)
	}
	many := make([]string, evm.MaxRents+1)
	for i := range many {
		many[i] = "{}"
	}
	if _, err := read(t, many...); !errors.Is(err, evm.ErrMalformed) || !strings.Contains(err.Error(), "more than") {
		t.Errorf("too many events: %v", err)
	}
	for name, values := range map[string][]string{
		"address":         {`"0x0200000000000000000000000000000000000000"`, `"0x01"`, `1`},
		"topics":          {`[]`, `["` + topic + `","` + owner + `"]`, `["` + block7 + `","` + owner + `","` + owner + `"]`, `["` + topic + `","` + block7 + `","` + owner + `"]`},
		"data":            {`"0x"`, `"0x` + word1 + `"`, `"0x` + word9 + word1 + `"`, `"0x` + strings.Repeat("0", 64) + word9 + `"`, `"0x1` + word1[1:] + word9 + `"`},
		"blockNumber":     {`"0x8"`, `null`},
		"blockHash":       {`"` + owner + `"`, `null`},
		"transactionHash": {`"0x"`, `null`},
		"logIndex":        {`"0x100000000"`, `null`},
		"removed":         {`true`},
	} {
		for _, value := range values {
			fields := valid()
			fields[name] = value
			if _, err := read(t, encode(fields, topicHash)); !errors.Is(err, evm.ErrMalformed) {
				t.Errorf("%s %s: %v", name, value, err)
			}
		}
	}
}
