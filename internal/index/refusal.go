package index

import (
	"encoding/binary"
	"fmt"
	"time"

	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/schema"
	"makechain/message"
)

// Limits on the refusals that a node keeps (P10.4).
const (
	// RefusalTTL is how long a refusal is kept, in block time.
	RefusalTTL = 24 * time.Hour
	// MaxRefusals is how many refusals are kept; beyond it the oldest are deleted.
	MaxRefusals = 1_000_000
)

// pruneStep is how many refusals a block forgets beyond as many as it brings. It is small, so that no block
// pays for a day that ended.
const pruneStep = 64

// Refused is a refusal and when it became known.
type Refused struct {
	Stage  message.Stage
	Code   message.Code
	Field  string
	Reason string
	Height uint64 // of the block with which it was recorded
	Time   uint64 // of that block, in unix seconds
}

// Refusal tells why a message was refused, nil when it was not, or when that is forgotten. A message can apply
// after all when it is sent again, so whoever asks for its fate asks for its position first.
func (r Reader) Refusal(hash ident.Hash) (*Refused, error) {
	value, err := r.view.Get(refusalKey(hash))
	if err != nil || value == nil {
		return nil, err
	}
	refused, err := decodeRefused(value)
	if err != nil {
		return nil, fmt.Errorf("index: refusal of %s: %w", hash, err)
	}
	return refused, nil
}

func newRefused(r *message.Refusal, block ledger.Block) Refused {
	return Refused{Stage: r.Stage, Code: r.Code, Field: r.Field, Reason: r.Reason, Height: block.Height, Time: block.Time}
}

func (r *Refused) encode() []byte {
	value := binary.BigEndian.AppendUint64(nil, r.Height)
	value = binary.BigEndian.AppendUint64(value, r.Time)
	for _, text := range []string{string(r.Stage), string(r.Code), r.Field, r.Reason} {
		value = binary.AppendUvarint(value, uint64(len(text)))
		value = append(value, text...)
	}
	return value
}

func decodeRefused(value []byte) (*Refused, error) {
	const head = 8 + 8
	if len(value) < head {
		return nil, fmt.Errorf("%d bytes are too few", len(value))
	}
	r := &Refused{Height: binary.BigEndian.Uint64(value), Time: binary.BigEndian.Uint64(value[8:])}
	rest := value[head:]
	for _, text := range []*string{(*string)(&r.Stage), (*string)(&r.Code), &r.Field, &r.Reason} {
		size, n := binary.Uvarint(rest)
		if n <= 0 || size > uint64(len(rest)-n) {
			return nil, fmt.Errorf("cut short behind %d bytes", len(value)-len(rest))
		}
		*text, rest = string(rest[n:n+int(size)]), rest[n+int(size):]
	}
	if len(rest) > 0 {
		return nil, fmt.Errorf("%d bytes too many", len(rest))
	}
	return r, nil
}

// retention is the limits on the refusals that are kept.
type retention struct {
	ttl   uint64 // seconds
	count uint64
}

// refusalState is what must be known to forget refusals without looking for them.
type refusalState struct {
	count  uint64
	oldest uint64 // no refusal has an earlier time
}

func (s refusalState) encode() []byte {
	return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(nil, s.count), s.oldest)
}

func decodeRefusalState(value []byte) (refusalState, error) {
	switch len(value) {
	case 0:
		return refusalState{}, nil
	case 8 + 8:
		return refusalState{count: binary.BigEndian.Uint64(value), oldest: binary.BigEndian.Uint64(value[8:])}, nil
	default:
		return refusalState{}, fmt.Errorf("the state of the refusals has %d bytes", len(value))
	}
}

// due says whether a refusal of some time is to be forgotten.
func (s refusalState) due(at, now uint64, keep retention) bool {
	return s.count > keep.count || now > at+keep.ttl
}

// addRefusals records refusals and forgets the oldest.
func (b *batch) addRefusals(block ledger.Block, refused []ledger.Refused, keep retention) {
	before := b.get(refusalStateKey())
	state, err := decodeRefusalState(before)
	b.fail(err)
	fresh := b.recordRefusals(block, refused, &state)
	b.forgetRefusals(block.Time, len(fresh)+pruneStep, fresh, keep, &state)
	if before != nil || state.count > 0 {
		b.replace(refusalStateKey(), before, state.encode())
	}
}

// recordRefusals writes refusals and says of which messages. A message that was refused before has its latest
// refusal recorded.
func (b *batch) recordRefusals(block ledger.Block, refused []ledger.Refused, state *refusalState) map[ident.Hash]bool {
	fresh := make(map[ident.Hash]bool, len(refused))
	for _, r := range refused {
		hash := r.Message.Hash
		if fresh[hash] {
			continue
		}
		fresh[hash] = true
		row := newRefused(r.Refusal, block)
		known := b.get(refusalKey(hash))
		b.replace(refusalKey(hash), known, row.encode())
		if known == nil {
			if state.count == 0 {
				state.oldest = block.Time
			}
			state.count++
			b.insert(refusalAgeKey(block.Time, hash), schema.Present)
			continue
		}
		earlier, err := decodeRefused(known)
		if err != nil {
			b.fail(fmt.Errorf("refusal of %s: %w", hash, err))
			return fresh
		}
		if earlier.Time != block.Time {
			b.remove(refusalAgeKey(earlier.Time, hash))
			b.insert(refusalAgeKey(block.Time, hash), schema.Present)
		}
	}
	return fresh
}

// forgetRefusals deletes up to a number of refusals that are due, the oldest first. It starts where it stopped
// before, so that it does not walk over what it deleted.
func (b *batch) forgetRefusals(now uint64, most int, fresh map[ident.Hash]bool, keep retention, state *refusalState) {
	if b.err != nil || state.count == 0 || !state.due(state.oldest, now, keep) {
		return
	}
	oldest := now
	err := b.view.Scan(refusalAgeKey(state.oldest, ident.Hash{}), []byte{prefixRefusalAge + 1}, func(key, _ []byte) bool {
		at, hash, err := parseRefusalAge(key)
		b.fail(err)
		if fresh[hash] {
			return err == nil // its age is written anew
		}
		if err != nil || most == 0 || !state.due(at, now, keep) {
			oldest = at
			return false
		}
		b.remove(refusalKey(hash))
		b.remove(refusalAgeKey(at, hash))
		state.count--
		most--
		return true
	})
	b.fail(err)
	state.oldest = oldest
}

func parseRefusalAge(key []byte) (at uint64, hash ident.Hash, err error) {
	if len(key) != 1+8+ident.HashSize {
		return 0, hash, fmt.Errorf("row %x is no age of a refusal", key)
	}
	copy(hash[:], key[1+8:])
	return binary.BigEndian.Uint64(key[1:]), hash, nil
}
