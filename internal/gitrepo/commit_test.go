package gitrepo_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"makechain/internal/gitrepo"
)

const (
	headers = "tree " + tree + "\nparent " + tree + "\nauthor A <a@b> 12 +0000\ncommitter A <a@b> 13 +0000\n"
	tree    = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
)

// TestParseCommit checks objects that git writes and malformed ones.
func TestParseCommit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, object  string
		title         string
		seconds       int64
		parents, text int
	}{
		{"plain", headers + "\ntitle\n\nbody\n", "title", 12, 1, 12},
		{"no message", headers, "", 12, 1, 0},
		{"empty message", headers + "\n", "", 12, 1, 0},
		{"signed", headers + "gpgsig -----BEGIN\n \n tree x\n -----END\n\ntitle\n", "title", 12, 1, 6},
		{"paragraph", headers + "\n\n  one \ntwo\t\n \nthree", "  one two", 12, 1, 20},
		{"latin-1", headers + "encoding ISO-8859-1\n\nk\xfcrzer\n", "kürzer", 12, 1, 7},
		{"not UTF-8", headers + "\nk\xfcrzer\n", "k\ufffdrzer", 12, 1, 7},
		{"root of no time", "tree " + tree + "\nauthor A <a> b> x +0000\n\nt", "t", 0, 0, 1},
		{"before 1970", "tree " + tree + "\nauthor A <a@b> -5 +0000\n\nt", "t", 0, 0, 1},
		{"no brackets", "tree " + tree + "\nauthor A\n\nt", "t", 0, 0, 1},
	} {
		commit, err := gitrepo.ParseCommit([]byte(c.object))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if commit.Title(200) != c.title || commit.Author.Seconds != c.seconds || len(commit.Parents) != c.parents || len(commit.Message) != c.text {
			t.Errorf("%s: %q, %+v", c.name, commit.Title(200), commit)
		}
	}
	for _, object := range []string{"", "author A <a> 1 +0\n\nx", "tree abc\n\nx", "tree " + tree + "\nparent z\n\nx"} {
		if _, err := gitrepo.ParseCommit([]byte(object)); err == nil {
			t.Errorf("%q was accepted", object)
		}
	}
}

// TestAuthorName checks the names of authors: encodings, control characters, and long names.
func TestAuthorName(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, encoding, want string }{
		{"Ada Lovelace", "", "Ada Lovelace"},
		{"", "", ""},
		{"J\xf6rg", "ISO-8859-1", "Jörg"},
		{"J\xf6rg", "", "J\ufffdrg"},
		{"A\x1b[31m\tB\u0085", "", "A[31mB"},
		{"\x01 A", "", "A"},
		{strings.Repeat("ж", 60), "", strings.Repeat("ж", 50)},
		{"a" + strings.Repeat("ж", 60), "", "a" + strings.Repeat("ж", 49)},
		{strings.Repeat("a", 99) + " b", "", strings.Repeat("a", 99)},
	} {
		commit := gitrepo.Commit{Author: gitrepo.Signature{Name: c.name}, Encoding: c.encoding}
		if got := commit.AuthorName(100); got != c.want {
			t.Errorf("%q: %q, want %q", c.name, got, c.want)
		}
	}
}

// FuzzParse checks that no input panics and that titles and names are valid in a bundle.
//
// Rules: P5/COMMIT_BUNDLE.
func FuzzParse(f *testing.F) {
	f.Add([]byte(headers+"\ntitle\n\nbody\n"), 200)
	f.Add([]byte(headers+"encoding latin1\n\n"+strings.Repeat("\xe4", 300)), 200)
	f.Add([]byte(headers+"\n"+strings.Repeat("ж", 100)), 7)
	f.Add([]byte("tree\n\n\n"), 3)
	f.Fuzz(func(t *testing.T, object []byte, maximum int) {
		commit, err := gitrepo.ParseCommit(object)
		if err != nil {
			return
		}
		maximum = 3 + max(0, maximum)%300
		title := commit.Title(maximum)
		if len(title) > maximum || !utf8.ValidString(title) || strings.ContainsRune(title, '\n') {
			t.Errorf("%q is not a title of at most %d bytes", title, maximum)
		}
		name := commit.AuthorName(maximum)
		if len(name) > maximum || !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
			t.Errorf("%q is not a name of at most %d bytes", name, maximum)
		}
	})
}
