package custody

import (
	"testing"
	"time"

	"github.com/spf13/cobra"
)

// TestParseExpiry checks durations, dates, and texts that are neither or in the past.
func TestParseExpiry(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]uint64{
		"":           0,
		"1h":         uint64(at.Unix()) + 3600,
		"2026-05-02": uint64(at.Unix()) + 12*3600,
	} {
		if got, err := parseExpiry(&cobra.Command{}, text, at); err != nil || got != want {
			t.Errorf("%q: %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"soon", "-1h", "0s", "2026-05-01", "2026-13-01"} {
		if got, err := parseExpiry(&cobra.Command{}, text, at); err == nil {
			t.Errorf("%q: %d, want an error", text, got)
		}
	}
}
