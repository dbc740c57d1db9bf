//go:build !cgo || !linux

package store

// limitMalloc does nothing: without cgo Pebble allocates from Go's heap, and other systems do not have glibc.
func limitMalloc() {}
