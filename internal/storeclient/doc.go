// Package storeclient reads from and writes to content stores: content services, git servers, and stores that only hold
// files, over HTTP or in a directory.
//
// A store is not trusted. Git bundles are named by their BLAKE3 digest, which is checked while they are read; what a git
// server sends is checked by the caller. URLs that other users have written on the chain are followed with care: only http
// and https, and no addresses of private networks (see Policy).
package storeclient
