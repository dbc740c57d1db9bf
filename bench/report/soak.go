package report

import (
	"fmt"

	"makechain/internal/term"
)

// Soak is the result of a long load. Slopes are linear fits over the second half of the run, because caches fill in the first
// half.
type Soak struct {
	*Result

	RSSBytesPerHour     float64 `json:"rss_bytes_per_hour"`
	RSSBytesPerMessage  float64 `json:"rss_bytes_per_message"`
	DiskBytesPerHour    float64 `json:"disk_bytes_per_hour"`
	DiskSlopePerMessage float64 `json:"disk_slope_bytes_per_message"`
}

const secondsPerHour = 3_600

// NewSoak computes the slopes of a result.
func NewSoak(r *Result) *Soak {
	soak := &Soak{Result: r}
	var seconds, resident, disk []float64
	for i := len(r.Series) / 2; i < len(r.Series); i++ {
		if second := &r.Series[i]; second.Resident > 0 {
			seconds, resident, disk = append(seconds, float64(i)), append(resident, float64(second.Resident)), append(disk, float64(second.Disk))
		}
	}
	rss, grown := slope(seconds, resident), slope(seconds, disk)
	soak.RSSBytesPerHour, soak.RSSBytesPerMessage = rss*secondsPerHour, share(rss, r.CommittedPerSecond)
	soak.DiskBytesPerHour, soak.DiskSlopePerMessage = grown*secondsPerHour, share(grown, r.CommittedPerSecond)
	return soak
}

// Print prints a soak as text.
func (s *Soak) Print(p *term.Printer) {
	s.Result.Print(p)
	p.Facts(s.slopes()...)
}

func (s *Soak) slopes() []term.Fact {
	return []term.Fact{
		{Label: "memory grows", Value: fmt.Sprintf("by %.1f MiB per hour, %.2f bytes per message", s.RSSBytesPerHour/(1<<20), s.RSSBytesPerMessage)},
		{Label: "disk grows", Value: fmt.Sprintf("by %.1f MiB per hour, %.0f bytes per message", s.DiskBytesPerHour/(1<<20), s.DiskSlopePerMessage)},
	}
}

// slope returns the slope of the least-squares line, or 0 for less than two points.
func slope(x, y []float64) float64 {
	n := float64(len(x))
	var sumX, sumY, sumXY, sumXX float64
	for i := range x {
		sumX += x[i]
		sumY += y[i]
		sumXY += x[i] * y[i]
		sumXX += x[i] * x[i]
	}
	return share(n*sumXY-sumX*sumY, n*sumXX-sumX*sumX)
}
