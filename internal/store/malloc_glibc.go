//go:build cgo && linux

package store

/*
#include <malloc.h>

static void limitArenas(int n) {
#ifdef __GLIBC__
	mallopt(M_ARENA_MAX, n);
#endif
}
*/
import "C"

// mallocArenas is the number of arenas of glibc. Pebble allocates the blocks of its cache with malloc, on any thread. With glibc's
// default of eight arenas for each core, a cache of 160 MB took 480 MB of memory.
const mallocArenas = 2

// limitMalloc makes malloc use few arenas.
func limitMalloc() { C.limitArenas(mallocArenas) }
