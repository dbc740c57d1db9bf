package peers

import (
	"crypto/sha256"
	"encoding/binary"

	abci "github.com/cometbft/cometbft/abci/types"
)

// peer is an application with which the node is compared.
type peer interface {
	abci.Application

	// admit validates messages as the API of the application would, and returns their transactions.
	admit(messages [][]byte) (transactions [][]byte, err error)
	Close() error
}

// rowBytes is the value size of initial rows, about that of a commit row.
const rowBytes = 150

// fill writes initial rows.
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
