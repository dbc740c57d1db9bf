package comet

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	cmtcfg "github.com/cometbft/cometbft/config"
	cmted25519 "github.com/cometbft/cometbft/crypto/ed25519"
	cmtjson "github.com/cometbft/cometbft/libs/json"
	"github.com/cometbft/cometbft/libs/tempfile"
	"github.com/cometbft/cometbft/p2p"
	"github.com/cometbft/cometbft/privval"

	"makechain/internal/ident"
	"makechain/internal/validators"
)

// Identity has the public identifiers of a home.
type Identity struct {
	NodeID    string          // of the node key; part of the address for peers, nodeid@host:port
	Validator ident.PublicKey // of the validator key
}

// EnsureKeys generates the keys of a home that do not exist, before there is a genesis, which may have to contain them.
func EnsureKeys(home string) (Identity, error) {
	paths := homePaths(home)
	if err := makeDirectories(paths); err != nil {
		return Identity{}, err
	}
	validator, err := ensureKeys(paths)
	if err != nil {
		return Identity{}, err
	}
	node, err := loadNodeKey(paths)
	if err != nil {
		return Identity{}, err
	}
	return Identity{NodeID: string(node.ID()), Validator: validator}, nil
}

// ensureKeys generates the keys that do not exist and returns the validator's public key.
func ensureKeys(paths *cmtcfg.Config) (key ident.PublicKey, err error) {
	if _, err := loadNodeKey(paths); errors.Is(err, fs.ErrNotExist) {
		if err := writeSecret(paths.NodeKeyFile(), &p2p.NodeKey{PrivKey: cmted25519.GenPrivKey()}); err != nil {
			return key, err
		}
	} else if err != nil {
		return key, err
	}
	if _, err := os.Stat(paths.PrivValidatorKeyFile()); errors.Is(err, fs.ErrNotExist) {
		// The sign state is written before the key: a key without a sign state means that the sign state was lost.
		validator := privval.GenFilePV(paths.PrivValidatorKeyFile(), paths.PrivValidatorStateFile())
		if err := writeSecret(paths.PrivValidatorStateFile(), &validator.LastSignState); err != nil {
			return key, err
		}
		if err := writeSecret(paths.PrivValidatorKeyFile(), &validator.Key); err != nil {
			return key, err
		}
	} else if err != nil {
		return key, err
	}
	validator, err := loadValidator(paths)
	if err != nil {
		return key, err
	}
	key, isEd25519 := ident.PublicKeyFrom(validator.Key.PubKey.Bytes())
	if !isEd25519 {
		return key, fmt.Errorf("%s is not an Ed25519 key", paths.PrivValidatorKeyFile())
	}
	return key, nil
}

// checkKeysExist returns an error when a home has blocks but not both keys. With a new key, a validator would no longer be
// a validator of its chain.
func checkKeysExist(paths *cmtcfg.Config) error {
	if _, err := os.Stat(filepath.Join(paths.DBDir(), blockDatabase+databaseSuffix)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, file := range []string{paths.PrivValidatorKeyFile(), paths.NodeKeyFile()} {
		if _, err := os.Stat(file); err != nil {
			return fmt.Errorf("the home has blocks but a key is missing: %w", err)
		}
	}
	return nil
}

// SignChange signs a change with the validator key of a home. The signed digest has a domain of its own and
// cannot be a vote, so the sign state is not needed and a node may run in the home.
func SignChange(home string, change *validators.Change) (ident.PublicKey, error) {
	path := homePaths(home).PrivValidatorKeyFile()
	var key privval.FilePVKey
	if err := readSecret(path, &key); err != nil {
		return ident.PublicKey{}, err
	}
	secret, isEd25519 := key.PrivKey.(cmted25519.PrivKey)
	if !isEd25519 || len(secret) != ed25519.PrivateKeySize {
		return ident.PublicKey{}, fmt.Errorf("%s is not an Ed25519 key", path)
	}
	public, _ := ident.PublicKeyFrom(secret.PubKey().Bytes()) // an Ed25519 key has that size
	return public, change.Sign(ed25519.PrivateKey(secret))
}

func writeSecret(path string, value any) error {
	encoded, err := cmtjson.MarshalIndent(value, "", "  ")
	if err != nil {
		return fmt.Errorf("encode %s: %w", path, err)
	}
	if err := tempfile.WriteFileAtomic(path, encoded, secretMode); err != nil {
		return fmt.Errorf("write key: %w", err)
	}
	return nil
}

func loadNodeKey(paths *cmtcfg.Config) (*p2p.NodeKey, error) {
	key := new(p2p.NodeKey)
	if err := readSecret(paths.NodeKeyFile(), key); err != nil {
		return nil, err
	}
	if key.PrivKey == nil {
		return nil, fmt.Errorf("%s contains no key", paths.NodeKeyFile())
	}
	return key, nil
}

// loadValidator reads the validator key and its sign state. CometBFT's own function exits the process when a file is
// missing or damaged.
func loadValidator(paths *cmtcfg.Config) (*privval.FilePV, error) {
	var key privval.FilePVKey
	if err := readSecret(paths.PrivValidatorKeyFile(), &key); err != nil {
		return nil, err
	}
	if key.PrivKey == nil {
		return nil, fmt.Errorf("%s contains no key", paths.PrivValidatorKeyFile())
	}
	validator := privval.NewFilePV(key.PrivKey, paths.PrivValidatorKeyFile(), paths.PrivValidatorStateFile())
	err := readSecret(paths.PrivValidatorStateFile(), &validator.LastSignState)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the validator key has no sign state, and could sign a height twice without it: %w", err)
	}
	return validator, err
}

// readSecret decodes a file. Its errors never contain the content of the file, since they may be logged.
func readSecret(path string, value any) error {
	encoded, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read key: %w", err)
	}
	if err := cmtjson.Unmarshal(encoded, value); err != nil {
		return fmt.Errorf("%s is damaged", path)
	}
	return nil
}
