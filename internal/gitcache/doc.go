// Package gitcache keeps one bare git repository per project, filled from git bundles, and serves it with git upload-pack.
package gitcache
