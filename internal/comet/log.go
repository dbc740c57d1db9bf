package comet

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"

	cmtlog "github.com/cometbft/cometbft/libs/log"
)

// levelTrace is below slog's debug, for what CometBFT itself calls debug: several lines for every message
// between its parts.
const levelTrace = slog.LevelDebug - 4

// consensusFailure is what CometBFT logs when its consensus has panicked and stopped for good. It tells
// nobody else, so this line is where it is noticed.
const consensusFailure = "CONSENSUS FAILURE!!!"

// fatal knows the lines after which CometBFT does not go on, and says what has failed; "" for any other.
func fatal(text string) string {
	switch text {
	case consensusFailure:
		return "consensus failed"
	case "State sync failed", "Failed to bootstrap node with new state", "Failed to store last seen commit", "Failed to switch to block sync":
		return "state sync failed"
	default:
		return ""
	}
}

// logger hands CometBFT's log to slog. What happens at every block is debugging to anybody but its authors.
type logger struct {
	log    *slog.Logger
	failed func(error)
	// stopping turns errors into debugging: parts that stop complain about parts that have stopped.
	stopping *atomic.Bool
	// ofPeers turns errors into warnings: what other nodes do wrong is no fault of this one.
	ofPeers bool
	with    []any
}

var _ cmtlog.Logger = (*logger)(nil)

func (l *logger) Debug(text string, pairs ...any) { l.write(levelTrace, text, pairs) }
func (l *logger) Info(text string, pairs ...any)  { l.write(slog.LevelDebug, text, pairs) }
func (l *logger) Warn(text string, pairs ...any)  { l.write(slog.LevelWarn, text, pairs) }

func (l *logger) Error(text string, pairs ...any) {
	level := slog.LevelError
	switch {
	case l.stopping.Load():
		level = slog.LevelDebug
	case l.ofPeers:
		level = slog.LevelWarn
	}
	l.write(level, text, pairs)
	if what := fatal(text); what != "" {
		l.failed(fmt.Errorf("%s: %w", what, cause(pairs)))
	}
}

func (l *logger) With(pairs ...any) cmtlog.Logger {
	extended := *l
	extended.with = slices.Concat(l.with, pairs)
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i] == "module" {
			extended.ofPeers = pairs[i+1] == "p2p" || pairs[i+1] == "pex"
		}
	}
	return &extended
}

func (l *logger) write(level slog.Level, text string, pairs []any) {
	if !l.log.Enabled(context.Background(), level) {
		return
	}
	args := slices.Concat(l.with, pairs)
	for i := 1; i < len(args); i += 2 {
		if lazy, isLazy := args[i].(fmt.Stringer); isLazy {
			args[i] = lazy.String()
		}
	}
	l.log.Log(context.Background(), level, text, args...)
}

// cause finds the error among the pairs of a log line.
func cause(pairs []any) error {
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i] != "err" {
			continue
		}
		if err, isError := pairs[i+1].(error); isError {
			return err
		}
		return fmt.Errorf("%v", pairs[i+1])
	}
	return errors.New("no reason given")
}
