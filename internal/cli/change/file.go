package change

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"makechain/internal/cli/input"
	"makechain/internal/cli/output"
	"makechain/internal/validators"
)

// maxFile is the maximum size of a change in a file, in bytes. The largest have the signatures of all validators.
const maxFile = 4 << 20

// readAll reads copies of one change and merges their signatures.
func (k *Kind) readAll(paths []string) (*validators.Change, error) {
	merged, err := k.read(paths[0])
	for _, path := range paths[1:] {
		var other *validators.Change
		if err == nil {
			other, err = k.read(path)
		}
		if err == nil {
			err = merged.Merge(other)
		}
	}
	return merged, err
}

// read reads a change of this kind from a file.
func (k *Kind) read(path string) (*validators.Change, error) {
	content, err := input.ReadFile(path, maxFile)
	if err != nil {
		return nil, err
	}
	found, err := validators.ParseJSON(content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if !k.Is(found.Content) {
		return nil, fmt.Errorf("%s contains a %s, which is not for %s", path, found.Name(), k.Command)
	}
	return found, nil
}

// writeNew writes a change to a new file.
func writeNew(path string, made *validators.Change) error {
	content, err := validators.FormatJSON(made)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, output.PrivateMode)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s already exists", path)
	}
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	return errors.Join(err, file.Close())
}

// replace replaces a file atomically, so that its signatures are never lost.
func replace(path string, made *validators.Change) error {
	content, err := validators.FormatJSON(made)
	if err != nil {
		return err
	}
	return output.ReplaceFile(path, content)
}
