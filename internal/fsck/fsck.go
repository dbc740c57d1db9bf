// Package fsck checks a stored state. From the rows alone it decides whether a chain can have written them, and reports
// every row that it cannot have written (P12).
//
// It shares no code with the ledger except the layout of the rows, so that it does not repeat a mistake of the ledger. It
// does not use history: errors that only a comparison of two states can show, such as a nonce that decreased, are not
// detected.
//
// Rows are visited once in key order. Related rows are looked up, and counts are compared with a scan of the counted
// range, so that every row is visited a small number of times. Memory grows only with the findings, whose number is
// bounded.
package fsck

import (
	"bytes"
	"fmt"

	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/schema"
	"makechain/internal/validators"
)

// View is a consistent view of all rows, including derived ones.
type View interface {
	// Get returns the value at key, nil when there is no such row.
	Get(key []byte) ([]byte, error)
	// Scan calls fn for every row with lower <= key < upper in ascending order until fn returns false. A nil
	// upper means no end. The arguments of fn are valid only during the call. Scans may be nested.
	Scan(lower, upper []byte, fn func(key, value []byte) bool) error
}

// Check checks every row of a view and returns a report of the findings. An error means that the view could not be read.
func Check(view View) (*Report, error) {
	c := &checker{view: view, report: &Report{}, bounds: schema.Bounds(), kinds: map[schema.Prefix]uint64{}}
	var last []byte
	err := view.Scan(nil, nil, func(key, value []byte) bool {
		if c.report.Rows > 0 && bytes.Compare(last, key) >= 0 {
			c.fail(fmt.Errorf("row %x comes after row %x", key, last))
		}
		last = append(last[:0], key...)
		c.report.Rows++
		c.bound(key, value)
		c.row(key, value)
		return c.err == nil
	})
	c.fail(err)
	c.checkBounds()
	if c.err != nil {
		return nil, fmt.Errorf("fsck: %w", c.err)
	}
	return c.report, nil
}

// checker is the state of one Check. err is the first failed read, which ends the check.
type checker struct {
	view   View
	report *Report
	bounds map[schema.Prefix]schema.Bound
	kinds  map[schema.Prefix]uint64 // number of rows
	totals schema.Totals
	err    error
}

// row is a row that is checked.
type row struct {
	schema.Key
	key, value []byte
}

func (c *checker) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// finding adds a finding to the report.
func (c *checker) finding(class Class, key []byte, format string, args ...any) {
	if c.err == nil {
		c.report.add(Finding{Class: class, Key: key, Text: fmt.Sprintf(format, args...)})
	}
}

func (c *checker) get(key []byte) []byte {
	value, err := c.view.Get(key)
	c.fail(err)
	return value
}

// count returns the number of rows whose keys start with prefix.
func (c *checker) count(prefix []byte) uint32 {
	n := uint32(0)
	c.scan(prefix, func(_, _ []byte) { n++ })
	return n
}

func (c *checker) scan(prefix []byte, fn func(key, value []byte)) {
	c.fail(c.view.Scan(prefix, schema.After(prefix), func(key, value []byte) bool {
		fn(key, value)
		return c.err == nil
	}))
}

// pointer is the pointer type of a row message.
type pointer[T any] interface {
	*T
	proto.Message
}

// read returns a row, nil when it is absent or does not decode. A row that does not decode is reported when it is
// visited.
func read[T any, P pointer[T]](c *checker, key []byte) P {
	value := c.get(key)
	decoded := P(new(T))
	if value == nil || schema.Decode(value, decoded) != nil {
		return nil
	}
	return decoded
}

// decode decodes a row and passes it to its check.
func decode[T any, P pointer[T]](c *checker, r row, check func(r row, decoded P)) {
	decoded := P(new(T))
	if err := schema.Decode(r.value, decoded); err != nil {
		c.finding(BadValue, r.key, "the value does not decode: %v", err)
		return
	}
	encoded, err := schema.Encode(decoded)
	switch {
	case err != nil:
		c.finding(BadValue, r.key, "the value does not encode: %v", err)
	case len(decoded.ProtoReflect().GetUnknown()) > 0:
		c.finding(BadValue, r.key, "the value %x has unknown fields", r.value)
	case !bytes.Equal(encoded, r.value):
		c.finding(BadValue, r.key, "the value %x is not canonical, want %x", r.value, encoded)
	default:
		check(r, decoded)
	}
}

func (c *checker) row(key, value []byte) {
	if len(value) == 0 {
		c.finding(BadValue, key, "the value is empty, but a row whose fields are all zero is not stored")
		return
	}
	switch {
	case len(key) > 0 && schema.Prefix(key[0]) == schema.PrefixAge:
		c.age(key, value)
		return
	case len(key) > 0 && schema.Prefix(key[0]) == schema.PrefixMergeRequestPair:
		c.pair(key, value)
		return
	}
	parsed, err := schema.ParseKey(key)
	if err != nil {
		c.finding(BadKey, key, "%v", err)
		return
	}
	c.stateRow(row{Key: parsed, key: key, value: value})
}

// stateRow checks a row of the state tree.
func (c *checker) stateRow(r row) {
	switch r.Prefix {
	case schema.PrefixTombstone:
		decode(c, r, c.tombstone)
	case schema.PrefixPruneMarker:
		decode(c, r, c.pruneMarker)
	case schema.PrefixProject:
		decode(c, r, c.project)
	case schema.PrefixProjectMetadata:
		decode(c, r, c.projectMetadata)
	case schema.PrefixProjectName:
		decode(c, r, c.projectName)
	case schema.PrefixForkParent:
		decode(c, r, c.forkParent)
	case schema.PrefixRef:
		decode(c, r, c.ref)
	case schema.PrefixCommit:
		decode(c, r, c.commit)
	case schema.PrefixContent:
		decode(c, r, c.content)
	case schema.PrefixCollaborator:
		decode(c, r, c.collaborator)
	case schema.PrefixMergeRequest:
		decode(c, r, c.mergeRequest)
	case schema.PrefixClosedMergeRequest:
		decode(c, r, c.closedMergeRequest)
	case schema.PrefixMergeRequestByRequester:
		decode(c, r, c.mergeRequestByRequester)
	case schema.PrefixValidators, schema.PrefixSettlement, schema.PrefixRules:
		c.decided(r)
	case schema.PrefixAccount:
		decode(c, r, c.account)
	case schema.PrefixAccountMetadata:
		decode(c, r, c.accountMetadata)
	case schema.PrefixKey:
		if r.Tag == schema.FamilyCustody {
			decode(c, r, c.custodyKey)
		} else {
			decode(c, r, c.delegatedKey)
		}
	case schema.PrefixKeyOwner:
		decode(c, r, c.keyOwner)
	case schema.PrefixUsername:
		decode(c, r, c.username)
	case schema.PrefixVerification:
		decode(c, r, c.verification)
	case schema.PrefixLink:
		decode(c, r, c.link)
	case schema.PrefixLinkByTarget:
		decode(c, r, c.linkByTarget)
	case schema.PrefixReaction:
		decode(c, r, c.reaction)
	case schema.PrefixReactionByTarget:
		decode(c, r, c.reactionByTarget)
	case schema.PrefixCounter:
		decode(c, r, c.counter)
	case schema.PrefixStorageGrant:
		decode(c, r, c.storageGrant)
	case schema.PrefixClaim:
		decode(c, r, c.claim)
	default:
		c.finding(BadKey, r.key, "there is no check for this kind of row")
	}
}

// decided checks a row that changes of the validators write.
func (c *checker) decided(r row) {
	switch r.Prefix {
	case schema.PrefixValidators:
		decode(c, r, c.validators)
	case schema.PrefixSettlement:
		decode(c, r, c.settlement)
	default:
		decode(c, r, c.rules)
	}
}

// validators checks that changes can have led to the validator set.
func (c *checker) validators(r row, stored *pb.ValidatorsRow) {
	if _, err := validators.FromRow(stored); err != nil {
		c.finding(BadValidators, r.key, "%v", err)
	}
}

// settlement checks that changes can have led to the settlement.
func (c *checker) settlement(r row, stored *pb.SettlementRow) {
	if _, err := ledger.SettlementFromRow(stored); err != nil {
		c.finding(BadSettlement, r.key, "%v", err)
	}
}

// rules checks that changes can have led to the activation of a version of the rules.
func (c *checker) rules(r row, stored *pb.RulesRow) {
	if _, err := ledger.RulesFromRow(stored); err != nil {
		c.finding(BadRules, r.key, "%v", err)
	}
}

// size checks the length of a field.
func (c *checker) size(r row, field string, value []byte, want int) {
	if len(value) != want {
		c.finding(BadValue, r.key, "%s has %d bytes, want %d", field, len(value), want)
	}
}

// optionalHash checks that a field is a hash or empty.
func (c *checker) optionalHash(r row, field string, value []byte) {
	if len(value) != 0 {
		c.size(r, field, value, ident.HashSize)
	}
}

// enum checks that a number is a value of its enum.
func (c *checker) enum(r row, field string, number int32, names map[int32]string) {
	if _, ok := names[number]; !ok {
		c.finding(BadValue, r.key, "%s %d is not a defined value", field, number)
	}
}

// nonZeroEnum checks that a number is a value of its enum other than 0.
func (c *checker) nonZeroEnum(r row, field string, number int32, names map[int32]string) {
	if number == 0 {
		c.finding(BadValue, r.key, "%s is not set", field)
	}
	c.enum(r, field, number, names)
}

// nonZeroTime checks that a time is set, because no message has the timestamp 0.
func (c *checker) nonZeroTime(r row, field string, at uint32) {
	if at == 0 {
		c.finding(BadValue, r.key, "%s is 0", field)
	}
}

// compareCount compares a stored count with the number of rows.
func (c *checker) compareCount(key []byte, what string, stored, counted uint32) {
	if stored != counted {
		c.finding(WrongCount, key, "%s is %d, but there are %d such rows", what, stored, counted)
	}
}

// address and hash convert a field whose length is checked when its row is visited. Other lengths convert to zero.
func address(b []byte) ident.Address {
	a, _ := ident.AddressFrom(b)
	return a
}

func hash(b []byte) ident.Hash {
	h, _ := ident.HashFrom(b)
	return h
}
