package limit_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"makechain/internal/limit"
)

var errSpent = errors.New("spent")

// meter is a meter that sums up the costs and always refuses.
type meter struct{ spent time.Duration }

func (m *meter) Charge(cost time.Duration)    { m.spent += cost }
func (*meter) Check() error                   { return errSpent }
func (*meter) Wait(ctx context.Context) error { return ctx.Err() }

// TestMeter checks that work is charged to the meter of its context, and to none without one.
func TestMeter(t *testing.T) {
	t.Parallel()
	m := &meter{}
	metered := limit.WithMeter(t.Context(), m)
	limit.Charge(metered, limit.CostMessage)
	limit.Charge(metered, 3*limit.CostVisit)
	limit.Charge(t.Context(), time.Hour)
	if want := limit.CostMessage + 3*limit.CostVisit; m.spent != want {
		t.Errorf("charged %s, want %s", m.spent, want)
	}
	if err := limit.Check(metered); !errors.Is(err, errSpent) {
		t.Errorf("Check returns %v, want the error of the meter", err)
	}
	canceled, cancel := context.WithCancel(metered)
	cancel()
	if err := limit.Wait(canceled); !errors.Is(err, context.Canceled) {
		t.Errorf("Wait returns %v, want the error of the context", err)
	}
	if err := errors.Join(limit.Check(t.Context()), limit.Wait(t.Context())); err != nil {
		t.Errorf("without a meter: %v", err)
	}
}

// TestNoMeter checks that charging costs no allocation.
//
//nolint:paralleltest // counts allocations of the process
func TestNoMeter(t *testing.T) {
	ctx := limit.WithMeter(t.Context(), &meter{})
	for name, ctx := range map[string]context.Context{"no meter": t.Context(), "meter": ctx} {
		if n := testing.AllocsPerRun(100, func() { limit.Charge(ctx, limit.CostRow) }); n != 0 {
			t.Errorf("%s: %v allocations, want none", name, n)
		}
	}
}
