package comet

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	cmtcfg "github.com/cometbft/cometbft/config"
	"github.com/cometbft/cometbft/crypto/ed25519"
	cmtjson "github.com/cometbft/cometbft/libs/json"
	"github.com/cometbft/cometbft/libs/tempfile"
	"github.com/cometbft/cometbft/p2p"
	"github.com/cometbft/cometbft/privval"

	"makechain/internal/ident"
)

// makeKeys makes the keys that are missing and gives the validator's public key.
func makeKeys(paths *cmtcfg.Config) (key ident.PublicKey, err error) {
	if _, err := loadNodeKey(paths); errors.Is(err, fs.ErrNotExist) {
		if err := writeSecret(paths.NodeKeyFile(), &p2p.NodeKey{PrivKey: ed25519.GenPrivKey()}); err != nil {
			return key, err
		}
	} else if err != nil {
		return key, err
	}
	_, err = os.Stat(paths.PrivValidatorKeyFile())
	if errors.Is(err, fs.ErrNotExist) {
		err = makeValidator(paths)
	}
	if err != nil {
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

// makeValidator writes the signing record before the key, so that a key without its record means that the
// record was lost.
func makeValidator(paths *cmtcfg.Config) error {
	validator := privval.GenFilePV(paths.PrivValidatorKeyFile(), paths.PrivValidatorStateFile())
	if err := writeSecret(paths.PrivValidatorStateFile(), &validator.LastSignState); err != nil {
		return err
	}
	return writeSecret(paths.PrivValidatorKeyFile(), &validator.Key)
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
		return nil, fmt.Errorf("%s holds no key", paths.NodeKeyFile())
	}
	return key, nil
}

// loadValidator reads the validator's key with what it last signed. CometBFT's own function ends the program
// when a file is missing or damaged.
func loadValidator(paths *cmtcfg.Config) (*privval.FilePV, error) {
	var key privval.FilePVKey
	if err := readSecret(paths.PrivValidatorKeyFile(), &key); err != nil {
		return nil, err
	}
	if key.PrivKey == nil {
		return nil, fmt.Errorf("%s holds no key", paths.PrivValidatorKeyFile())
	}
	validator := privval.NewFilePV(key.PrivKey, paths.PrivValidatorKeyFile(), paths.PrivValidatorStateFile())
	err := readSecret(paths.PrivValidatorStateFile(), &validator.LastSignState)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the validator key has no record of what it signed, and without it could sign twice: %w", err)
	}
	return validator, err
}

// readSecret never tells what a file holds: a message about it may be logged.
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
