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

// TestLog hands lines on at the level they have for the people who run a node.
func TestLog(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		write    func(cmtlog.Logger)
		stopping bool
		want     string
	}{
		"debug":         {write: func(l cmtlog.Logger) { l.Debug("said") }, want: "level=DEBUG-4 msg=said"},
		"info":          {write: func(l cmtlog.Logger) { l.Info("said") }, want: "level=DEBUG msg=said"},
		"warning":       {write: func(l cmtlog.Logger) { l.Warn("said") }, want: "level=WARN msg=said"},
		"error":         {write: func(l cmtlog.Logger) { l.Error("said") }, want: "level=ERROR msg=said"},
		"stopping":      {write: func(l cmtlog.Logger) { l.Error("said") }, stopping: true, want: "level=DEBUG msg=said"},
		"of a peer":     {write: func(l cmtlog.Logger) { l.With("module", "p2p").Error("said") }, want: "level=WARN msg=said module=p2p"},
		"of consensus":  {write: func(l cmtlog.Logger) { l.With("module", "consensus").Error("said") }, want: "level=ERROR msg=said module=consensus"},
		"pairs":         {write: func(l cmtlog.Logger) { l.With("a", 1).With("b", 2).Warn("said", "c", 3) }, want: "level=WARN msg=said a=1 b=2 c=3"},
		"lazy":          {write: func(l cmtlog.Logger) { l.Warn("said", "a", cmtlog.NewLazySprintf("%d-%d", 1, 2)) }, want: "level=WARN msg=said a=1-2"},
		"key only":      {write: func(l cmtlog.Logger) { l.Warn("said", "a") }, want: "level=WARN msg=said !BADKEY=a"},
		"error as pair": {write: func(l cmtlog.Logger) { l.Warn("said", "err", errors.New("why")) }, want: "level=WARN msg=said err=why"},
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

// TestLogSilent does not print what nobody wants to read.
func TestLogSilent(t *testing.T) {
	t.Parallel()
	l := &logger{log: slog.New(slog.DiscardHandler), stopping: new(atomic.Bool)}
	l.Info("said", "a", loud{t})
}

type loud struct{ t *testing.T }

func (l loud) String() string {
	l.t.Error("printed")
	return ""
}

// TestLogFailure tells of the end of consensus, with the reason.
func TestLogFailure(t *testing.T) {
	t.Parallel()
	why := errors.New("why")
	for name, test := range map[string]struct {
		pairs []any
		want  string
	}{
		"error":  {[]any{"err", why, "stack", "..."}, "consensus failed: why"},
		"text":   {[]any{"stack", "...", "err", "text"}, "consensus failed: text"},
		"nobody": {[]any{"stack"}, "consensus failed: no reason given"},
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
