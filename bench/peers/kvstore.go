package peers

import (
	"encoding/hex"
	"errors"
	"fmt"

	dbm "github.com/cometbft/cometbft-db"
	"github.com/cometbft/cometbft/abci/example/kvstore"

	"makechain/message"
)

// kvPrefix is what the application writes before a key.
const kvPrefix = "kvPairKey:"

// keyDigits is the length of a key: half of a message's hash in hex.
const keyDigits = 32

// kvStore is the application that comes with CometBFT. It checks no signatures, and its writes are not synced.
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

// admit makes pairs of a key and a value, as long as the messages are. The application checks their form.
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

// pair is the hash and what there is room for of the message, without what divides keys from values.
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
