package ledger

import (
	"hash/maphash"
	"math"
	"sync"
	"sync/atomic"

	"makechain/internal/schema"
	"makechain/message"
)

// A message is applied at its admission, perhaps again to later states while it is pending, and in a block. The execution at its
// admission is recorded: the versions of the rows that it read and what it wrote. Later its writes are reused if all of these
// rows still have the same versions. Otherwise, and whenever it is not certain, the message is executed again, so reuse never
// changes the result of a block.
//
// The version of a row is the execution that wrote it. Rows are identified by hashes of their keys: two keys with the same hash
// can only cause a message to be executed again. The hashes have a random seed, because authors choose most of a key and could
// otherwise fill a block with keys of one hash.

const (
	// maxRecordedReads is the number of rows that an execution reads beyond which it is not kept.
	maxRecordedReads = 1_000
	// versionGeneration is the number of rows in one generation of Reuse. It has two: when the young one is full it becomes the
	// old one, and the old one is dropped.
	versionGeneration = 1 << 17
)

// version identifies the execution that wrote a row.
type version uint64

const (
	// unrecorded is the version of a row before the first recorded write, and of one that was not written by a message.
	unrecorded version = iota
	// firstVersion is the version of all writes of a session that does not reuse executions.
	firstVersion
)

// rowVersion is the version of the row with a hash of its key.
type rowVersion struct {
	hash   uint64
	writer version
}

var keySeed = maphash.MakeSeed() // read-only: executions of one session are compared with the rows of others

func keyHash(key []byte) uint64 { return maphash.Bytes(keySeed, key) }

// heightPlace is where a row that a message writes contains the height of its block.
type heightPlace uint8

const (
	notInRow heightPlace = iota
	inCommitRow
	inContentRow
	inCommitAgeKey
)

// interval is an interval of block times, both included.
type interval struct{ from, to uint64 }

func allTimes() interval { return interval{0, math.MaxUint64} }

// reached reports whether the block time is not before a time.
func (s *transition) reached(at uint64) bool {
	if s.block.Time >= at {
		s.times.from = max(s.times.from, at)
		return true
	}
	s.times.to = min(s.times.to, at-1)
	return false
}

// passed reports whether the block time is after a time.
func (s *transition) passed(at uint64) bool {
	if s.block.Time > at {
		s.times.from = max(s.times.from, at+1)
		return true
	}
	s.times.to = min(s.times.to, at)
	return false
}

// record is what is recorded while a message is applied. Its methods do nothing for nil.
type record struct {
	reads       []rowVersion
	notReusable bool
}

// read records a read of a row, unless the message read or wrote it before.
func (r *record) read(row *overlayRow) {
	if r == nil || row.record == r {
		return
	}
	row.record = r
	r.reads = append(r.reads, rowVersion{row.hash, row.writer})
}

// useHeightOf must be called when the message depends on all of a row, which may contain the height that the session assumes.
func (r *record) useHeightOf(row *overlayRow) {
	if r != nil && row.height != notInRow {
		r.notReusable = true
	}
}

// scan must be called when the message depends on a range of rows.
func (r *record) scan() {
	if r != nil {
		r.notReusable = true
	}
}

// Execution is the recorded application of a message. It is immutable.
type Execution struct {
	height      uint64 // of the block that the session assumed
	rules       uint64 // the version in force in that block
	times       interval
	fixedHeight bool
	writer      version
	reads       []rowVersion
	writes      []recordedWrite
	effects     Effects
}

// recordedWrite is a row that a message wrote.
type recordedWrite struct {
	key, value []byte
	hash       uint64
	height     heightPlace
	base       []byte // the value in the view, if inView is set
	inView     bool   // no earlier message of the session wrote the row
}

// Memory of the parts of an execution, in bytes.
const (
	executionSize = 256
	readSize      = 16
	writeSize     = 96
)

// Bytes returns the approximate memory of an execution, without the keys and values that it shares with its session. It is 0
// for nil.
func (e *Execution) Bytes() int {
	if e == nil {
		return 0
	}
	return executionSize + readSize*len(e.reads) + writeSize*len(e.writes)
}

// Record makes a session of a ledger that reuses executions record the messages that it applies. The height of its block must be
// the one after that of its view.
func (s *Session) Record() { s.recording = s.reuse != nil }

// Recorded returns the execution of the last message, nil if it was not applied or cannot be reused.
func (s *Session) Recorded() *Execution { return s.recorded }

// startRecord starts the record of a message.
func (s *Session) startRecord() {
	s.recorded = nil
	if s.recording {
		s.rows.record, s.rows.writer = &record{reads: make([]rowVersion, 0, typicalReads)}, s.reuse.nextVersion()
	}
}

// typicalReads is how many rows most messages read.
const typicalReads = 16

// execution returns the record of an applied message, nil if it cannot be reused.
func (s *transition) execution() *Execution {
	o := s.rows
	if o.record == nil || o.record.notReusable || len(o.record.reads) > maxRecordedReads {
		return nil
	}
	e := &Execution{
		height: s.block.Height, rules: s.rules, times: s.times, fixedHeight: s.fixedHeight, writer: o.writer, reads: o.record.reads,
		writes: make([]recordedWrite, 0, len(o.journal)), effects: s.effects,
	}
	for _, u := range o.journal {
		if u.writer == o.writer {
			continue // the message wrote the row before
		}
		r := u.row
		w := recordedWrite{key: r.key, value: r.value, hash: r.hash, height: r.height, inView: !u.dirty}
		if w.inView {
			w.base = r.base
		}
		e.writes = append(e.writes, w)
	}
	return e
}

// Reuse finds executions of messages that can be reused. It is safe for concurrent use.
type Reuse struct {
	find        func(*message.Envelope) *Execution
	lastVersion atomic.Uint64

	mu         sync.RWMutex // guards what follows
	height     uint64       // of the latest block
	floor      uint64       // of the block after which all changes are known
	young, old map[uint64]rowChange
	youngFloor uint64 // of the block after which young contains all changes
}

// rowChange is the latest change of a row.
type rowChange struct {
	height uint64
	writer version
}

// NewReuse returns a Reuse that receives the executions of the messages of a block from find, which returns nil if there is none. The
// execution must be of the same message.
func NewReuse(find func(*message.Envelope) *Execution) *Reuse {
	r := &Reuse{find: find}
	r.lastVersion.Store(uint64(firstVersion))
	return r
}

// nextVersion returns a version that nothing has yet. Without reuse all writes have the same version.
func (r *Reuse) nextVersion() version {
	if r == nil {
		return firstVersion
	}
	return version(r.lastVersion.Add(1))
}

// Reusing returns a ledger that reuses executions in blocks and in Session.Reapply. Committed of reuse must be called with every block,
// after its state is the latest one.
func (l *Ledger) Reusing(reuse *Reuse) *Ledger { return &Ledger{params: l.params, reuse: reuse} }

// Committed records the changes of a block.
func (r *Reuse) Committed(height uint64, result *Result) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.young == nil || height != r.height+1 {
		r.young, r.old = make(map[uint64]rowChange), nil
		r.floor, r.youngFloor = height, height
		r.height = height
		return // earlier changes are unknown
	}
	r.height = height
	if len(r.young) >= versionGeneration {
		r.young, r.old = make(map[uint64]rowChange, len(r.young)), r.young
		r.floor, r.youngFloor = r.youngFloor, height-1
	}
	for i, change := range result.Changes {
		written := rowChange{height: height}
		hash := keyHash(change.Key)
		switch {
		case r.young[hash].height == height:
			written.writer = unrecorded // another row of the block has the same hash: no execution read this version
		case i < len(result.versions) && result.versions[i].hash == hash:
			written.writer = result.versions[i].writer
		}
		r.young[hash] = written
	}
}

// last returns the latest known change of a row. r.mu must be held.
func (r *Reuse) last(hash uint64) rowChange {
	if change, found := r.young[hash]; found {
		return change
	}
	return r.old[hash]
}

// Reapply is Apply for a message that was applied to another session with the given execution, nil if it is not known. It
// repeats that execution if everything that it depends on is the same; Recorded returns it then, and Undo must not be called.
func (s *Session) Reapply(m *message.Envelope, before *Execution) (*Effects, *message.Refusal, error) {
	return effectsOf(s.applyAgain(m, before))
}

// find returns the execution of a message of a block, nil if there is none.
func (s *Session) find(m *message.Envelope) *Execution {
	if s.reuse == nil || s.limits == nil {
		return nil
	}
	return s.reuse.find(m)
}

// replay applies the recorded execution of a message, if there is one and everything that it depends on is the same. Otherwise
// it returns nil.
func (s *Session) replay(m *message.Envelope, e *Execution) *transition {
	if s.reuse == nil || e == nil || !s.repeats(e) {
		return nil
	}
	t := &transition{Session: s, Envelope: m, effects: e.effects}
	if t.effects.Visits > 0 && t.effects.Visits > s.visitsLeft(t.effects.VisitsOwner) {
		return nil
	}
	for i := range e.writes {
		s.rows.rewrite(&e.writes[i], e, s.block.Height)
	}
	t.addVisits()
	s.reused++
	s.recorded = e
	return t
}

// repeats reports whether everything that an execution depends on is the same as when it was recorded.
func (s *Session) repeats(e *Execution) bool {
	s.reuse.mu.RLock()
	defer s.reuse.mu.RUnlock()
	base := e.height - 1
	switch {
	case s.reuse.height+1 != s.block.Height, base < s.reuse.floor, base > s.reuse.height:
		return false
	case e.rules != s.rules, s.block.Time < e.times.from, s.block.Time > e.times.to, e.fixedHeight && e.height != s.block.Height:
		return false
	}
	for _, read := range e.reads {
		row := s.rows.rows[read.hash]
		switch {
		case row != nil && row.next != nil:
			return false
		case row != nil && row.dirty:
			if row.writer != read.writer {
				return false
			}
		case read.writer != unrecorded:
			if s.reuse.last(read.hash).writer != read.writer {
				return false
			}
		case base < s.reuse.height && s.reuse.last(read.hash).height > base:
			return false
		}
	}
	return true
}

// rewrite repeats a write of an execution in a block of the given height.
func (o *overlay) rewrite(w *recordedWrite, e *Execution, height uint64) {
	key, value, hash := w.key, w.value, w.hash
	if w.height != notInRow && height != e.height {
		var err error
		switch w.height {
		case inCommitRow:
			value, err = schema.WithBlock(value, schema.CommitBlockField, height)
		case inContentRow:
			value, err = schema.WithBlock(value, schema.ContentBlockField, height)
		case inCommitAgeKey:
			key = schema.WithCommitAgeBlock(key, height)
			hash = keyHash(key)
		}
		o.fail(err)
	}
	r := o.find(key, hash)
	switch {
	case r != nil:
	case w.inView:
		r = &overlayRow{key: key, base: w.base, value: w.base, hash: hash}
		o.add(r)
	default:
		r = o.read(key, hash)
	}
	o.assign(r, value)
	r.writer, r.height = e.writer, w.height
}
