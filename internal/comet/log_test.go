package comet

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	cmtlog "github.com/cometbft/cometbft/libs/log"
)

// TestLog checks the level and the attributes of the messages that CometBFT logs.
func TestLog(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		write    func(cmtlog.Logger)
		stopping bool
		want     string
	}{
		"debug":         {write: func(l cmtlog.Logger) { l.Debug("text") }, want: "level=DEBUG-4 msg=text"},
		"info":          {write: func(l cmtlog.Logger) { l.Info("text") }, want: "level=DEBUG msg=text"},
		"warning":       {write: func(l cmtlog.Logger) { l.Warn("text") }, want: "level=WARN msg=text"},
		"error":         {write: func(l cmtlog.Logger) { l.Error("text") }, want: "level=ERROR msg=text"},
		"stopping":      {write: func(l cmtlog.Logger) { l.Error("text") }, stopping: true, want: "level=DEBUG msg=text"},
		"of a peer":     {write: func(l cmtlog.Logger) { l.With("module", "p2p").Error("text") }, want: "level=WARN msg=text module=p2p"},
		"of consensus":  {write: func(l cmtlog.Logger) { l.With("module", "consensus").Error("text") }, want: "level=ERROR msg=text module=consensus"},
		"pairs":         {write: func(l cmtlog.Logger) { l.With("a", 1).With("b", 2).Warn("text", "c", 3) }, want: "level=WARN msg=text a=1 b=2 c=3"},
		"lazy":          {write: func(l cmtlog.Logger) { l.Warn("text", "a", cmtlog.NewLazySprintf("%d-%d", 1, 2)) }, want: "level=WARN msg=text a=1-2"},
		"key only":      {write: func(l cmtlog.Logger) { l.Warn("text", "a") }, want: "level=WARN msg=text !BADKEY=a"},
		"error as pair": {write: func(l cmtlog.Logger) { l.Warn("text", "err", errors.New("why")) }, want: "level=WARN msg=text err=why"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var written bytes.Buffer
			stopping := new(atomic.Bool)
			stopping.Store(test.stopping)
			test.write(&logger{
				log:      slog.New(slog.NewTextHandler(&written, &slog.HandlerOptions{Level: levelTrace})),
				failed:   func(err error) { t.Errorf("failed: %v", err) },
				stopping: stopping,
			})
			if !strings.HasSuffix(written.String(), " "+test.want+"\n") {
				t.Errorf("wrote %q, want %q", written.String(), test.want)
			}
		})
	}
}

// TestLogDisabled checks that attributes of a message below the level are not formatted.
func TestLogDisabled(t *testing.T) {
	t.Parallel()
	l := &logger{log: slog.New(slog.DiscardHandler), stopping: new(atomic.Bool)}
	l.Info("text", "a", stringer{t})
}

type stringer struct{ t *testing.T }

func (s stringer) String() string {
	s.t.Error("formatted")
	return ""
}

// TestLogFailure checks that a consensus failure in the log is reported with its reason.
func TestLogFailure(t *testing.T) {
	t.Parallel()
	why := errors.New("why")
	for name, test := range map[string]struct {
		pairs []any
		want  string
	}{
		"error": {[]any{"err", why, "stack", "..."}, "consensus failed: why"},
		"text":  {[]any{"stack", "...", "err", "text"}, "consensus failed: text"},
		"none":  {[]any{"stack"}, "consensus failed: no reason given"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got error
			l := &logger{log: slog.New(slog.DiscardHandler), stopping: new(atomic.Bool), failed: func(err error) { got = err }}
			l.With("module", "consensus").Error(consensusFailure, test.pairs...)
			if got == nil || got.Error() != test.want {
				t.Errorf("got %v, want %s", got, test.want)
			}
		})
	}
}
