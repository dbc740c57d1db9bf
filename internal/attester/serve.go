package attester

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"makechain/internal/evm"
	"makechain/internal/ident"
	"makechain/internal/limit"
	"makechain/internal/rest"
	"makechain/internal/server"
)

// Limits of the service.
const (
	// PageSize is the number of attestations of a page.
	PageSize = 100
	// maxStreams and maxClientStreams are the numbers of open streams, of all clients and of one address.
	maxStreams, maxClientStreams = 256, 8
	// maxLookups is how many requests may ask a provider for a transaction at the same time, and lookupInterval the time between two:
	// clients must not be able to use up the quota of the provider.
	maxLookups     = 4
	lookupInterval = 200 * time.Millisecond
	// heartbeat is the time between comments in a stream without events.
	heartbeat = 15 * time.Second
)

// Codes of problems, in addition to those of the gateway.
const (
	codeNotFound     = "not_found"
	codeNotFinalized = "not_finalized"
	codeAmbiguous    = "ambiguous"
	codeHalted       = "unavailable"
	codeInvalid      = "invalid_argument"
)

// A service serves the HTTP routes of an attester.
type service struct {
	*Attester

	mu      sync.Mutex // guards the fields below
	streams limit.Shares
	lookups int       // that are running
	looked  time.Time // when the last one started
}

// Mounts returns the routes of the attester. Metrics are those of the gatherer.
func (a *Attester) Mounts(gatherer prometheus.Gatherer, limitLoopback bool) []server.Mount {
	s := &service{
		Attester: a,
		streams:  limit.Shares{Total: maxStreams, PerClient: maxClientStreams, LimitLoopback: limitLoopback},
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /attestations", s.list)
	mux.HandleFunc("GET /attestations/{tx}", s.get)
	mux.HandleFunc("GET /attestations/{tx}/{log}", s.get)
	mux.HandleFunc("GET /stream", s.stream)
	mux.HandleFunc("GET /status", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, http.StatusOK, a.Status()) })
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok\n") })
	mux.HandleFunc("GET /readyz", s.ready)
	mux.Handle("GET /metrics", promhttp.HandlerFor(gatherer, promhttp.HandlerOpts{}))
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		problem(w, http.StatusNotFound, codeNotFound, "no route has this path")
	})
	return []server.Mount{
		server.FromHandler("/", mux), server.FromHandler("/healthz", mux).Probe(), server.FromHandler("/readyz", mux).Probe(),
		server.FromHandler("/metrics", mux).Probe().Private(),
	}
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	encoded, err := json.Marshal(value)
	if err != nil {
		problem(w, http.StatusInternalServerError, "internal", "the response cannot be encoded")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(append(encoded, '\n')) // the client may have disconnected
}

// problem responds with a problem document (RFC 9457) as the gateway's.
func problem(w http.ResponseWriter, status int, code, detail string) {
	title := strings.ReplaceAll(code, "_", " ")
	encoded, err := json.Marshal(rest.Problem{
		Type: "about:blank", Title: strings.ToUpper(title[:1]) + title[1:], Status: status, Detail: detail, Code: code, Errors: []rest.FieldError{},
	})
	if err != nil {
		encoded = []byte("{}")
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Cache-Control", "no-store")
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "5")
	}
	w.WriteHeader(status)
	_, _ = w.Write(encoded) // the client may have disconnected
}

// ready reports whether new payments are signed.
func (s *service) ready(w http.ResponseWriter, _ *http.Request) {
	if halted := s.Halted(); halted != nil {
		problem(w, http.StatusServiceUnavailable, codeHalted, halted.Error())
		return
	}
	_, _ = io.WriteString(w, "ready\n")
}

// current returns the store and the settlement in force, or nil before they are known.
func (s *service) current() (*Store, *Settlement) {
	s.Attester.mu.Lock()
	defer s.Attester.mu.Unlock()
	settlement := s.settlement
	return s.store, &settlement
}

// get responds with the attestation of one payment.
func (s *service) get(w http.ResponseWriter, r *http.Request) {
	tx, err := ident.ParseHash(strings.TrimPrefix(r.PathValue("tx"), "0x"))
	if err != nil {
		problem(w, http.StatusBadRequest, codeInvalid, "tx: "+err.Error())
		return
	}
	store, settlement := s.current()
	if store == nil {
		s.writeFailure(w, s.refuse(s.haltedOr(ReasonStarting)))
		return
	}
	payments, err := store.Of(tx)
	if err != nil {
		s.writeFailure(w, err)
		return
	}
	if text := r.PathValue("log"); text != "" {
		log, err := strconv.ParseUint(text, 10, 32)
		if err != nil {
			problem(w, http.StatusBadRequest, codeInvalid, fmt.Sprintf("log index: %.20q is not an integer of 32 bits", text))
			return
		}
		payments = slices.DeleteFunc(payments, func(p Payment) bool { return uint64(p.LogIndex) != log })
	}
	switch len(payments) {
	case 0:
		s.explain(w, r, tx)
	case 1:
		s.write(w, r, settlement, &payments[0])
	default:
		var indexes []string
		for _, payment := range slices.Backward(payments[:min(len(payments), PageSize)]) {
			indexes = append(indexes, strconv.FormatUint(uint64(payment.LogIndex), 10))
		}
		problem(w, http.StatusConflict, codeAmbiguous, fmt.Sprintf("the transaction has %d payments: add the log index to the path, one of %s",
			len(payments), strings.Join(indexes, ", ")))
	}
}

// write responds with the attestation of a payment.
func (s *service) write(w http.ResponseWriter, r *http.Request, settlement *Settlement, payment *Payment) {
	if s.isSuspended(payment) {
		s.writeFailure(w, s.refuse(&HaltError{ReasonFinality, "", "the payment is no longer on the settlement chain"}))
		return
	}
	attestation, err := s.attest(r.Context(), settlement, payment)
	if err != nil {
		s.writeFailure(w, err)
		return
	}
	writeJSON(w, http.StatusOK, attestation)
}

// isSuspended reports whether the last rescan did not find a payment, or the finality of the chain is in doubt.
func (a *Attester) isSuspended(payment *Payment) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.suspended[event{payment.TxHash, payment.LogIndex}] || a.halted != nil && a.halted.Reason == ReasonFinality
}

// haltedOr returns why nothing is signed, or a reason.
func (a *Attester) haltedOr(reason Reason) *HaltError {
	if halted := a.Halted(); halted != nil {
		return halted
	}
	return &HaltError{reason, "", "try again"}
}

// writeFailure responds to a request that failed.
func (s *service) writeFailure(w http.ResponseWriter, err error) {
	if halted, ok := errors.AsType[*HaltError](err); ok {
		problem(w, http.StatusServiceUnavailable, codeHalted, halted.Error())
		return
	}
	s.config.Log.Error("request failed", "error", err)
	problem(w, http.StatusInternalServerError, "internal", "the store of payments cannot be read")
}

// explain responds to a request for a payment that is not stored: not finalized, or unknown.
func (s *service) explain(w http.ResponseWriter, r *http.Request, tx ident.Hash) {
	status := s.Status()
	receipt, err := s.lookup(r, tx)
	switch {
	case err == nil && !receipt.Succeeded:
		problem(w, http.StatusNotFound, codeNotFound, "the transaction failed on the settlement chain: nothing was paid")
	case err == nil && receipt.BlockNumber > status.Block:
		missing := receipt.BlockNumber - status.Block
		detail := fmt.Sprintf("the transaction is in block %d, and this attester has read finalized blocks up to %d: %d blocks are missing",
			receipt.BlockNumber, status.Block, missing)
		if status.Reason != "" {
			detail += "; " + status.Detail
		}
		problem(w, http.StatusNotFound, codeNotFinalized, detail)
	case err == nil:
		problem(w, http.StatusNotFound, codeNotFound, "the transaction has no such payment to the contract "+status.Contract)
	case errors.Is(err, evm.ErrNotFound):
		problem(w, http.StatusNotFound, codeNotFound, "the transaction is in no block of the settlement chain: ask again when it is")
	default:
		problem(w, http.StatusNotFound, codeNotFound,
			fmt.Sprintf("no payment is known up to finalized block %d; where the transaction is could not be found out now", status.Block))
	}
}

var errBusy = errors.New("too many transactions are looked up")

// lookup asks the first provider for a transaction. The result is information only.
func (s *service) lookup(r *http.Request, tx ident.Hash) (evm.Receipt, error) {
	s.mu.Lock()
	now := s.config.Now()
	if s.lookups == maxLookups || now.Sub(s.looked) < lookupInterval {
		s.mu.Unlock()
		return evm.Receipt{}, errBusy
	}
	s.lookups++
	s.looked = now
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.lookups--
		s.mu.Unlock()
	}()
	return s.config.Providers[0].Receipt(r.Context(), tx)
}
