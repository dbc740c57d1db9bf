// Package custody checks who may manage an account: the digests that wallets sign, the forms their
// signatures take, the typed claims that verify outside addresses, and the attestations behind a storage
// claim (P4.1-P4.3, P8.2, P9.10).
//
// Everything here is a function of its arguments. Whether a recovered key may act for an account is a
// question to the state (P4.4) and is asked elsewhere.
//
// Parse accepts exactly one reading of any bytes: a parsed Signature encodes to the bytes it came from, and
// what no digest could make valid is already refused by Parse. Digests write fixed-size fields without a
// length, so they are unambiguous only for bodies that have passed P5.
package custody
