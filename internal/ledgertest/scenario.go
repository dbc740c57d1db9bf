package ledgertest

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/message"
)

// RunScenario runs a scenario file and compares the output with the file; the flag -rewrite rewrites the file instead.
// After every command the state must be consistent.
//
// A file is a list of commands, each with its expected output below "----":
//
//	genesis attesters=3 threshold=2       a genesis other than the default; must come first
//	account alice bob units=1             adds accounts to the chain with their main keys, storage and usernames
//	block t=+60                           the next block, 60 seconds later; messages apply in the order given
//	propose t=+60                         the next block, assembled from candidates
//	execute t=+60                         the next block as proposed by another node, in the given order
//	rows ref project=alice/hello          rows of a kind, all or those of an owner or a project;
//	                                      fields=(nonce,hash) omits the others
//
// The messages of a block are lines of the form
//
//	[label:] actor[/key] verb argument=value...
//	replay label
//	x50 actor verb argument=name#
//
// where the last form repeats a line with # replaced by 1 to 50. A label names the message, and the project or merge
// request that it creates. Times are relative to the block (+60, -7d) or to the first block (T+60).
func RunScenario(t *testing.T, path string) {
	t.Helper()
	s := newScenario(New(t))
	datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
		t.Helper()
		s.TB = t
		out, err := s.command(d)
		if err != nil {
			d.Fatalf(t, "%v", err)
		}
		s.Check()
		return out
	})
}

// scenario is a test chain with names for accounts, keys, projects and commits.
type scenario struct {
	*Chain
	names
	messages map[string]*message.Envelope
}

func newScenario(w *Chain) *scenario {
	return &scenario{Chain: w, names: newNames(), messages: map[string]*message.Envelope{}}
}

func (s *scenario) command(d *datadriven.TestData) (string, error) {
	l, err := parseArguments(d.CmdArgs)
	if err != nil {
		return "", err
	}
	switch d.Cmd {
	case "genesis":
		return s.genesis(l)
	case "account":
		return s.account(l)
	case "block":
		return s.block(l, d.Input)
	case "propose":
		return s.propose(l, d.Input)
	case "execute":
		return s.execute(l, d.Input)
	case "rows":
		return s.rows(l)
	default:
		return "", fmt.Errorf("unknown command %q", d.Cmd)
	}
}

func (s *scenario) genesis(l *line) (string, error) {
	params := s.Params
	settlement := &params.Settlement
	settlement.Attesters = settlement.Attesters[:l.number("attesters", uint64(len(settlement.Attesters)))]
	settlement.Threshold = int(l.number("threshold", uint64(settlement.Threshold)))
	s.Chain = NewWithParams(s.TB, params)
	return fmt.Sprintf("%d attesters, threshold %d\n", len(settlement.Attesters), settlement.Threshold), l.finish()
}

func (s *scenario) account(l *line) (string, error) {
	root, units, username := l.wallet("root").kind, l.number("units", 1), l.text("username", "")
	if err := l.finish(); err != nil {
		return "", err
	}
	for _, name := range l.words {
		a := s.ActorOf(root, name)
		s.registerActor(a)
		s.AddKey(a, MainKey, pb.KeyScope_KEY_SCOPE_OWNER)
		if units > 0 {
			s.Fund(a, uint32(units))
		}
		if units > 0 && username != nothing {
			s.Must(s.Sign(a, message.UsernameCreate(cmp.Or(username, name))))
		}
	}
	return "", nil
}

// open commits the open block and opens the next one.
func (s *scenario) open(l *line) error {
	at := l.time("t", s.Block.Time, s.Block.Time+1)
	if err := l.finish(); err != nil {
		return err
	}
	s.SkipTo(at)
	return nil
}

func (s *scenario) block(l *line, input string) (string, error) {
	if err := s.open(l); err != nil {
		return "", err
	}
	var out strings.Builder
	for text := range strings.Lines(input) {
		times, each, err := repetitions(strings.TrimSpace(text))
		if err != nil {
			return "", err
		}
		if err := s.apply(&out, times, each); err != nil {
			return "", fmt.Errorf("%s: %w", text, err)
		}
	}
	return out.String(), nil
}

// apply applies a line once or as often as it states, and writes each result that differs from the previous one.
func (s *scenario) apply(out *strings.Builder, times int, text string) error {
	same, last := 0, ""
	flush := func() {
		if same > 1 {
			fmt.Fprintf(out, "%d times ", same)
		}
		if same > 0 {
			fmt.Fprintln(out, last)
		}
	}
	for i := 1; i <= times; i++ {
		l, m, err := s.message(strings.ReplaceAll(text, "#", strconv.Itoa(i)))
		if err != nil {
			return err
		}
		_, refusal := s.Apply(m)
		if refusal == nil {
			s.bind(l, m)
		}
		result := strings.ReplaceAll(l.title(), strconv.Itoa(i), "#")
		if times == 1 {
			result = l.title()
		}
		if result += ": " + s.result(refusal); result != last {
			flush()
			same, last = 0, result
		}
		same++
	}
	flush()
	return nil
}

// repetitions parses a leading x50.
func repetitions(text string) (times int, each string, err error) {
	first, rest, _ := strings.Cut(text, " ")
	digits, ok := strings.CutPrefix(first, "x")
	if !ok || digits == "" || strings.Trim(digits, "0123456789") != "" {
		return 1, text, nil
	}
	times, err = strconv.Atoi(digits)
	return times, strings.TrimSpace(rest), err
}

// message returns the message of a line.
func (s *scenario) message(text string) (*line, *message.Envelope, error) {
	l, err := parseLine(text)
	if err != nil {
		return nil, nil, err
	}
	if l.verb == replay {
		m, ok := s.messages[l.word()]
		if !ok {
			return nil, nil, fmt.Errorf("no message is labelled %q", l.words)
		}
		return l, m, l.finish()
	}
	m, err := s.build(l)
	if err != nil {
		return nil, nil, err
	}
	if l.label != "" {
		s.messages[l.label] = m
	}
	return l, m, nil
}

// bind assigns a label, and owner/name for a project, to the project or merge request that a message created.
func (s *scenario) bind(l *line, m *message.Envelope) {
	if name := m.Data.GetProjectCreate().GetName() + m.Data.GetFork().GetName(); name != "" {
		s.registerHash(l.actor+"/"+name, m.Hash)
	}
	if l.label != "" {
		s.registerHash(l.label, m.Hash)
	}
}

func (s *scenario) result(refusal *message.Refusal) string {
	if refusal == nil {
		return "applied"
	}
	return fmt.Sprintf("refused at %s, %s: %s", refusal.Stage, refusal.Code, s.describe(refusal.Reason))
}

// candidates returns the messages of a proposal. Names are bound before they apply.
func (s *scenario) candidates(input string) ([]*message.Envelope, map[ident.Hash]string, error) {
	var messages []*message.Envelope
	titles := map[ident.Hash]string{}
	for text := range strings.Lines(input) {
		l, m, err := s.message(strings.TrimSpace(text))
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", text, err)
		}
		s.bind(l, m)
		messages = append(messages, m)
		titles[m.Hash] = l.title()
	}
	return messages, titles, nil
}

func (s *scenario) propose(l *line, input string) (string, error) {
	if err := s.open(l); err != nil {
		return "", err
	}
	candidates, titles, err := s.candidates(input)
	if err != nil {
		return "", err
	}
	s.Block.Height--
	result := s.Propose(0, candidates...)
	var out strings.Builder
	for _, applied := range result.Applied {
		fmt.Fprintf(&out, "applied: %s\n", titles[applied.Message.Hash])
	}
	for _, refused := range result.Refused {
		fmt.Fprintf(&out, "%s: %s\n", titles[refused.Message.Hash], s.result(refused.Refusal))
	}
	for _, deferred := range result.Deferred {
		fmt.Fprintf(&out, "deferred: %s\n", titles[deferred.Hash])
	}
	return out.String(), nil
}

func (s *scenario) execute(l *line, input string) (string, error) {
	if err := s.open(l); err != nil {
		return "", err
	}
	messages, _, err := s.candidates(input)
	if err != nil {
		return "", err
	}
	result, err := s.Ledger.Execute(s.Rows, s.Block, messages)
	if invalid, ok := errors.AsType[*ledger.InvalidBlockError](err); ok {
		return "invalid block: " + s.describe(invalid.Error()) + "\n", nil
	}
	if err != nil {
		return "", err
	}
	s.applyChanges(result.Changes)
	return fmt.Sprintf("valid block of %d\n", len(result.Applied)), nil
}
