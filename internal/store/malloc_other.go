//go:build !cgo || !linux

package store

// limitMalloc does nothing: without cgo Pebble allocates from Go's heap.
func limitMalloc() {}
