package peers

import (
	"encoding/hex"
	"errors"
	"fmt"

	dbm "github.com/cometbft/cometbft-db"
	"github.com/cometbft/cometbft/abci/example/kvstore"

	"makechain/message"
)

// kvPrefix is the prefix of the application's keys.
const kvPrefix = "kvPairKey:"

// keyDigits is the length of a key: half of a message's hash in hex.
const keyDigits = 32

// kvStore is the key-value store that comes with CometBFT. It verifies no signatures, and writes without fsync.
type kvStore struct{ *kvstore.Application }

func openKVStore(dir string, rows int) (peer, error) {
	db, err := dbm.NewGoLevelDB("kvstore", dir)
	if err != nil {
		return nil, err
	}
	err = fill(rows, func(key, value []byte) error {
		return db.Set([]byte(kvPrefix+hex.EncodeToString(key[:keyDigits/2])), value)
	})
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return kvStore{kvstore.NewApplication(db)}, nil
}

// admit converts messages to key-value pairs of the same size. The application checks their form.
func (kvStore) admit(messages [][]byte) ([][]byte, error) {
	pairs := make([][]byte, len(messages))
	for i, m := range messages {
		hash, found := message.HashOf(m)
		if !found || len(m) <= keyDigits+1 {
			return nil, fmt.Errorf("message %d has no hash", i)
		}
		pairs[i] = pair(hash, m)
	}
	return pairs, nil
}

// pair returns the hash as key and a part of the message as value, with separator characters replaced.
func pair(hash message.Hash, m []byte) []byte {
	tx := make([]byte, len(m))
	hex.Encode(tx, hash[:keyDigits/2])
	tx[keyDigits] = '='
	value := tx[keyDigits+1:]
	copy(value, m[keyDigits+1:])
	for i, b := range value {
		if b == '=' || b == ':' {
			value[i] = '.'
		}
	}
	return tx
}
