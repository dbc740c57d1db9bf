// Package history reads the ancestors of a commit from the chain and returns them in the order of git log
// --author-date-order: every commit after all of its children, and otherwise the newest author date first.
//
// A parent that the project does not have (P8.7, P9.5) ends its line of history; MissingParents counts them.
package history
