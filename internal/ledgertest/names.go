package ledgertest

import (
	"encoding/hex"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"makechain/internal/ident"
)

const day = 24 * 60 * 60

// names maps the names of a scenario to bytes and back, so that its output is readable.
type names struct {
	hashes map[string]ident.Hash // projects, merge requests and other messages
	text   map[string]string     // by hex digits
}

func newNames() names {
	return names{hashes: map[string]ident.Hash{}, text: map[string]string{}}
}

func (n names) register(name string, b []byte) { n.text[hex.EncodeToString(b)] = name }

func (n names) registerHash(name string, h ident.Hash) {
	n.hashes[name] = h
	n.register(name, h[:])
}

func (n names) registerActor(a *Actor) {
	n.register(a.Name, a.Address[:])
	n.registerKey(a, MainKey)
}

func (n names) registerKey(a *Actor, key string) {
	public := a.With(key).Key()
	n.register(a.Name+"/"+key, public[:])
}

// commit returns the commit with a name.
func (n names) commit(name string) ident.Hash {
	h := Hash(name)
	n.register(name, h[:])
	return h
}

// hash returns the project or merge request that a message created, or an unknown hash for a name with the prefix "no-".
func (n names) hash(name string) (ident.Hash, error) {
	if h, ok := n.hashes[name]; ok {
		return h, nil
	}
	if strings.HasPrefix(name, "no-") {
		return n.commit(name), nil
	}
	return ident.Hash{}, fmt.Errorf("nothing is named %q", name)
}

// describe replaces bytes by names and absolute times by relative ones.
func (n names) describe(sentence string) string {
	digits := regexp.MustCompile(`\b(0x)?[0-9a-f]{40,64}\b|\b1[678][0-9]{8}\b`)
	return digits.ReplaceAllStringFunc(sentence, func(found string) string {
		if t, err := strconv.ParseUint(found, 10, 64); err == nil {
			return formatTime(t)
		}
		return n.name(strings.TrimPrefix(found, "0x"))
	})
}

// name returns the name of hex digits, or the first digits.
func (n names) name(digits string) string {
	if name, ok := n.text[digits]; ok {
		return name
	}
	return digits[:min(8, len(digits))] + "~"
}

func formatTime(t uint64) string {
	sign, distance := "+", int64(t)-Start
	if distance < 0 {
		sign, distance = "-", -distance
	}
	switch days, seconds := distance/day, distance%day; {
	case days == 0:
		return fmt.Sprintf("T%s%d", sign, seconds)
	case seconds == 0:
		return fmt.Sprintf("T%s%dd", sign, days)
	default:
		return fmt.Sprintf("T%s%dd%s%d", sign, days, sign, seconds)
	}
}

// parseTime parses sums like +7d-1 relative to now, or T+7d-1 relative to the first block.
func parseTime(text string, now uint64) (uint64, error) {
	if rest, ok := strings.CutPrefix(text, "T"); ok {
		text, now = rest, Start
	}
	terms := regexp.MustCompile(`[+-][0-9]+d?`).FindAllString(text, -1)
	if strings.Join(terms, "") != text {
		return 0, fmt.Errorf("%q is not a time", text)
	}
	t := int64(now)
	for _, term := range terms {
		unit := int64(1)
		if number, ok := strings.CutSuffix(term, "d"); ok {
			term, unit = number, day
		}
		n, err := strconv.ParseInt(term, 10, 64)
		if err != nil {
			return 0, err
		}
		t += n * unit
	}
	return uint64(t), nil
}
