package content

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"makechain/internal/ident"
)

// marks are files named after projects whose repository may not match their records, because a change of both is running or
// was interrupted. The repositories of interrupted changes are rebuilt.
type marks struct {
	dir string

	mu      sync.Mutex // guards running, and the files
	running map[ident.Hash]int
}

// begin marks a project durably. The caller calls end when the change is over; ok reports that the repository matches.
func (m *marks) begin(project ident.Hash) (end func(ok bool), err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.create(project); err != nil {
		return nil, err
	}
	m.running[project]++
	return func(ok bool) {
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.running[project]--; m.running[project] > 0 {
			return
		}
		delete(m.running, project)
		if ok {
			_ = os.Remove(m.path(project)) // a mark that is left only costs time
		}
	}, nil
}

// set marks a project durably, so that its repository is rebuilt.
func (m *marks) set(project ident.Hash) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.create(project)
}

func (m *marks) path(project ident.Hash) string { return filepath.Join(m.dir, project.String()) }

// create creates the file of a project. mu must be held.
func (m *marks) create(project ident.Hash) error {
	file, err := os.Create(m.path(project))
	if err != nil {
		return err
	}
	return errors.Join(file.Close(), syncDir(m.dir))
}

// interrupted returns the projects that are marked and are not being changed.
func (m *marks) interrupted() (projects []ident.Hash, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	files, err := os.ReadDir(m.dir)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		project, err := ident.ParseHash(file.Name())
		if err != nil {
			return nil, fmt.Errorf("%s has a foreign file %s", m.dir, file.Name())
		}
		if m.running[project] == 0 {
			projects = append(projects, project)
		}
	}
	return projects, nil
}
