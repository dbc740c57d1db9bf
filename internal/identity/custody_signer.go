package identity

import (
	"time"

	"makechain/internal/custody"
	"makechain/internal/ident"
	"makechain/internal/keystore"
	"makechain/message"
)

// permitSlack is how long a custody signature is valid before and after it is made. It allows for clock skew; the whole
// period stays within the hour of P4.5.
const permitSlack = 15 * time.Minute

// CustodySigner returns a signer for owner with a decrypted wallet: as the root key when the address is that of the
// wallet, and otherwise in a keychain wrapper as one of the other custody keys (P4.4).
func CustodySigner(wallet keystore.Key, owner ident.Address) (message.Wallet, error) {
	signer, err := wallet.Wallet()
	if err != nil {
		return nil, err
	}
	if signer.KeyID() == owner {
		return signer, nil
	}
	return custody.WrappedWallet{Wallet: signer, Account: owner}, nil
}

// Permit returns the nonce and the validity period of a custody signature that is made now.
func Permit(now time.Time, nonce uint64) message.Permit {
	return message.Permit{
		Nonce:       nonce,
		ValidAfter:  uint64(now.Add(-permitSlack).Unix()),
		ValidBefore: uint64(now.Add(permitSlack).Unix()),
	}
}
