package ledgertest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cockroachdb/datadriven"

	pb "makechain/gen/makechain"
)

// Keywords of scenarios that are used in several places.
const (
	replay  = "replay"
	nothing = "none"
)

// line is a command or a message of a scenario: words and arguments. It keeps the first invalid argument, which finish
// reports.
type line struct {
	label, actor, key, verb string
	words                   []string // arguments of a command without a value
	args                    map[string]string
	used                    map[string]bool
	err                     error
}

func newLine() *line { return &line{args: map[string]string{}, used: map[string]bool{}} }

// parseLine parses a message.
func parseLine(text string) (*line, error) {
	l := newLine()
	words := strings.Fields(text)
	if len(words) > 0 && strings.HasSuffix(words[0], ":") {
		l.label, words = strings.TrimSuffix(words[0], ":"), words[1:]
	}
	if len(words) < 2 {
		return nil, fmt.Errorf("%q is not a message", text)
	}
	if words[0] == replay {
		l.verb, l.words = words[0], words[1:]
		return l, nil
	}
	l.actor, l.key, _ = strings.Cut(words[0], "/")
	if l.key == "" {
		l.key = MainKey
	}
	l.verb = words[1]
	for _, word := range words[2:] {
		name, value, _ := strings.Cut(word, "=")
		if err := l.set(name, value); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// parseArguments parses the arguments of a command.
func parseArguments(args []datadriven.CmdArg) (*line, error) {
	l := newLine()
	for _, arg := range args {
		if len(arg.Vals) == 0 {
			l.words = append(l.words, arg.Key)
			continue
		}
		if err := l.set(arg.Key, strings.Join(arg.Vals, ",")); err != nil {
			return nil, err
		}
	}
	return l, nil
}

func (l *line) set(name, value string) error {
	if _, twice := l.args[name]; twice {
		return fmt.Errorf("argument %q is duplicated", name)
	}
	l.args[name] = value
	return nil
}

// title returns the name of the line in the output.
func (l *line) title() string {
	switch {
	case l.verb == replay:
		return replay + " " + l.word()
	case l.label != "":
		return l.label
	}
	title := l.actor
	if l.key != MainKey {
		title += "/" + l.key
	}
	return title + " " + l.verb
}

// word returns the only argument without a value.
func (l *line) word() string {
	if len(l.words) != 1 {
		l.fail("want one argument without a value, got %d", len(l.words))
		return ""
	}
	return l.words[0]
}

func (l *line) fail(format string, args ...any) {
	if l.err == nil {
		l.err = fmt.Errorf(format, args...)
	}
}

// finish returns the first invalid argument, or an unused one, as an error.
func (l *line) finish() error {
	if l.err != nil {
		return l.err
	}
	var unused []string
	for name := range l.args {
		if !l.used[name] {
			unused = append(unused, name)
		}
	}
	if slices.Sort(unused); len(unused) > 0 {
		return fmt.Errorf("unknown arguments %v", unused)
	}
	return nil
}

func (l *line) has(name string) bool {
	l.used[name] = true
	_, ok := l.args[name]
	return ok
}

func (l *line) text(name, defaultValue string) string {
	if !l.has(name) {
		return defaultValue
	}
	return l.args[name]
}

func (l *line) need(name string) string {
	if !l.has(name) {
		l.fail("argument %q is missing", name)
	}
	return l.args[name]
}

// list splits a value at its commas.
func (l *line) list(name string) []string {
	if value := l.text(name, ""); value != "" {
		return strings.Split(value, ",")
	}
	return nil
}

func (l *line) number(name string, defaultValue uint64) uint64 {
	if !l.has(name) {
		return defaultValue
	}
	n, err := strconv.ParseUint(l.args[name], 10, 64)
	if err != nil {
		l.fail("%s: %v", name, err)
	}
	return n
}

// time reads a time relative to now or to the first block.
func (l *line) time(name string, now, defaultValue uint64) uint64 {
	if !l.has(name) {
		return defaultValue
	}
	t, err := parseTime(l.args[name], now)
	if err != nil {
		l.fail("%s: %v", name, err)
	}
	return t
}

// enum reads a value by the end of its name: WRITE for PERMISSION_WRITE.
func (l *line) enum(name, prefix string, values map[string]int32) int32 {
	value, ok := values[prefix+strings.ToUpper(l.need(name))]
	if !ok {
		l.fail("%s: %q is unknown", name, l.args[name])
	}
	return value
}

// walletName is a custody key by kind and name.
type walletName struct {
	kind pb.CustodySignatureType
	name string
}

// wallet reads a custody key as kind:name. A kind alone is enough for a root.
func (l *line) wallet(name string) walletName {
	kind, of, _ := strings.Cut(l.text(name, "secp256k1"), ":")
	value, ok := pb.CustodySignatureType_value["CUSTODY_SIGNATURE_TYPE_"+strings.ToUpper(kind)]
	if kind == "webauthn" {
		value, ok = int32(pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_WEBAUTHN_P256), true
	}
	if !ok {
		l.fail("%s: %q is not a kind of custody key", name, kind)
	}
	return walletName{kind: pb.CustodySignatureType(value), name: of}
}
