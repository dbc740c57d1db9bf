// Package gitbundle parses and writes the header of a git bundle: a file with objects in git's pack format, the refs that
// they belong to, and the commits that the receiver must have already ("prerequisites"). What follows the header is the
// pack, which this package does not read.
//
//	# v2 git bundle            or: # v3 git bundle, then capabilities such as @object-format=sha256
//	-<id> <comment>            prerequisites
//	<id> <name>                refs
//	                           an empty line, then the pack
//
// Parse allocates no more than its limits allow and accepts less than git does: a header that Append writes, or that
// git bundle create writes without a filter.
package gitbundle

// Format is a hash function of git's object ids, by the name that git uses.
type Format string

// The formats of git repositories.
const (
	SHA1   Format = "sha1"
	SHA256 Format = "sha256"
)

// Digits returns the number of hexadecimal digits of an id, and 0 for an unknown format.
func (f Format) Digits() int {
	switch f {
	case SHA1:
		return 40
	case SHA256:
		return 64
	default:
		return 0
	}
}

// FormatOf returns the format of an id by its length, and "" when it is not an id: lower-case hexadecimal digits.
func FormatOf(id string) Format {
	for _, format := range []Format{SHA1, SHA256} {
		if isID(id, format) {
			return format
		}
	}
	return ""
}

// Ref is a ref with the id of the object that it points to, both as git writes them.
type Ref struct {
	Name string
	ID   string
}

// Header is the header of a bundle.
type Header struct {
	// Format is the hash function of all ids. The header of a SHA-1 bundle has version 2 or 3, that of a SHA-256 bundle 3.
	Format Format
	// Prerequisites are the ids of commits that the pack builds on but does not contain.
	Prerequisites []string
	// Refs has at least one element, and no name twice.
	Refs []Ref
	// Size is the number of bytes of the header: the offset in the file at which the pack begins.
	Size int64
}

// Limits are the limits of a header.
type Limits struct {
	Bytes         int // size of the header
	Prerequisites int
	Refs          int
}

// DefaultLimits returns limits for a project with 5,000 refs of the longest names, and many merged histories.
func DefaultLimits() Limits { return Limits{Bytes: 4 << 20, Prerequisites: 20_000, Refs: 10_000} }

// Report describes a bundle whose content was verified: that the pack is complete, that its objects are valid, and that
// everything that can be reached from its refs is there or was there before.
type Report struct {
	Header

	Commits int64 // commits that were not there before
	Objects int64 // objects in the pack
	Bytes   int64 // size of the file
	// InflatedBytes is the size of all objects after decompression.
	InflatedBytes int64
}
