// Package identity keeps the accounts and wallets of one person on one machine, and puts an account on a chain.
//
// A wallet is a key of a curve that owns accounts. An account is an address on one chain together with the delegated
// key by which this machine signs for it. Both lie in files of the person's configuration directory:
//
//	wallets/<name>.json     a keystore container
//	accounts/<name>.json    owner, chain, name of the wallet, and the delegated key in a container
//	defaults/account.json   the account that commands use when none is named
//
// What always holds:
//
//   - What a step of Creation needs again after a break is on disk before the step is sent: first the key, then the
//     hash of the message. Each step asks the chain what is there already, so running a Creation again completes it
//     and repeats nothing.
//   - Nothing here prints, asks for a passphrase or reads a clock: the caller does.
package identity
