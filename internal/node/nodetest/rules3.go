package nodetest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	_ "embed" // for the home
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"makechain/internal/custody"
	"makechain/internal/ident"
	"makechain/message"
)

// rules3Home is a home that the last release with rules version 3 wrote, packed with tar and gzip. A node of that release ran
// in an empty home with --snapshot-every 4 and received: the key of an account (Rules3Account), a claim of 2 units from the
// faucet, the username alice, the public project hello, one commit with the hash 01 00 ..., the ref main of that commit, and a fork of hello
// with the name fork. Each message was committed before the next. The node was then stopped.
//
//go:embed testdata/rules3.tar.gz
var rules3Home []byte // read-only: a file

// Rules3Project is the id of the project hello in the home of rules version 3, in hexadecimal.
const Rules3Project = "36b1a8fba768218dfafb83521ec23c6137f062e483c69a28a6a6ff3c586f9d27"

// Rules3Commit is the commit of the project.
func Rules3Commit() ident.Hash { return ident.Hash{1} }

// Rules3Home returns a copy of a home that the last release with rules version 3 wrote: a development chain with a faucet.
func Rules3Home(tb testing.TB) string {
	tb.Helper()
	home := tb.TempDir()
	unpacked, err := gzip.NewReader(bytes.NewReader(rules3Home))
	if err != nil {
		tb.Fatal(err)
	}
	files := tar.NewReader(unpacked)
	for {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return home
		}
		if err != nil {
			tb.Fatal(err)
		}
		if err := extract(filepath.Join(home, filepath.Clean("/"+header.Name)), header, files); err != nil {
			tb.Fatal(err)
		}
	}
}

// extract writes a file or creates a directory of an archive.
func extract(path string, header *tar.Header, from io.Reader) error {
	if header.Typeflag == tar.TypeDir {
		return os.MkdirAll(path, 0o700)
	}
	content, err := io.ReadAll(from)
	if err != nil {
		return err
	}
	return os.WriteFile(path, content, header.FileInfo().Mode())
}

// Rules3Account returns the account in the home of rules version 3.
func Rules3Account(tb testing.TB) *Account {
	tb.Helper()
	root, err := custody.NewSecp256k1Wallet([32]byte{31: 1})
	if err != nil {
		tb.Fatal(err)
	}
	return &Account{Author: message.NewAuthor([32]byte{31: 2}, network, root.KeyID()), Root: root, tb: tb, nonce: 1}
}
