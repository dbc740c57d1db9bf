// Package custody implements custody signatures: the digests that wallets sign, the forms of their signatures, the typed
// claims that verify external addresses, and the attestations of a storage claim (P4.1-P4.3, P8.2, P9.10).
//
// All functions depend on their arguments only. Whether a recovered key may act for an account depends on the state
// (P4.4) and is checked by the ledger.
//
// Parsing is unambiguous: a parsed Signature encodes to the bytes it was parsed from, and Parse refuses signatures that
// cannot be valid for any digest. Digests contain fixed-size fields without a length, so they are unambiguous only for
// bodies that have passed P5.
package custody
