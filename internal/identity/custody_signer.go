package identity

import (
	"time"

	"makechain/internal/custody"
	"makechain/internal/ident"
	"makechain/internal/keystore"
	"makechain/message"
)

// permitSlack is how far a custody signature is good before and after it is made. It allows for clocks that
// disagree; together the two stay within the hour of P4.5.
const permitSlack = 15 * time.Minute

// Custodian signs for owner with an open wallet: as its root when the address is the wallet's own, and in a keychain
// wrapper as one of its other custody keys (P4.4).
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

// Permit bounds a custody signature of an account whose next nonce is the given one.
func Permit(now time.Time, nonce uint64) message.Permit {
	return message.Permit{
		Nonce:       nonce,
		ValidAfter:  uint64(now.Add(-permitSlack).Unix()),
		ValidBefore: uint64(now.Add(permitSlack).Unix()),
	}
}
