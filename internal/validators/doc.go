// Package validators is how a chain changes who validates it: a change that validators have signed, the transaction
// it travels in, and the set it leads to.
//
// A block may end with one change. It names the chain, its place in the sequence of changes and the powers that it
// sets, and applies when validators with more than two thirds of the present voting power have signed exactly that.
// The set it leads to is a row of the state, so whoever replays blocks or takes over a state has it, and it can be
// proven. Until the first change the validators are those of genesis.
//
// Invariants: a change has one encoding, which no message has; a set is never empty, within the bounds of genesis,
// and ordered by public key; no step moves more than a third of the voting power, so a client that trusts one set
// finds enough of it in the next. The package only calculates.
package validators
