package index

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
)

// ErrCursor is returned by SearchProjects for a cursor that no search returned.
var ErrCursor = errors.New("not a cursor of a search by name")

// ProjectName is the name of a project that is not removed.
type ProjectName struct {
	Name    string
	Project ident.Hash
	Owner   ident.Address
}

// Cursor returns the position after this project. It stays valid when projects are added and removed.
func (n ProjectName) Cursor() []byte { return n.key()[1:] }

func (n ProjectName) key() []byte { return nameKey(n.Name, n.Project) }

// SearchProjects returns projects whose names start with prefix, in byte order of their names, then of their ids. A
// non-nil owner restricts the search to one owner. The list starts after the cursor, or at the first project if it is
// empty.
func (r Reader) SearchProjects(prefix string, owner *ident.Address, limit int, after []byte) ([]ProjectName, error) {
	var last ProjectName
	if len(after) > 0 {
		var err error
		if last, err = parseName(after); err != nil {
			return nil, fmt.Errorf("%w: %x", ErrCursor, after)
		}
	}
	if strings.Contains(prefix, "\x00") { // would match the separator after a name
		return nil, nil
	}
	first, lastKey, parse := append([]byte{prefixName}, prefix...), append([]byte{prefixName}, after...), parseNameRow
	if owner != nil {
		// The name rows of one owner are rows of the state in the requested order.
		first, lastKey, parse = schema.ProjectNameKey(*owner, prefix), schema.ProjectNameKey(*owner, last.Name), parseStateName
	}
	var names []ProjectName
	err := r.scan(first, append(lastKey, 0), func(key, value []byte) (bool, error) {
		if len(names) == limit {
			return false, nil
		}
		name, err := parse(key, value)
		names = append(names, name)
		return true, err
	})
	return names, err
}

// parseNameRow parses a name row of this index.
func parseNameRow(key, value []byte) (ProjectName, error) {
	name, err := parseName(key[1:])
	if err != nil {
		return name, err
	}
	owner, ok := ident.AddressFrom(value)
	if !ok {
		return name, fmt.Errorf("an owner has %d bytes, want %d", len(value), ident.AddressSize)
	}
	name.Owner = owner
	return name, nil
}

// parseName parses a key of nameKey without its first byte.
func parseName(tail []byte) (name ProjectName, err error) {
	end := len(tail) - ident.HashSize - 1
	if end < 1 || bytes.IndexByte(tail, 0) != end {
		return name, errors.New("not a name and a project id")
	}
	name.Name = string(tail[:end])
	copy(name.Project[:], tail[end+1:])
	return name, nil
}

// parseStateName parses a name row of the state.
func parseStateName(key, value []byte) (name ProjectName, err error) {
	parsed, err := schema.ParseKey(key)
	if err != nil {
		return name, err
	}
	var row pb.ProjectNameRow
	if err := schema.Decode(value, &row); err != nil {
		return name, err
	}
	project, ok := ident.HashFrom(row.GetProjectId())
	if !ok {
		return name, fmt.Errorf("a project id has %d bytes, want %d", len(row.GetProjectId()), ident.HashSize)
	}
	return ProjectName{Name: string(parsed.Name), Project: project, Owner: parsed.Owner}, nil
}

// addNames adds and removes name rows as the name rows of the state change. A name can move from one project to another
// within a block.
func (b *batch) addNames(changes []schema.Change) {
	parse := func(key, value []byte) ProjectName {
		name, err := parseStateName(key, value)
		if err != nil {
			b.fail(fmt.Errorf("row %x: %w", key, err))
		}
		return name
	}
	for _, c := range changes {
		if schema.Prefix(c.Key[0]) != schema.PrefixProjectName {
			continue
		}
		if c.Existed {
			b.remove(parse(c.Key, b.get(c.Key)).key())
		}
		if c.Value != nil {
			name := parse(c.Key, c.Value)
			b.insert(name.key(), name.Owner[:])
		}
	}
}
