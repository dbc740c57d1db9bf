package report

import (
	"fmt"

	"makechain/internal/term"
)

// Served is the result of a load on a node that was started for it.
type Served struct {
	*Result

	StartSeconds float64  `json:"start_seconds"` // until it served
	Restart      *Restart `json:"restart,omitempty"`
}

// Restart is the restart of a node that was killed under load. Its blocks are the same as before, and the chain continued.
type Restart struct {
	Seconds     float64 `json:"seconds"`      // from the start of the process until it served
	KilledAt    uint64  `json:"killed_at"`    // the last block before
	ContinuedTo uint64  `json:"continued_to"` // the last block with messages after it
}

// Print prints the result as text.
func (s *Served) Print(p *term.Printer) {
	s.Result.Print(p)
	p.Facts(term.Fact{Label: "start", Value: fmt.Sprintf("served after %.2f s", s.StartSeconds)})
	if r := s.Restart; r != nil {
		p.Facts(term.Fact{Label: "restart", Value: fmt.Sprintf("served after %.2f s, killed under load at block %d, continued to block %d",
			r.Seconds, r.KilledAt, r.ContinuedTo)})
	}
}
