package server

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"strconv"
	"sync/atomic"
	"time"

	"connectrpc.com/connect"
	"github.com/prometheus/client_golang/prometheus"

	"makechain/internal/limit"
)

var (
	errTooManyRequests = errors.New("too many requests from this address, try again later")
	errTooExpensive    = errors.New("the calls from this address took too much processor time, try again later")
)

// withMeter adds a meter to the context of a request, unless its client has no limit.
func (s *stack) withMeter(ctx context.Context, client netip.Addr) context.Context {
	account := s.accounts.account(client)
	if account == nil {
		return ctx
	}
	return limit.WithMeter(ctx, &meter{account: account, refusals: s.costRefusals})
}

// limitRate rejects the requests of clients that exceed their accounts, with a Retry-After header.
func (s *stack) limitRate(reject func(reason error) http.HandlerFunc, next http.Handler) http.Handler {
	tooMany := s.counted(refusedRate, reject(errTooManyRequests))
	tooExpensive := s.counted(refusedCost, reject(errTooExpensive))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		metered, isLimited := limit.MeterOf(r.Context()).(*meter)
		if !isLimited {
			next.ServeHTTP(w, r)
			return
		}
		wait, inDebt := metered.account.take()
		if wait == 0 {
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set(retryAfterHeader, retryAfter(wait))
		if inDebt {
			tooExpensive(w, r)
		} else {
			tooMany(w, r)
		}
	})
}

const retryAfterHeader = "Retry-After"

// retryAfter returns the value of a Retry-After header, in whole seconds.
func retryAfter(wait time.Duration) string {
	return strconv.Itoa(int((wait + time.Second - 1) / time.Second))
}

// rejectCall responds to a call that is rejected, in the protocol of the call.
func rejectCall(reason error) http.HandlerFunc {
	errorWriter := connect.NewErrorWriter()
	return func(w http.ResponseWriter, r *http.Request) {
		if errorWriter.IsSupported(r) {
			_ = errorWriter.Write(w, r, connect.NewError(connect.CodeResourceExhausted, reason)) // the client may have disconnected
			return
		}
		http.Error(w, reason.Error(), http.StatusTooManyRequests)
	}
}

// A meter charges the work of one request to the account of its client. It implements limit.Meter.
type meter struct {
	account  *account
	refusals prometheus.Counter // of calls that ended because of their cost
	spent    atomic.Int64       // of which the request itself has paid requestCost
}

var _ limit.Meter = (*meter)(nil)

// Charge is part of limit.Meter, like the methods below.
func (m *meter) Charge(cost time.Duration) {
	unpaid := min(time.Duration(m.spent.Add(int64(cost)))-requestCost, cost)
	if unpaid > 0 {
		m.account.charge(unpaid)
	}
}

// Check returns an error when the debt is more than a burst. A client that makes one call at a time gets there only with a
// call that costs as much; one that makes many at a time is stopped.
func (m *meter) Check() error {
	debt := m.account.debt()
	if debt <= m.account.accounts.burst {
		return nil
	}
	m.refusals.Inc()
	refused := connect.NewError(connect.CodeResourceExhausted, errTooExpensive)
	refused.Meta().Set(retryAfterHeader, retryAfter(debt+m.account.accounts.interval))
	return refused
}

func (m *meter) Wait(ctx context.Context) error {
	for {
		debt := m.account.debt()
		if debt == 0 {
			return nil
		}
		timer := time.NewTimer(debt)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
	}
}
