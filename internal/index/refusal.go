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

// refusalPruneStep is how many refusals a block deletes beyond the number it adds. It is small, so that no block is
// delayed when many refusals expire at once.
const refusalPruneStep = 64

// Refused is a recorded refusal.
type Refused struct {
	Stage  message.Stage
	Code   message.Code
	Field  string
	Reason string
	Height uint64 // the block with which it was recorded
	Time   uint64 // the time of that block, in unix seconds
}

// Refusal returns the refusal of a message, nil when there is none or it has expired. A refused message can be submitted
// again and applied, so a caller that needs the status of a message must look up its position first.
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
		return nil, fmt.Errorf("%d bytes, want at least %d", len(value), head)
	}
	r := &Refused{Height: binary.BigEndian.Uint64(value), Time: binary.BigEndian.Uint64(value[8:])}
	remaining := value[head:]
	for _, text := range []*string{(*string)(&r.Stage), (*string)(&r.Code), &r.Field, &r.Reason} {
		size, n := binary.Uvarint(remaining)
		if n <= 0 || size > uint64(len(remaining)-n) {
			return nil, fmt.Errorf("truncated after %d bytes", len(value)-len(remaining))
		}
		*text, remaining = string(remaining[n:n+int(size)]), remaining[n+int(size):]
	}
	if len(remaining) > 0 {
		return nil, fmt.Errorf("%d unexpected bytes at the end", len(remaining))
	}
	return r, nil
}

// retention is the limits on the refusals that are kept.
type retention struct {
	ttl   uint64 // seconds
	count uint64
}

// refusalState is stored so that expired refusals are found without scanning.
type refusalState struct {
	count  uint64
	oldest uint64 // a lower bound of the times of all refusals
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
		return refusalState{}, fmt.Errorf("the state of the refusals has %d bytes, want 16", len(value))
	}
}

// expired reports whether a refusal of time at is to be deleted.
func (s refusalState) expired(at, now uint64, keep retention) bool {
	return s.count > keep.count || now > at+keep.ttl
}

// addRefusals records refusals and deletes expired ones.
func (b *batch) addRefusals(block ledger.Block, refused []ledger.Refused, keep retention) {
	before := b.get(refusalStateKey())
	state, err := decodeRefusalState(before)
	b.fail(err)
	fresh := b.recordRefusals(block, refused, &state)
	b.expireRefusals(block.Time, len(fresh)+refusalPruneStep, fresh, keep, &state)
	if before != nil || state.count > 0 {
		b.replace(refusalStateKey(), before, state.encode())
	}
}

// recordRefusals writes refusals and returns the hashes of their messages. If a message was refused before, the latest
// refusal is kept.
func (b *batch) recordRefusals(block ledger.Block, refused []ledger.Refused, state *refusalState) map[ident.Hash]bool {
	fresh := make(map[ident.Hash]bool, len(refused))
	for _, r := range refused {
		hash := r.Message.Hash
		if fresh[hash] {
			continue
		}
		fresh[hash] = true
		row := Refused{
			Stage: r.Refusal.Stage, Code: r.Refusal.Code, Field: r.Refusal.Field, Reason: r.Refusal.Reason,
			Height: block.Height, Time: block.Time,
		}
		stored := b.get(refusalKey(hash))
		b.replace(refusalKey(hash), stored, row.encode())
		if stored == nil {
			if state.count == 0 {
				state.oldest = block.Time
			}
			state.count++
			b.insert(refusalAgeKey(block.Time, hash), schema.Present)
			continue
		}
		earlier, err := decodeRefused(stored)
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

// expireRefusals deletes up to limit expired refusals, the oldest first. It starts where it stopped before, so that it
// does not scan deleted rows.
func (b *batch) expireRefusals(now uint64, limit int, fresh map[ident.Hash]bool, keep retention, state *refusalState) {
	if b.err != nil || state.count == 0 || !state.expired(state.oldest, now, keep) {
		return
	}
	oldest := now
	err := b.view.Scan(refusalAgeKey(state.oldest, ident.Hash{}), []byte{prefixRefusalAge + 1}, func(key, _ []byte) bool {
		at, hash, err := parseRefusalAgeKey(key)
		b.fail(err)
		if fresh[hash] {
			return err == nil // its age row was just written
		}
		if err != nil || limit == 0 || !state.expired(at, now, keep) {
			oldest = at
			return false
		}
		b.remove(refusalKey(hash))
		b.remove(refusalAgeKey(at, hash))
		state.count--
		limit--
		return true
	})
	b.fail(err)
	state.oldest = oldest
}
