// Package gitrepo reads commits, refs and settings of a git repository through git's own plumbing.
//
// What always holds:
//
//   - git is run directly, never through a shell. Revisions and object ids travel by standard input or behind
//     --end-of-options, so no name can turn into an option.
//   - Names are bytes. Nothing is quoted, folded or taken for UTF-8.
//   - What is read is what the objects say: replace refs and grafts are ignored, because an id is the hash of the
//     true object.
//   - Nothing is written but settings below "makechain." and files in the directory that Private names.
//
// Objects are named by the hash the chain knows them by, see FromID.
package gitrepo
