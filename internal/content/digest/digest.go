// Package digest has what all stores of git bundles share: the name of a git bundle and the check of its bytes.
package digest

import (
	"fmt"
	"hash"

	"makechain/internal/ident"
)

// Path returns the name of the git bundle with a digest in every store: <2 hex>/<64 hex>.
func Path(digest ident.Hash) string {
	name := digest.String()
	return name[:2] + "/" + name
}

// Error is returned for bytes that do not have the digest they should have.
type Error struct{ Want, Got ident.Hash }

func (e *Error) Error() string {
	return fmt.Sprintf("the bytes have the digest %s, not %s", e.Got, e.Want)
}

// Check returns an *Error unless the bytes that were written to a BLAKE3 hasher have a digest.
func Check(want ident.Hash, hasher hash.Hash) error {
	if got := ident.Hash(hasher.Sum(nil)); got != want {
		return &Error{Want: want, Got: got}
	}
	return nil
}
