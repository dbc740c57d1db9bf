package merkle

// Internals that tests read.
const (
	BitsPerByte = bitsPerByte
	SlotBatch   = slotBatch
)

// SlotsUsed returns the number of slots that were ever allocated.
func (t *Tree) SlotsUsed() int { return t.arena.used }

// SetMemoryRows changes Options.MemoryRows.
func (t *Tree) SetMemoryRows(rows int) { t.options.MemoryRows = rows }

// Added returns the number of nodes that a version does not share with its parent.
func (v *Version) Added() int { return len(v.added) }

// Tree returns the tree of a version.
func (v *Version) Tree() *Tree { return v.tree }

// ModelBits returns the bits of a key as digits, computed without the code of this package: nine digits for each byte
// and a final 0.
func ModelBits(key []byte) string {
	var out []byte
	for _, b := range key {
		out = append(out, '1')
		for i := 7; i >= 0; i-- {
			out = append(out, '0'+b>>i&1)
		}
	}
	return string(append(out, '0'))
}

// Reachable returns the number of nodes and pages of a version.
func (v *Version) Reachable() int { return len(v.reachable()) }
