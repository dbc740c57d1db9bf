// Package gitrepo reads commits, refs and configuration of a git repository with git's plumbing commands.
//
// Invariants:
//
//   - git is run directly, never through a shell. Revisions and object ids are passed on standard input or after
//     --end-of-options, so no name can be taken for an option.
//   - Names are bytes. They are not quoted, case-folded or assumed to be UTF-8.
//   - Objects are read as stored: replace refs and grafts are ignored, because an id is the hash of the stored object.
//   - Git runs without the configuration of the user, except to read and write that of this program (package gitenv).
//   - Only configuration under "makechain." and files below PrivatePath are written.
//
// Objects are identified by the hash that the chain uses; see gitid.
package gitrepo
