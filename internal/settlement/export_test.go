package settlement

import "makechain/internal/ident"

// Reserve counts a claim of an account without submitting it.
func (f *Faucet) Reserve(owner ident.Address, units uint32) error { return f.reserve(owner, units) }

// Remembered returns the number of accounts whose claims are remembered.
func (f *Faucet) Remembered() int { return len(f.granted) }

// Kept returns the number of results that are kept.
func (c *Claims) Kept() int { return len(c.kept) }
