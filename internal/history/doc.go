// Package history reads the ancestry of a commit from the chain and puts it in the order of git log
// --author-date-order: no commit before all of its children, and among those that may be next the one that was
// written last.
//
// A parent that the project does not have (P8.7, P9.5) ends its line; the walk says how many there are.
package history
