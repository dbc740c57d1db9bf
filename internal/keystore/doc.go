// Package keystore stores secret keys in files.
//
// A key is stored in the JSON container that Ethereum tools call keystore version 3: the secret encrypted by AES-128-CTR
// with a key that scrypt derives from a passphrase, and a Keccak-256 MAC that detects a wrong passphrase. The containers of
// secp256k1 keys are interchangeable with those of Ethereum tools. P-256 and Ed25519 keys use the same container; the
// member "makechain" contains their kind, and "address", which would mislead those tools, is absent.
//
// Invariants:
//
//   - Key never prints its secret, with any verb. Secret is the only way to get it.
//   - A Container is within limits once it is parsed: no file makes Open use noticeably more than MaxMemory bytes, or more
//     than eight times the work of a standard container. The public key in a file is checked when the file is opened.
//   - A file is complete or absent, and Create never replaces one.
//   - Files have mode 0600 in a directory with mode 0700. Others are refused with the chmod command that fixes them.
package keystore
