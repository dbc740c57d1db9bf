package ledgertest

import (
	"bytes"
	"fmt"

	"github.com/tidwall/btree"
	"google.golang.org/protobuf/proto"

	"makechain/internal/schema"
)

// Rows is an in-memory state: a view for the ledger to which changes can be applied.
type Rows struct {
	tree *btree.Map[string, []byte]
}

// NewRows returns an empty state.
func NewRows() *Rows { return &Rows{tree: new(btree.Map[string, []byte])} }

// Clone returns an independent copy. It is cheap: the tree is copied on write.
func (r *Rows) Clone() *Rows { return &Rows{tree: r.tree.Copy()} }

// Len returns the number of rows.
func (r *Rows) Len() int { return r.tree.Len() }

// Get returns the value at key, nil when there is no such row.
func (r *Rows) Get(key []byte) ([]byte, error) {
	value, _ := r.tree.Get(string(key))
	return value, nil
}

// Scan visits the rows with lower <= key < upper in order until visit returns false. A nil upper means no end.
func (r *Rows) Scan(lower, upper []byte, visit func(key, value []byte) bool) error {
	r.tree.Ascend(string(lower), func(key string, value []byte) bool {
		if upper != nil && key >= string(upper) {
			return false
		}
		return visit([]byte(key), value)
	})
	return nil
}

// Load reads the row at key into row and reports whether it exists.
func (r *Rows) Load(key []byte, row proto.Message) (bool, error) {
	value, ok := r.tree.Get(string(key))
	if !ok {
		return false, nil
	}
	return true, schema.Decode(value, row)
}

// Put writes a row directly, for states that are too expensive to reach with messages.
func (r *Rows) Put(key []byte, row proto.Message) error {
	value, err := schema.Encode(row)
	if err != nil {
		return err
	}
	r.tree.Set(string(key), value)
	return nil
}

// Apply applies the changes of a block. It refuses changes that a ledger must never return: keys out of order or
// duplicated, changes without effect, empty values, and a wrong Existed.
func (r *Rows) Apply(changes []schema.Change) error {
	for i, c := range changes {
		if i > 0 && bytes.Compare(changes[i-1].Key, c.Key) >= 0 {
			return fmt.Errorf("change of %x comes after %x", c.Key, changes[i-1].Key)
		}
		stored, exists := r.tree.Get(string(c.Key))
		switch {
		case c.Existed != exists:
			return fmt.Errorf("change of %x has existed = %t, want %t", c.Key, c.Existed, exists)
		case c.Value == nil && !exists, c.Value != nil && exists && bytes.Equal(c.Value, stored):
			return fmt.Errorf("change of %x changes nothing", c.Key)
		case c.Value != nil && len(c.Value) == 0:
			return fmt.Errorf("change of %x stores an empty row", c.Key)
		}
	}
	for _, c := range changes {
		if c.Value == nil {
			r.tree.Delete(string(c.Key))
		} else {
			r.tree.Set(string(c.Key), c.Value)
		}
	}
	return nil
}
