package settlement

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"makechain/internal/ident"
	"makechain/internal/jsonform"
	"makechain/internal/ledger"
	"makechain/internal/limit"
	"makechain/message"
)

// ClaimsPath is the path of Claims.
const ClaimsPath = "/v1/storage/claims"

// Limits of Claims. Every collection is a request to all attesters, which limit the requests of this node's address: they protect the
// clients of a node from one another.
const (
	// maxClaimRequest is the maximum size of a request in bytes.
	maxClaimRequest = 1 << 10
	// maxCollections and maxClientCollections are how many collections may run at a time, and of one client.
	maxCollections, maxClientCollections = 16, 1
	// collectionCost is the cost of a collection, as processor time. It limits an address to a few per second.
	collectionCost = 100 * time.Millisecond
	// claimLifetime and failureLifetime are how long results are kept for further requests.
	claimLifetime, failureLifetime = 10 * time.Second, 3 * time.Second
	// maxKept is the number of results that are kept.
	maxKept = 256
)

// Codes of problems, as in docs/errors.md.
const (
	codeInvalidArgument    = "invalid_argument"
	codeFailedPrecondition = "failed_precondition"
	codeResourceExhausted  = "resource_exhausted"
	codeUnavailable        = "unavailable"
	codeInternal           = "internal"
	codeMethodNotAllowed   = "method_not_allowed"
	codeBodyTooLarge       = "body_too_large"
)

// Claims collects the attestations of payments for clients, and submits claims: POST /v1/storage/claims.
type Claims struct {
	// Chain returns the parameters of the chain, with the settlement in force.
	Chain func() (*ledger.Params, error)
	// Submit submits a message to the mempool.
	Submit func(ctx context.Context, m *message.Envelope) (*message.Refusal, error)
	// Client returns the address of the client of a request.
	Client func(context.Context) netip.Addr
	// LimitLoopback limits clients on this machine like others.
	LimitLoopback bool
	// WriteProblem responds with the problem of a code.
	WriteProblem func(w http.ResponseWriter, code, detail string)
	Now          func() time.Time
	Log          *slog.Logger

	mu      sync.Mutex // guards what follows
	running *limit.Shares
	kept    map[collectionKey]collected
	keptFor ledger.Settlement // whose results are kept
}

// collectionKey identifies a payment.
type collectionKey struct {
	tx  ident.Hash
	log int64 // -1 for a payment without a log index
}

// collected is the result of a collection.
type collected struct {
	claimable *Claimable
	failed    *CollectError
	until     time.Time
}

// claimRequest is the body of a request.
type claimRequest struct {
	Transaction string  `json:"transaction"`
	LogIndex    *uint32 `json:"log_index"`
	Submit      bool    `json:"submit"`
}

// claimResponse is the body of a response. The last fields are those of a submitted message.
type claimResponse struct {
	OwnerAddress string          `json:"owner_address"`
	Units        uint32          `json:"units"`
	Claim        json.RawMessage `json:"claim"` // StorageClaimBody
	Hash         string          `json:"hash"`
	Accepted     bool            `json:"accepted"`
	Stage        string          `json:"stage"`
	Code         string          `json:"code"`
	Error        string          `json:"error"`
}

// problemError is an error that a client receives.
type problemError struct{ code, detail string }

func (p *problemError) Error() string { return p.code + ": " + p.detail }

func problem(code, format string, args ...any) error {
	return &problemError{code, fmt.Sprintf(format, args...)}
}

// ServeHTTP collects the attestations of the payment in the request, and submits the claim if it says so.
func (c *Claims) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	response, err := c.respond(r)
	var encoded []byte
	if err == nil {
		encoded, err = json.Marshal(response)
	}
	if err == nil {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(encoded) // the client may have disconnected
		return
	}
	var p *problemError
	if !errors.As(err, &p) {
		c.Log.LogAttrs(r.Context(), slog.LevelError, "a claim failed", slog.String("error", err.Error()))
		p = &problemError{codeInternal, "the node failed; its log has the error"}
	}
	if p.code == codeMethodNotAllowed {
		w.Header().Set("Allow", http.MethodPost)
	}
	c.WriteProblem(w, p.code, p.detail)
}

func (c *Claims) respond(r *http.Request) (*claimResponse, error) {
	if r.Method != http.MethodPost {
		return nil, problem(codeMethodNotAllowed, "%s is not supported here", r.Method)
	}
	payment, submit, err := readClaimRequest(r)
	if err != nil {
		return nil, err
	}
	chain, err := c.Chain()
	if err != nil {
		return nil, err
	}
	if chain.Settlement.Threshold < 1 || len(chain.Settlement.Attesters) == 0 {
		return nil, problem(codeFailedPrecondition, "this chain has no attesters, so no storage can be claimed")
	}
	claimable, err := c.collect(r.Context(), chain, payment)
	if err != nil {
		return nil, err
	}
	body, err := jsonform.Marshal(claimable.Claim)
	if err != nil {
		return nil, err
	}
	response := &claimResponse{OwnerAddress: claimable.Owner.String(), Units: claimable.Claim.GetUnits(), Claim: body}
	if submit {
		err = c.submit(r.Context(), chain, claimable, response)
	}
	return response, err
}

// readClaimRequest reads the body of a request.
func readClaimRequest(r *http.Request) (payment Payment, submit bool, err error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxClaimRequest+1))
	if err != nil {
		return payment, false, problem(codeInvalidArgument, "the body cannot be read")
	}
	if len(body) > maxClaimRequest {
		return payment, false, problem(codeBodyTooLarge, "the body has more than %d bytes", maxClaimRequest)
	}
	var request claimRequest
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&request); err != nil {
		return payment, false, problem(codeInvalidArgument, `the body is not {"transaction": "0x...", "log_index": 7, "submit": true}: %v`, err)
	}
	if decoder.More() {
		return payment, false, problem(codeInvalidArgument, "the body has data after the JSON object")
	}
	tx, err := ident.ParseHash(strings.TrimPrefix(request.Transaction, "0x"))
	if err != nil {
		return payment, false, problem(codeInvalidArgument, "transaction: %v", err)
	}
	return Payment{Tx: tx, LogIndex: request.LogIndex}, request.Submit, nil
}

// collect returns the claim of a payment: a recent one, or one that it collects.
func (c *Claims) collect(ctx context.Context, chain *ledger.Params, payment Payment) (*Claimable, error) {
	key := collectionKey{tx: payment.Tx, log: -1}
	if payment.LogIndex != nil {
		key.log = int64(*payment.LogIndex)
	}
	client := c.Client(ctx)
	found, isKept, err := c.begin(key, client, &chain.Settlement)
	if err != nil {
		return nil, err
	}
	if !isKept {
		defer c.end(client)
		limit.Charge(ctx, collectionCost)
		claimable, err := Collect(ctx, chain.Settlement.Domain(chain), &chain.Settlement, payment)
		found = collected{claimable: claimable, until: c.Now().Add(claimLifetime)}
		switch {
		case errors.As(err, &found.failed):
			found.until = c.Now().Add(failureLifetime)
		case err != nil:
			return nil, err
		}
		if ctx.Err() == nil { // otherwise it failed because the client has disconnected
			c.keep(key, found, &chain.Settlement)
		}
	}
	if found.failed != nil {
		return nil, problem(codeFailedPrecondition, "%v\nAttesters sign a payment when its block is final. Try again later.", found.failed)
	}
	return found.claimable, nil
}

// begin returns the result that is kept, or starts a collection of a client, which the caller must end.
func (c *Claims) begin(key collectionKey, client netip.Addr, s *ledger.Settlement) (found collected, isKept bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if found, isKept = c.kept[key]; isKept && c.Now().Before(found.until) && c.keptFor.Equal(s) {
		return found, true, nil
	}
	if c.running == nil {
		c.running = &limit.Shares{Total: maxCollections, PerClient: maxClientCollections, LimitLoopback: c.LimitLoopback}
	}
	if ok, totalReached := c.running.Take(client); !ok {
		if totalReached {
			return found, false, problem(codeResourceExhausted, "%d claims are being collected, which is the limit; try again in a second", maxCollections)
		}
		return found, false, problem(codeResourceExhausted, "a claim of your address is being collected; wait for its response")
	}
	return collected{}, false, nil
}

func (c *Claims) end(client netip.Addr) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.running.Give(client)
}

// keep keeps a result under a settlement. All others are dropped if there are too many, or if they are of another settlement.
func (c *Claims) keep(key collectionKey, result collected, s *ledger.Settlement) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept == nil || len(c.kept) >= maxKept || !c.keptFor.Equal(s) {
		c.kept, c.keptFor = map[collectionKey]collected{}, *s
	}
	c.kept[key] = result
}

// submit submits a claim and adds the result to the response. Any key may sign its message (P3.3).
func (c *Claims) submit(ctx context.Context, chain *ledger.Params, claimable *Claimable, response *claimResponse) error {
	var seed message.Seed
	if _, err := rand.Read(seed[:]); err != nil {
		return err
	}
	author := message.NewAuthor(seed, chain.Network, claimable.Owner)
	envelope, err := author.Sign(uint32(c.Now().Unix()), message.StorageClaim(claimable.Claim))
	if err != nil {
		return err
	}
	refusal, err := c.Submit(ctx, envelope)
	if err != nil {
		return problem(codeUnavailable, "the claim was not submitted: %v", err)
	}
	response.Hash, response.Accepted = envelope.Hash.String(), refusal == nil
	if refusal == nil {
		return nil
	}
	if refusal.Code == message.CodeUnavailable || refusal.Code == message.CodeMempoolFull {
		return problem(codeUnavailable, "%s", refusal.Reason)
	}
	response.Stage, response.Code, response.Error = string(refusal.Stage), string(refusal.Code), refusal.Reason
	return nil
}
