//go:build !linux

package gitcache

// exchange exchanges two directories.
func exchange(a, b string) error { return exchangeInSteps(a, b) }
