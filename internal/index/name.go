package index

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
)

// ErrCursor says that a search cannot go on from a cursor, because no search gave it.
var ErrCursor = errors.New("not a cursor of a search by name")

// ProjectName is a project that is not removed, by its name.
type ProjectName struct {
	Name    string
	Project ident.Hash
	Owner   ident.Address
}

// Cursor is where a search goes on behind this project. It stays good while projects come and go.
func (n ProjectName) Cursor() []byte { return nameKey(n.Name, n.Project)[1:] }

func (n ProjectName) key() []byte { return nameKey(n.Name, n.Project) }

// SearchProjects lists the projects whose names begin with prefix, in the byte order of their names, then of
// their ids: of one owner, or of all when it is nil; those behind a cursor, or from the first when it is empty.
func (r Reader) SearchProjects(prefix string, owner *ident.Address, limit int, after []byte) ([]ProjectName, error) {
	var last ProjectName
	if len(after) > 0 {
		var err error
		if last, err = parseName(after); err != nil {
			return nil, fmt.Errorf("%w: %x", ErrCursor, after)
		}
	}
	if strings.Contains(prefix, "\x00") { // would run into what stands behind a name
		return nil, nil
	}
	if owner != nil {
		// One owner's names are rows of the state in the order wanted.
		first := schema.ProjectNameKey(*owner, prefix)
		return r.names(first, schema.ProjectNameKey(*owner, last.Name), limit, ownedName)
	}
	first := append([]byte{prefixName}, prefix...)
	return r.names(first, append([]byte{prefixName}, after...), limit, searchedName)
}

// names lists rows under a prefix, those behind the key of the last one that was listed before.
func (r Reader) names(prefix, last []byte, limit int, read func(key, value []byte) (ProjectName, error)) ([]ProjectName, error) {
	lower := prefix
	if behind := append(slices.Clone(last), 0); bytes.Compare(behind, lower) > 0 {
		lower = behind
	}
	var names []ProjectName
	var failed error
	err := r.view.Scan(lower, schema.After(prefix), func(key, value []byte) bool {
		if len(names) == limit {
			return false
		}
		name, err := read(key, value)
		if err != nil {
			failed = fmt.Errorf("index: row %x: %w", key, err)
			return false
		}
		names = append(names, name)
		return true
	})
	if failed != nil {
		err = failed
	}
	return names, err
}

// searchedName reads a row of this index.
func searchedName(key, value []byte) (ProjectName, error) {
	name, err := parseName(key[1:])
	if err != nil {
		return name, err
	}
	owner, ok := ident.AddressFrom(value)
	if !ok {
		return name, fmt.Errorf("an owner has %d bytes", len(value))
	}
	name.Owner = owner
	return name, nil
}

// parseName reads what nameKey wrote, behind its first byte.
func parseName(tail []byte) (name ProjectName, err error) {
	end := len(tail) - ident.HashSize - 1
	if end < 1 || bytes.IndexByte(tail, 0) != end {
		return name, errors.New("no name and project")
	}
	name.Name = string(tail[:end])
	copy(name.Project[:], tail[end+1:])
	return name, nil
}

// ownedName reads the state row that leads from an owner and a name to a project.
func ownedName(key, value []byte) (name ProjectName, err error) {
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
		return name, fmt.Errorf("a project id has %d bytes", len(row.GetProjectId()))
	}
	return ProjectName{Name: string(parsed.Name), Project: project, Owner: parsed.Owner}, nil
}

// addNames follows the names that a block gives and takes. A name can go from one project to another within it.
func (b *batch) addNames(changes []schema.Change) {
	for _, c := range changes {
		if schema.Prefix(c.Key[0]) != schema.PrefixProjectName {
			continue
		}
		if c.Existed {
			b.remove(b.ownedName(c.Key, b.get(c.Key)).key())
		}
		if c.Value != nil {
			name := b.ownedName(c.Key, c.Value)
			b.insert(name.key(), name.Owner[:])
		}
	}
}

func (b *batch) ownedName(key, value []byte) ProjectName {
	name, err := ownedName(key, value)
	if err != nil {
		b.fail(fmt.Errorf("row %x: %w", key, err))
	}
	return name
}
