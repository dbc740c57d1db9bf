// Package keystore keeps secret keys in files.
//
// A key lies in the JSON container that Ethereum tools call keystore version 3: the secret encrypted by AES-128-CTR
// under a key that scrypt makes of a passphrase, and a Keccak-256 checksum that tells a wrong passphrase. A secp256k1
// key written here opens in those tools, and theirs open here. P256 and Ed25519 keys use the same container; its
// member "makechain" names their kind, and "address", which would mislead those tools, is left out.
//
// What always holds:
//
//   - Key never prints its secret, whatever the verb. Secret is the one way to it.
//   - A Container is within bounds from the moment it is parsed: no file makes Open take noticeably more than
//     MaxMemory bytes, or more than eight times the work of a standard one. The public part that a file states is
//     checked when it is opened, not before.
//   - A file is complete or absent, never half of it, and an existing one is never replaced by Create.
//   - Files have mode 0600 in a directory of mode 0700. What others may reach is refused with the command that closes it.
package keystore
