// Package identity stores the accounts and wallets of a user in files, and registers an account on a chain.
//
// A wallet is a custody key. An account is an address on one chain together with the delegated key with which this machine
// signs for it. Both are files in the user's configuration directory:
//
//	wallets/<name>.json     a keystore container
//	accounts/<name>.json    owner, chain, name of the wallet, and the delegated key in a container
//	defaults/account.json   the account that commands use by default
//
// Invariants:
//
//   - What a step of Creation needs after an interruption is on disk before the step is sent: first the key, then the
//     hash of the message. Each step first reads from the chain what is done, so running a Creation again completes it
//     and repeats nothing.
//   - The package does not print, prompt for a passphrase or read a clock; the caller does.
package identity
