package content

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"makechain/internal/ident"
)

// blockFile has the digests and projects that the operator has blocked, one in each line.
const blockFile = "blocked"

// A blockList is the digests and projects that are neither served nor accepted. The file may be changed while the service
// runs.
type blockList struct {
	path string

	mu  sync.RWMutex // guards ids
	ids map[ident.Hash]bool
}

func openBlockList(dir string) (*blockList, error) {
	b := &blockList{path: filepath.Join(dir, blockFile)}
	return b, b.reload()
}

// reload reads the file.
func (b *blockList) reload() error {
	ids, err := ReadBlocked(filepath.Dir(b.path))
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ids = map[ident.Hash]bool{}
	for _, id := range ids {
		b.ids[id] = true
	}
	return nil
}

// has reports whether a digest or project is blocked.
func (b *blockList) has(id ident.Hash) bool {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.ids[id]
}

// ReadBlocked returns the digests and projects that are blocked in the directory of a service.
func ReadBlocked(dir string) (ids []ident.Hash, err error) {
	text, err := os.ReadFile(filepath.Join(dir, blockFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		id, err := ident.ParseHash(line)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// WriteBlocked replaces the digests and projects that are blocked. A running service reads them within a few seconds.
func WriteBlocked(dir string, ids []ident.Hash) error {
	var text strings.Builder
	for _, id := range ids {
		text.WriteString(id.String() + "\n")
	}
	return writeFile(filepath.Join(dir, blockFile), []byte(text.String()))
}
