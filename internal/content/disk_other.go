//go:build !unix

package content

import "math"

// FreeDisk returns the free bytes of the disk of a directory, for Config.FreeDisk. They are not known on this system.
func FreeDisk(string) (int64, error) { return math.MaxInt64, nil }
