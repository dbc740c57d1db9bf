// Package evm calls a JSON-RPC provider of an EVM chain over HTTP: blocks, the events of the contract StorageRent, and
// transactions that rent storage.
//
// A provider is not trusted with memory or time: responses, batches and the number of events of a block are bounded, every call has
// a timeout, and redirects are refused. URLs of providers often contain an access key, so neither errors nor Client.Name contain
// more than the host.
package evm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"
)

const (
	// MaxResponseBytes is the maximum size of a response of a provider.
	MaxResponseBytes = 16 << 20
	// MaxBatch is the maximum number of calls in one request.
	MaxBatch = 10
	// DefaultTimeout is how long a request may take, with its response.
	DefaultTimeout = 30 * time.Second

	// maxErrorText is how much of the text of a provider's error is kept, in bytes.
	maxErrorText = 200
	// maxIdleConnections is the number of connections to a provider that are kept open.
	maxIdleConnections = 4
)

// Errors of providers that callers distinguish. They are wrapped with the host of the provider.
var (
	// ErrRateLimited is returned when the provider refuses a request because there were too many.
	ErrRateLimited = errors.New("the provider limits the rate of requests")
	// ErrResponseTooLarge is returned when a response has more than MaxResponseBytes.
	ErrResponseTooLarge = fmt.Errorf("the response has more than %d bytes", MaxResponseBytes)
	// ErrNotFound is returned for a block, transaction or receipt that the provider does not have.
	ErrNotFound = errors.New("the provider does not have it")
	// ErrMalformed is returned for a response that is not what was asked for.
	ErrMalformed = errors.New("the provider's response is not valid")
)

// An RPCError is an error that a provider returned for a call.
type RPCError struct {
	Code    int
	Message string // at most maxErrorText bytes
}

// Error returns the code and the message.
func (e *RPCError) Error() string { return fmt.Sprintf("error %d: %s", e.Code, e.Message) }

// codeLimitExceeded is the error code of EIP-1474 for a rate limit.
const codeLimitExceeded = -32005

// A Client calls one provider. It is safe for concurrent use.
type Client struct {
	url  string
	name string
	http *http.Client
}

// Dial returns a client of the provider at an http or https URL. It does not connect. A zero timeout means DefaultTimeout.
func Dial(address string, timeout time.Duration) (*Client, error) {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Scheme != "http" && parsed.Scheme != "https" || parsed.Host == "" {
		return nil, errors.New("the URL of an RPC provider must start with http:// or https:// and have a host")
	}
	if timeout == 0 {
		timeout = DefaultTimeout
	}
	transport := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // its type is documented
	transport.MaxIdleConnsPerHost = maxIdleConnections
	transport.MaxConnsPerHost = maxIdleConnections
	return &Client{url: address, name: parsed.Host, http: &http.Client{
		Transport: transport,
		Timeout:   timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return errors.New("the provider redirects, which is not followed")
		},
	}}, nil
}

// Name returns the host of the provider.
func (c *Client) Name() string { return c.name }

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// A call is one call of a batch. Its result is decoded into result.
type call struct {
	method string
	params []any
	result any
}

type requestDocument struct {
	Version string `json:"jsonrpc"`
	ID      int    `json:"id"`
	Method  string `json:"method"`
	Params  []any  `json:"params"`
}

type responseDocument struct {
	ID     *int            `json:"id"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// call makes one call. It returns ErrNotFound for the result null.
func (c *Client) call(ctx context.Context, result any, method string, params ...any) error {
	return c.batch(ctx, call{method, params, result})
}

// batch makes up to MaxBatch calls in one request. A single call is sent alone, since not all providers accept batches.
func (c *Client) batch(ctx context.Context, calls ...call) error {
	requests := make([]requestDocument, len(calls))
	for i, one := range calls {
		requests[i] = requestDocument{Version: "2.0", ID: i + 1, Method: one.method, Params: one.params}
		if one.params == nil {
			requests[i].Params = []any{}
		}
	}
	var encoded any = requests
	if len(calls) == 1 {
		encoded = requests[0]
	}
	body, err := c.post(ctx, encoded)
	if err != nil {
		return fmt.Errorf("%s: %w", c.name, err)
	}
	if err := decodeBatch(body, calls); err != nil {
		return fmt.Errorf("%s: %w", c.name, err)
	}
	return nil
}

// post sends a request and returns the body of the response.
func (c *Client) post(ctx context.Context, request any) ([]byte, error) {
	encoded, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	message, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(encoded))
	if err != nil {
		return nil, withoutURL(err)
	}
	message.Header.Set("Content-Type", "application/json")
	message.Header.Set("Accept", "application/json")
	response, err := c.http.Do(message)
	if err != nil {
		return nil, withoutURL(err)
	}
	defer response.Body.Close() //nolint:errcheck // it is only read
	body, err := io.ReadAll(io.LimitReader(response.Body, MaxResponseBytes+1))
	switch {
	case response.StatusCode == http.StatusTooManyRequests:
		return nil, ErrRateLimited
	case err != nil:
		return nil, withoutURL(err)
	case len(body) > MaxResponseBytes:
		return nil, ErrResponseTooLarge
	case response.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("status %d: %.*q", response.StatusCode, maxErrorText, body)
	}
	return body, nil
}

// withoutURL removes the URL from an error of net/http: its path or query may be an access key.
func withoutURL(err error) error {
	if withURL, ok := errors.AsType[*url.Error](err); ok {
		return withURL.Err
	}
	return err
}

// decodeBatch decodes the responses to all calls. The responses to a batch may have any order.
func decodeBatch(body []byte, calls []call) error {
	var responses []responseDocument
	if trimmed := bytes.TrimLeft(body, " \t\r\n"); len(trimmed) > 0 && trimmed[0] == '[' {
		decoder := json.NewDecoder(bytes.NewReader(body))
		_, _ = decoder.Token() // [
		for decoder.More() {
			if len(responses) == len(calls) {
				return fmt.Errorf("%w: more responses than calls", ErrMalformed)
			}
			var one responseDocument
			if err := decoder.Decode(&one); err != nil {
				return fmt.Errorf("%w: %w", ErrMalformed, err)
			}
			responses = append(responses, one)
		}
	} else {
		responses = make([]responseDocument, 1)
		if err := json.Unmarshal(body, &responses[0]); err != nil {
			return fmt.Errorf("%w: %w", ErrMalformed, err)
		}
	}
	isAnswered := make([]bool, len(calls))
	for _, one := range responses {
		if err := one.failure(); err != nil { // also of a batch as a whole, which has no id
			return err
		}
		if one.ID == nil || *one.ID < 1 || *one.ID > len(calls) || isAnswered[*one.ID-1] {
			return fmt.Errorf("%w: a response has another id than the calls", ErrMalformed)
		}
		answered := calls[*one.ID-1]
		isAnswered[*one.ID-1] = true
		if len(one.Result) == 0 || string(one.Result) == "null" {
			return fmt.Errorf("%s: %w", answered.method, ErrNotFound)
		}
		if err := json.Unmarshal(one.Result, answered.result); err != nil {
			return fmt.Errorf("%s: %w: %w", answered.method, ErrMalformed, err)
		}
	}
	if len(responses) < len(calls) {
		return fmt.Errorf("%w: %d calls, %d responses", ErrMalformed, len(calls), len(responses))
	}
	return nil
}

func (r *responseDocument) failure() error {
	if r.Error == nil {
		return nil
	}
	if r.Error.Code == codeLimitExceeded || r.Error.Code == http.StatusTooManyRequests {
		return ErrRateLimited
	}
	return &RPCError{Code: r.Error.Code, Message: r.Error.Message[:min(len(r.Error.Message), maxErrorText)]}
}
