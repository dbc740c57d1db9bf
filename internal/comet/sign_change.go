package comet

import (
	"crypto/ed25519"
	"fmt"

	cmted25519 "github.com/cometbft/cometbft/crypto/ed25519"
	"github.com/cometbft/cometbft/privval"

	"makechain/internal/ident"
	"makechain/internal/validators"
)

// SignChange has the validator of a home consent to a change of the validators. What it signs is a digest under a
// domain of its own, which no vote can be, so its record of votes does not matter and a node may run in the home.
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
