package settlement_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/jsonform"
	"makechain/internal/ledger"
	"makechain/internal/limit"
	"makechain/internal/settlement"
	"makechain/message"
)

// claims is a Claims in front of three attesters, with a clock of its own.
type claims struct {
	*settlement.Claims

	chain     ledger.Params
	now       atomic.Int64
	client    netip.Addr
	submitted []*message.Envelope
	refusal   *message.Refusal
	submitErr error
}

func newClaims(t *testing.T) *claims {
	t.Helper()
	collection := newCollection(t)
	c := &claims{
		chain:  ledger.Params{Network: collection.domain.Network, ChainID: collection.domain.ChainID, Settlement: collection.chain},
		client: netip.MustParseAddr("198.51.100.1"),
	}
	c.now.Store(1_800_000_100)
	c.Claims = &settlement.Claims{
		Chain:  func() (*ledger.Params, error) { return &c.chain, nil },
		Client: func(context.Context) netip.Addr { return c.client },
		Submit: func(_ context.Context, m *message.Envelope) (*message.Refusal, error) {
			c.submitted = append(c.submitted, m)
			return c.refusal, c.submitErr
		},
		WriteProblem: func(w http.ResponseWriter, code, detail string) { http.Error(w, code+": "+detail, http.StatusTeapot) },
		Now:          func() time.Time { return time.Unix(c.now.Load(), 0) }, Log: slog.New(slog.DiscardHandler),
	}
	return c
}

// post returns the response to a request with a body.
func (c *claims) post(t *testing.T, body string) *httptest.ResponseRecorder {
	t.Helper()
	recorder := httptest.NewRecorder()
	c.ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodPost, settlement.ClaimsPath, strings.NewReader(body)))
	return recorder
}

// mustFail checks that a request fails with a problem.
func (c *claims) mustFail(t *testing.T, body, code, detail string) {
	t.Helper()
	got := c.post(t, body)
	if got.Code != http.StatusTeapot || !strings.HasPrefix(got.Body.String(), code+": ") || !strings.Contains(got.Body.String(), detail) {
		t.Errorf("%.80s: %d %s, want %s with %q", body, got.Code, got.Body, code, detail)
	}
}

// of returns the request for a transaction.
func of(tx ident.Hash, rest string) string { return fmt.Sprintf(`{"transaction": "0x%s"%s}`, tx, rest) }

// TestClaims checks that a payment is collected, submitted if the request says so, and that refusals and errors are reported.
//
// Rules: P8.2, P3.3.
func TestClaims(t *testing.T) {
	t.Parallel()
	c := newClaims(t)
	var got struct {
		OwnerAddress string          `json:"owner_address"`
		Units        uint32          `json:"units"`
		Claim        json.RawMessage `json:"claim"`
		Hash         string          `json:"hash"`
		Accepted     bool            `json:"accepted"`
		Code         string          `json:"code"`
	}
	read := func(body string) {
		t.Helper()
		response := c.post(t, body)
		if err := json.Unmarshal(response.Body.Bytes(), &got); err != nil || response.Code != http.StatusOK {
			t.Fatalf("%d %s: %v", response.Code, response.Body, err)
		}
	}
	read(of(ident.Hash{9}, `, "log_index": 4`))
	var claim pb.StorageClaimBody
	if err := jsonform.Unmarshal(got.Claim, &claim); err != nil || len(claim.GetAttestations()) != 2 || claim.GetUnits() != 3 {
		t.Errorf("claim %s: %v", got.Claim, err)
	}
	if got.OwnerAddress != (ident.Address{1}).String() || got.Units != 3 || got.Hash != "" || len(c.submitted) != 0 {
		t.Errorf("%+v, %d submitted", got, len(c.submitted))
	}
	read(of(ident.Hash{9}, `, "submit": true`))
	if len(c.submitted) != 1 || !got.Accepted || got.Hash != c.submitted[0].Hash.String() || c.submitted[0].Owner != (ident.Address{1}) {
		t.Errorf("%+v, submitted %v", got, c.submitted)
	}
	c.refusal = message.Refuse(message.StateTransition, message.CodeClaimUsed, "used")
	read(of(ident.Hash{9}, `, "submit": true`))
	if got.Accepted || got.Code != string(message.CodeClaimUsed) {
		t.Errorf("%+v", got)
	}
	c.refusal = message.Refuse(message.StateTransition, message.CodeMempoolFull, "full")
	c.mustFail(t, of(ident.Hash{9}, `, "submit": true`), "unavailable", "full")
	c.submitErr = errors.New("stopping")
	c.mustFail(t, of(ident.Hash{9}, `, "submit": true`), "unavailable", "stopping")
	c.mustFail(t, of(ident.Hash{8}, ""), "failed_precondition", "0 of 2 required attestations")
	for body, detail := range map[string]string{
		"": "the body is not", "[]": "the body is not", `{"transaction": "0x12"}`: "transaction: ", `{}`: "transaction: ",
		of(ident.Hash{9}, `, "log_index": -1`): "log_index", of(ident.Hash{9}, `, "url": "http://127.0.0.1"`): "url",
		of(ident.Hash{9}, "") + "{}": "data after",
	} {
		c.mustFail(t, body, "invalid_argument", detail)
	}
	c.mustFail(t, strings.Repeat(" ", 2_000), "body_too_large", "1024")
	c.chain.Settlement = ledger.Settlement{}
	c.mustFail(t, of(ident.Hash{9}, ""), "failed_precondition", "no attesters")
	recorder := httptest.NewRecorder()
	c.ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, settlement.ClaimsPath, http.NoBody))
	if recorder.Header().Get("Allow") != http.MethodPost {
		t.Errorf("GET: %s", recorder.Body)
	}
}

// TestClaimsLimits checks that one address has one collection at a time, that all together are limited, that results are kept for a
// short time, and that what is kept is bounded.
func TestClaimsLimits(t *testing.T) {
	t.Parallel()
	c := newClaims(t)
	var requests atomic.Int64
	release, arrived := make(chan struct{}), make(chan struct{}, 1_000)
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		arrived <- struct{}{}
		<-release
		w.WriteHeader(http.StatusNotFound)
	}))
	defer slow.Close()
	c.chain.Settlement.Attesters = []ledger.Attester{{Key: ident.PublicKey{1}, URL: slow.URL}, {Key: ident.PublicKey{2}, URL: slow.URL}}
	var running sync.WaitGroup
	for i := range byte(16) {
		address := netip.AddrFrom4([4]byte{198, 51, 100, i})
		client := &claims{Claims: c.Claims, chain: c.chain}
		c.Client = func(context.Context) netip.Addr { return address } // read before the attesters are asked
		running.Go(func() { client.mustFail(t, of(ident.Hash{i}, ""), "failed_precondition", "0 of 2") })
		<-arrived
		<-arrived
		if i == 0 {
			c.mustFail(t, of(ident.Hash{99}, ""), "resource_exhausted", "your address")
		}
	}
	c.Client = func(context.Context) netip.Addr { return netip.AddrFrom4([4]byte{203, 0, 113, 1}) }
	c.mustFail(t, of(ident.Hash{99}, ""), "resource_exhausted", "16 claims")
	close(release)
	running.Wait()
	before := requests.Load()
	c.mustFail(t, of(ident.Hash{3}, ""), "failed_precondition", "0 of 2")
	if requests.Load() != before {
		t.Error("a failure was not kept")
	}
	c.now.Add(4)
	c.mustFail(t, of(ident.Hash{3}, ""), "failed_precondition", "0 of 2")
	if requests.Load() == before {
		t.Error("a failure was kept too long")
	}
	c.chain.Settlement.Contract = ident.Address{8}
	before = requests.Load()
	c.mustFail(t, of(ident.Hash{3}, ""), "failed_precondition", "0 of 2")
	if requests.Load() == before {
		t.Error("a result was kept although the contract has changed")
	}
	for i := range 300 {
		c.mustFail(t, of(ident.Hash{1, byte(i), byte(i >> 8)}, ""), "failed_precondition", "0 of 2")
	}
	if kept := c.Kept(); kept > 256 {
		t.Errorf("%d results are kept", kept)
	}
}

// meter adds up what is charged to a client.
type meter struct{ charged atomic.Int64 }

func (m *meter) Charge(cost time.Duration)  { m.charged.Add(int64(cost)) }
func (*meter) Check() error                 { return nil }
func (*meter) Wait(_ context.Context) error { return nil }

// TestClaimsCost checks that a collection is charged to its client, and a result that is kept is not.
func TestClaimsCost(t *testing.T) {
	t.Parallel()
	c := newClaims(t)
	for i, want := range []bool{true, false} {
		m := new(meter)
		request := httptest.NewRequestWithContext(limit.WithMeter(t.Context(), m), http.MethodPost, settlement.ClaimsPath, strings.NewReader(of(ident.Hash{9}, "")))
		c.ServeHTTP(httptest.NewRecorder(), request)
		if charged := time.Duration(m.charged.Load()); (charged >= 100*time.Millisecond) != want {
			t.Errorf("request %d: %v is charged", i, charged)
		}
	}
}

// TestClaimsChange checks that a claim of a removed attester is not returned from what is kept.
//
// Rules: P8.2.
func TestClaimsChange(t *testing.T) {
	t.Parallel()
	c := newClaims(t)
	if got := c.post(t, of(ident.Hash{9}, "")); got.Code != http.StatusOK {
		t.Fatalf("%d %s", got.Code, got.Body)
	}
	c.chain.Settlement.Attesters = c.chain.Settlement.Attesters[:1]
	c.mustFail(t, of(ident.Hash{9}, ""), "failed_precondition", "1 of 2")
}
