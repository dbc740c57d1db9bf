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

// levelTrace is below slog's debug level, for CometBFT's debug messages: several lines for each message between its parts.
const levelTrace = slog.LevelDebug - 4

// consensusFailure is the message that CometBFT logs when its consensus has panicked and stopped. It does not report this
// in any other way.
const consensusFailure = "CONSENSUS FAILURE!!!"

// fatal returns what has failed for messages after which CometBFT does not continue, and "" for others.
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

// logger writes CometBFT's log to slog. Info messages, which are logged for every block, become debug messages.
type logger struct {
	log    *slog.Logger
	failed func(error)
	// stopping lowers errors to debug messages: during a stop, parts report errors about others that have stopped.
	stopping *atomic.Bool
	// ofPeers lowers errors to warnings: errors of other nodes are not errors of this one.
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

// cause returns the error among the key-value pairs of a log message.
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
