package proof_test

import (
	"errors"
	"testing"

	"makechain/internal/ident"
	"makechain/internal/schema"
	"makechain/proof"
)

// failingSource is a source that fails to read rows, neighbours or paths.
type failingSource struct {
	*model
	get, neighbours, path error
}

func (f failingSource) Get(key []byte) ([]byte, error) {
	if f.get != nil {
		return nil, f.get
	}
	return f.model.Get(key)
}

func (f failingSource) Neighbours(key []byte) (left, right []byte, err error) {
	if f.neighbours != nil {
		return nil, nil, f.neighbours
	}
	return f.model.Neighbours(key)
}

func (f failingSource) Path(key []byte) ([]proof.Sibling, error) {
	if f.path != nil {
		return nil, f.path
	}
	return f.model.Path(key)
}

// TestSourceErrors checks that a read error is returned and not treated as an absent row.
func TestSourceErrors(t *testing.T) {
	t.Parallel()
	broken := errors.New("read error")
	owner := ident.Address{5}
	m := newModel(
		modelRow{schema.AccountKey(owner), []byte{8, 1}},
		modelRow{schema.RefKey(ident.Hash{1}, []byte("main")), []byte{8, 1}},
	)
	for name, src := range map[string]failingSource{
		"get": {model: m, get: broken}, "neighbours": {model: m, neighbours: broken}, "path": {model: m, path: broken},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			absentKey := schema.RefKey(ident.Hash{1}, []byte("other"))
			_, absentErr := proof.Absent(src, absentKey)
			_, compoundErr := proof.Compound(src, absentKey)
			_, rangeErr := proof.Range(src, []byte{0x0D}, 0, nil)
			_, quotaErr := proof.StorageQuota(src, owner, 1)
			for what, err := range map[string]error{"absent": absentErr, "compound": compoundErr, "range": rangeErr, "quota": quotaErr} {
				if !errors.Is(err, broken) {
					t.Errorf("%s: %v", what, err)
				}
			}
		})
	}
}
