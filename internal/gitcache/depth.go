package gitcache

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"slices"
	"sort"

	"makechain/internal/gitbundle"
)

// checkDepth refuses a pack with a chain of deltas that is longer than the limit: reading its last object needs all of
// them. index is the file that git index-pack wrote for the pack.
func (p *pack) checkDepth(index string, limit int) error {
	if err := p.resolve(index); err != nil {
		return err
	}
	depths := make([]int32, len(p.bases)) // 0 until known, else one more than the number of deltas
	var chain []int32
	for i := range p.bases {
		at := int32(i)
		for chain = chain[:0]; at != baseNone && depths[at] == 0; at = p.bases[at] {
			if chain = append(chain, at); len(chain) > limit+1 {
				break
			}
		}
		depth := int32(0)
		if at != baseNone {
			depth = depths[at]
		}
		if int(depth)+len(chain) > limit+1 {
			return exceeds("a chain of more than %d deltas in the bundle", limit)
		}
		for _, entry := range slices.Backward(chain) {
			depth++
			depths[entry] = depth
		}
	}
	return nil
}

// resolve replaces the bases that have an id by the number of the entry. A base outside of the bundle was appended to the
// pack by git, as a whole object.
func (p *pack) resolve(index string) error {
	if len(p.refs) == 0 {
		return nil
	}
	content, err := os.ReadFile(index)
	if err != nil {
		return err
	}
	x, err := parseIndex(content, p.format)
	if err != nil {
		return fmt.Errorf("%s: %w", index, err)
	}
	for number, id := range p.refs {
		offset, found := x.offset(id)
		if !found {
			return fmt.Errorf("%s does not have the object %s", index, id)
		}
		p.bases[number] = baseNone
		if entry, found := slices.BinarySearch(p.offsets, offset); found {
			p.bases[number] = int32(entry)
		}
	}
	return nil
}

// packIndex is an index of version 2: ids in ascending order, and the offset of each.
type packIndex struct {
	ids     []byte
	idSize  int
	offsets []byte // 4 bytes each; with the highest bit an index into large
	large   []byte // 8 bytes each
}

func parseIndex(content []byte, format gitbundle.Format) (*packIndex, error) {
	const headerSize, fanoutSize = 8, 256 * 4
	idSize := format.Digits() / 2
	if len(content) < headerSize+fanoutSize+2*idSize || !bytes.HasPrefix(content, []byte("\xfftOc\x00\x00\x00\x02")) {
		return nil, errors.New("not an index of version 2")
	}
	count := int(binary.BigEndian.Uint32(content[headerSize+fanoutSize-4:]))
	rest := content[headerSize+fanoutSize : len(content)-2*idSize]
	if len(rest) < count*(idSize+8) {
		return nil, errors.New("the index is truncated")
	}
	return &packIndex{
		ids: rest[:count*idSize], idSize: idSize, offsets: rest[count*(idSize+4) : count*(idSize+8)], large: rest[count*(idSize+8):],
	}, nil
}

func (x *packIndex) offset(id string) (int64, bool) {
	want, err := hex.DecodeString(id)
	if err != nil || len(want) != x.idSize {
		return 0, false
	}
	at := func(i int) []byte { return x.ids[i*x.idSize : (i+1)*x.idSize] }
	count := len(x.ids) / x.idSize
	i := sort.Search(count, func(i int) bool { return bytes.Compare(at(i), want) >= 0 })
	if i == count || !bytes.Equal(at(i), want) {
		return 0, false
	}
	offset := binary.BigEndian.Uint32(x.offsets[4*i:])
	if offset&(1<<31) == 0 {
		return int64(offset), true
	}
	j := 8 * int(offset&^(1<<31))
	if j+8 > len(x.large) {
		return 0, false
	}
	return int64(binary.BigEndian.Uint64(x.large[j:])), true
}
