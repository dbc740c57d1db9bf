// Package custody checks who may manage an account: the digests that wallets sign, the forms their
// signatures take, and the typed claims that verify outside addresses (P4, P9.10).
package custody
