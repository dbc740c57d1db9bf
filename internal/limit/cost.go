package limit

import (
	"context"
	"time"
)

// Estimates of the processor time that parts of a call take. They need not be exact: what matters is that expensive work costs more
// than cheap work.
const (
	// CostMessage is the cost of decoding a submitted message and verifying its signature.
	CostMessage = 200 * time.Microsecond
	// CostVisit is the cost of visiting one commit in a search.
	CostVisit = 2 * time.Microsecond
	// CostRow is the cost of reading and decoding one row of the state or an index.
	CostRow = 2 * time.Microsecond
	// CostBlock is the cost of reading a block, without its transactions.
	CostBlock = 20 * time.Microsecond
	// CostTransaction is the cost of decoding one transaction of a block, without CostByte.
	CostTransaction = 5 * time.Microsecond
	// CostByte is the cost of decoding or encoding one byte.
	CostByte = 10 * time.Nanosecond
)

// A Meter receives the cost of the work that is done for a client. Its methods may be called by several goroutines.
type Meter interface {
	// Charge adds the cost of work that is done or about to be done.
	Charge(cost time.Duration)
	// Check returns an error when the client has exceeded its budget so far that running calls have to end.
	Check() error
	// Wait waits until the client is within its budget, or returns the error of ctx.
	Wait(ctx context.Context) error
}

type meterKey struct{}

// WithMeter returns a context whose work is charged to a meter.
func WithMeter(ctx context.Context, meter Meter) context.Context {
	return context.WithValue(ctx, meterKey{}, meter)
}

// MeterOf returns the meter of a context, nil if it has none.
func MeterOf(ctx context.Context) Meter {
	meter, _ := ctx.Value(meterKey{}).(Meter)
	return meter
}

// Charge adds a cost to the meter of a context. Without a meter it does nothing. A loop of cheap steps should add up their
// cost and charge it once.
func Charge(ctx context.Context, cost time.Duration) {
	if meter := MeterOf(ctx); meter != nil {
		meter.Charge(cost)
	}
}

// Check returns an error when the call of a context has to end because its client has exceeded its budget. Calls that do
// much work check it between two parts. Without a meter it returns nil.
func Check(ctx context.Context) error {
	if meter := MeterOf(ctx); meter != nil {
		return meter.Check()
	}
	return nil
}

// Wait waits until the client of a context is within its budget. Streams, which have no deadline, wait instead of ending.
// Without a meter it returns at once.
func Wait(ctx context.Context) error {
	if meter := MeterOf(ctx); meter != nil {
		return meter.Wait(ctx)
	}
	return nil
}
