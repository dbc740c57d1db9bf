package peers

import (
	"crypto/sha256"
	"encoding/binary"

	abci "github.com/cometbft/cometbft/abci/types"
)

// peer is an application that the node is compared with.
type peer interface {
	abci.Application

	// admit judges messages as the API of the application would, and makes transactions of them.
	admit(messages [][]byte) (transactions [][]byte, err error)
	Close() error
}

// rowBytes is the size of the values of rows that are there from the beginning, about that of a commit's row.
const rowBytes = 150

// fill makes up rows that are there from the beginning.
func fill(rows int, set func(key, value []byte) error) error {
	value := make([]byte, rowBytes)
	for row := range rows {
		key := sha256.Sum256(binary.BigEndian.AppendUint64(nil, uint64(row)))
		copy(value, key[:])
		if err := set(key[:], value); err != nil {
			return err
		}
	}
	return nil
}
