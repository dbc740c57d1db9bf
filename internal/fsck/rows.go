package fsck

import (
	"bytes"
	"fmt"

	"google.golang.org/protobuf/proto"

	"makechain/internal/ident"
	"makechain/internal/schema"
)

// View is a consistent picture of all rows, derived ones included.
type View interface {
	// Get returns the value at key, nil when there is no such row.
	Get(key []byte) ([]byte, error)
	// Scan calls fn for every row with lower <= key < upper in ascending order until fn returns false. A nil
	// upper means no end. What fn is given is valid only during the call. Scans may be nested.
	Scan(lower, upper []byte, fn func(key, value []byte) bool) error
}

// Check checks every row of a view. An error means that the view could not be read; what is wrong with the
// rows themselves is in the report.
func Check(view View) (*Report, error) {
	c := &checker{view: view, report: &Report{}}
	var last []byte
	err := view.Scan(nil, nil, func(key, value []byte) bool {
		if c.report.Rows > 0 && bytes.Compare(last, key) >= 0 {
			c.fail(fmt.Errorf("row %x comes after row %x", key, last))
		}
		last = append(last[:0], key...)
		c.report.Rows++
		c.row(key, value)
		return c.err == nil
	})
	c.fail(err)
	if c.err != nil {
		return nil, fmt.Errorf("fsck: %w", c.err)
	}
	return c.report, nil
}

// checker goes through the rows. The first failure to read sticks, and ends the check.
type checker struct {
	view   View
	report *Report
	err    error
}

// row is one row on its way through the checks.
type row struct {
	schema.Key
	key, value []byte
}

func (c *checker) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

func (c *checker) find(class Class, key []byte, format string, args ...any) {
	if c.err == nil {
		c.report.add(Finding{Class: class, Key: key, Text: fmt.Sprintf(format, args...)})
	}
}

func (c *checker) get(key []byte) []byte {
	value, err := c.view.Get(key)
	c.fail(err)
	return value
}

// count counts the rows that begin with prefix.
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

// pointer is a row message by its pointer.
type pointer[T any] interface {
	*T
	proto.Message
}

// read looks a row up, nil when it is absent or does not decode. The latter is found where the row itself is
// checked.
func read[T any, P pointer[T]](c *checker, key []byte) P {
	value := c.get(key)
	decoded := P(new(T))
	if value == nil || schema.Decode(value, decoded) != nil {
		return nil
	}
	return decoded
}

// with decodes a row for its check.
func with[T any, P pointer[T]](c *checker, r row, check func(r row, decoded P)) {
	decoded := P(new(T))
	if err := schema.Decode(r.value, decoded); err != nil {
		c.find(BadValue, r.key, "the value does not decode: %v", err)
		return
	}
	encoded, err := schema.Encode(decoded)
	switch {
	case err != nil:
		c.find(BadValue, r.key, "the value does not encode: %v", err)
	case len(decoded.ProtoReflect().GetUnknown()) > 0:
		c.find(BadValue, r.key, "the value %x has unknown fields", r.value)
	case !bytes.Equal(encoded, r.value):
		c.find(BadValue, r.key, "the value %x is not canonical, which is %x", r.value, encoded)
	default:
		check(r, decoded)
	}
}

func (c *checker) row(key, value []byte) {
	if len(value) == 0 {
		c.find(BadValue, key, "the value is empty; a row whose fields are all zero is not stored")
		return
	}
	if len(key) > 0 && schema.Prefix(key[0]) == schema.PrefixAge {
		c.age(key, value)
		return
	}
	if len(key) > 0 && schema.Prefix(key[0]) == schema.PrefixMergeRequestPair {
		c.pair(key, value)
		return
	}
	parsed, err := schema.ParseKey(key)
	if err != nil {
		c.find(BadKey, key, "%v", err)
		return
	}
	c.merkleized(row{Key: parsed, key: key, value: value})
}

func (c *checker) merkleized(r row) {
	switch r.Prefix {
	case schema.PrefixTombstone:
		with(c, r, c.tombstone)
	case schema.PrefixPruneMarker:
		with(c, r, c.pruneMarker)
	case schema.PrefixProject, schema.PrefixProjectMetadata, schema.PrefixProjectName, schema.PrefixForkParent,
		schema.PrefixRef, schema.PrefixCommit, schema.PrefixCollaborator, schema.PrefixMergeRequest:
		c.ofProject(r)
	case schema.PrefixValidators:
		with(c, r, c.validators)
	default:
		c.ofAccount(r)
	}
}

func (c *checker) ofProject(r row) {
	switch r.Prefix {
	case schema.PrefixProject:
		with(c, r, c.project)
	case schema.PrefixProjectMetadata:
		with(c, r, c.projectMetadata)
	case schema.PrefixProjectName:
		with(c, r, c.projectName)
	case schema.PrefixForkParent:
		with(c, r, c.forkParent)
	case schema.PrefixRef:
		with(c, r, c.ref)
	case schema.PrefixCommit:
		with(c, r, c.commit)
	case schema.PrefixCollaborator:
		with(c, r, c.collaborator)
	case schema.PrefixMergeRequest:
		with(c, r, c.mergeRequest)
	}
}

func (c *checker) ofAccount(r row) {
	switch r.Prefix {
	case schema.PrefixAccount:
		with(c, r, c.account)
	case schema.PrefixAccountMetadata:
		with(c, r, c.accountMetadata)
	case schema.PrefixKey:
		if r.Tag == schema.FamilyCustody {
			with(c, r, c.custodyKey)
		} else {
			with(c, r, c.delegatedKey)
		}
	case schema.PrefixKeyOwner:
		with(c, r, c.keyOwner)
	case schema.PrefixUsername:
		with(c, r, c.username)
	case schema.PrefixVerification:
		with(c, r, c.verification)
	case schema.PrefixLink:
		with(c, r, c.link)
	case schema.PrefixLinkByTarget:
		with(c, r, c.linkByTarget)
	case schema.PrefixReaction:
		with(c, r, c.reaction)
	case schema.PrefixReactionByTarget:
		with(c, r, c.reactionByTarget)
	case schema.PrefixCounter:
		with(c, r, c.counter)
	case schema.PrefixStorageGrant:
		with(c, r, c.storageGrant)
	case schema.PrefixClaim:
		with(c, r, c.claim)
	case schema.PrefixMergeRequestByRequester:
		with(c, r, c.mergeRequestByRequester)
	default:
		c.find(BadKey, r.key, "no check knows this kind of row")
	}
}

// size needs a field of a fixed size.
func (c *checker) size(r row, field string, value []byte, want int) {
	if len(value) != want {
		c.find(BadValue, r.key, "%s has %d bytes, want %d", field, len(value), want)
	}
}

// optionalHash needs a hash or nothing.
func (c *checker) optionalHash(r row, field string, value []byte) {
	if len(value) != 0 {
		c.size(r, field, value, ident.HashSize)
	}
}

// known needs a number that its enum has a name for.
func (c *checker) known(r row, field string, number int32, names map[int32]string) {
	if _, ok := names[number]; !ok {
		c.find(BadValue, r.key, "%s %d is not a known value", field, number)
	}
}

// set needs a known number other than 0.
func (c *checker) set(r row, field string, number int32, names map[int32]string) {
	if number == 0 {
		c.find(BadValue, r.key, "%s is not set", field)
	}
	c.known(r, field, number, names)
}

// since needs a time: no message has the timestamp 0.
func (c *checker) since(r row, field string, at uint32) {
	if at == 0 {
		c.find(BadValue, r.key, "%s is 0", field)
	}
}

// equal needs a stored count to be the one counted.
func (c *checker) equal(key []byte, what string, stored, counted uint32) {
	if stored != counted {
		c.find(WrongCount, key, "%s is %d, there are %d such rows", what, stored, counted)
	}
}

// address and hash read a field whose size is checked in its own row; anything else reads as zero.
func address(b []byte) ident.Address {
	a, _ := ident.AddressFrom(b)
	return a
}

func hash(b []byte) ident.Hash {
	h, _ := ident.HashFrom(b)
	return h
}
