//go:build !linux

package fill_test

// dropCache is not implemented on this system.
func dropCache(string) (dropped bool, err error) { return false, nil }
