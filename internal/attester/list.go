package attester

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"makechain/internal/server"
)

// A Page is a part of all attestations, the oldest first. Cursor is where the next page starts.
type Page struct {
	Attestations []*Attestation `json:"attestations"`
	Cursor       uint32         `json:"cursor"`
	More         bool           `json:"more"`

	cursors []uint32 // after each attestation
}

// page returns the attestations from a position on. Suspended payments are left out.
func (s *service) page(ctx context.Context, from uint32) (*Page, error) {
	store, settlement := s.current()
	if store == nil {
		return nil, s.haltedOr(ReasonStarting)
	}
	count := store.Count()
	page := &Page{Attestations: []*Attestation{}, Cursor: from}
	for ; page.Cursor < count && len(page.Attestations) < PageSize; page.Cursor++ {
		payment, err := store.Get(page.Cursor)
		if err != nil {
			return nil, err
		}
		if s.isSuspended(&payment) {
			continue
		}
		attestation, err := s.attest(ctx, settlement, &payment)
		if err != nil {
			return nil, err
		}
		page.Attestations = append(page.Attestations, attestation)
		page.cursors = append(page.cursors, page.Cursor+1)
	}
	page.More = page.Cursor < count
	return page, nil
}

// position parses a cursor of a client.
func position(text string) (uint32, error) {
	if text == "" {
		return 0, nil
	}
	cursor, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		return 0, fmt.Errorf("cursor: %.20q is not an integer of 32 bits", text)
	}
	return uint32(cursor), nil
}

// list responds with a page.
func (s *service) list(w http.ResponseWriter, r *http.Request) {
	from, err := position(r.URL.Query().Get("cursor"))
	if err != nil {
		problem(w, http.StatusBadRequest, codeInvalid, err.Error())
		return
	}
	page, err := s.page(r.Context(), from)
	if err != nil {
		s.writeFailure(w, err)
		return
	}
	writeJSON(w, http.StatusOK, page)
}

// stream responds with an event for each attestation, from a cursor or the event after Last-Event-ID on. The id of an event is the cursor
// after it.
func (s *service) stream(w http.ResponseWriter, r *http.Request) {
	text := r.Header.Get("Last-Event-ID")
	if text == "" {
		text = r.URL.Query().Get("cursor")
	}
	from, err := position(text)
	if err != nil {
		problem(w, http.StatusBadRequest, codeInvalid, err.Error())
		return
	}
	client := server.ClientAddress(r.Context())
	s.mu.Lock()
	ok, _ := s.streams.Take(client)
	s.mu.Unlock()
	if !ok {
		problem(w, http.StatusTooManyRequests, "resource_exhausted", "too many streams are open: use GET /attestations?cursor=")
		return
	}
	defer func() {
		s.mu.Lock()
		s.streams.Give(client)
		s.mu.Unlock()
	}()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	_ = s.follow(w, r, from) // the client has disconnected, or connects again
}

// follow writes events until the client disconnects, the settlement changes or an attestation cannot be made. The client then connects
// again with the id of the last event.
func (s *service) follow(w http.ResponseWriter, r *http.Request, from uint32) error {
	ctx, flush := r.Context(), http.NewResponseController(w).Flush
	if _, err := io.WriteString(w, "retry: 3000\n\n"); err != nil {
		return err
	}
	ticker := time.NewTicker(heartbeat)
	defer ticker.Stop()
	first, _ := s.current()
	for {
		changed := s.waiter()
		if now, _ := s.current(); now != first {
			return errors.New("the settlement changed")
		}
		page, err := s.page(ctx, from)
		if err != nil {
			return err
		}
		for i, attestation := range page.Attestations {
			encoded, err := json.Marshal(attestation)
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintf(w, "id: %d\ndata: %s\n\n", page.cursors[i], encoded); err != nil {
				return err
			}
		}
		from = page.Cursor
		if err := flush(); err != nil {
			return err
		}
		if page.More {
			continue
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		case <-ticker.C:
			if _, err := io.WriteString(w, ":\n\n"); err != nil {
				return err
			}
		}
	}
}

// waiter returns a channel that is closed when there may be new payments.
func (a *Attester) waiter() <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.changed
}
