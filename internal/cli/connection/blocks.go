package connection

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"makechain/client"
	"makechain/internal/cli/output"
)

// blocksFile stores the highest verified block of each chain, by the id of the chain.
const blocksFile = "blocks.json"

// blockMemory stores the highest verified blocks in the configuration directory. It implements client.BlockMemory.
type blockMemory struct {
	dir *ConfigDir
	// disabled is set for a development chain on this machine, which is trusted without being stored.
	disabled bool
}

var _ client.BlockMemory = (*blockMemory)(nil)

// knownBlock is an entry of blocks.json.
type knownBlock struct {
	BlockNumber uint64 `json:"block_number,string"`
}

// HighestBlock returns the highest stored block of a chain, 0 when there is none.
func (m *blockMemory) HighestBlock(chainID string) (uint64, error) {
	if m.disabled {
		return 0, nil
	}
	_, blocks, err := m.read()
	return blocks[chainID].BlockNumber, err
}

// SetHighestBlock stores the highest block of a chain, unless another process has stored a higher one. A directory that cannot be
// written does not prevent reading from a node.
func (m *blockMemory) SetHighestBlock(chainID string, number uint64) error {
	if m.disabled {
		return nil
	}
	dir, err := m.dir.Path()
	if err != nil {
		return err
	}
	if err = os.MkdirAll(dir, privateDir); err == nil {
		err = m.raise(filepath.Join(dir, blocksFile+".lock"), chainID, number)
	}
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}

// raise replaces a lower number of a chain in blocks.json. The lock is held from reading the file to replacing it, so that of several
// processes the one with the highest number prevails.
func (m *blockMemory) raise(lockPath, chainID string, number uint64) (err error) {
	locked, err := lock(lockPath)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, locked.Close()) }()
	path, blocks, err := m.read()
	if err != nil || blocks[chainID].BlockNumber >= number {
		return err
	}
	blocks[chainID] = knownBlock{number}
	content, err := json.MarshalIndent(blocks, "", "  ")
	if err != nil {
		return err
	}
	return output.ReplaceFile(path, append(content, '\n'))
}

// read returns the path of blocks.json and its content.
func (m *blockMemory) read() (path string, blocks map[string]knownBlock, err error) {
	dir, err := m.dir.Path()
	if err != nil {
		return "", nil, err
	}
	path, blocks = filepath.Join(dir, blocksFile), map[string]knownBlock{}
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return path, blocks, nil
	}
	if err == nil {
		if err = json.Unmarshal(content, &blocks); err != nil {
			err = fmt.Errorf("%s: %w", path, err)
		}
	}
	return path, blocks, err
}
