//go:build !linux

package process

// Read returns no usage: it is not implemented on this system.
func Read(int) (Usage, error) { return Usage{}, nil }

// Flushes returns 0: it is not implemented on this system.
func Flushes(string) (int64, error) { return 0, nil }
