package gittest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// Variety describes a generated history with everything that git allows in one, next to the plain commits of Shape: names of
// files, authors and refs that are not UTF-8, submodules, symbolic links, executables, signatures, notes and tags of tags.
type Variety struct {
	Commits int // number of generated commits; some more have signatures or notes
	Tags    int // approximate number of tags: lightweight, annotated and tags of tags
}

const (
	varietyLines = 6  // parallel lines of history
	varietyFiles = 40 // files of each line
	octopusEvery = 97 // commits between merges of all lines
	mergeEvery   = 9  // commits between merges of two lines
	farFuture    = 5_000_000_000
)

// signature is in the place of one in commits and tags. Git does not verify it unless it is asked to.
const signature = "-----BEGIN SSH SIGNATURE-----\nU1NIU0lHAAAAAQAAADMAAAALc3NoLWVkMjU1MTkAAAAgAAAA\n-----END SSH SIGNATURE-----\n"

// Fill fills an empty repository with a generated history, which is the same on every machine. The branch main reaches nearly
// all of it.
func (r *Repo) Fill(tb testing.TB, variety Variety) {
	tb.Helper()
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // test data
	f := &filler{random: random, tips: make([]int, varietyLines), idDigits: len(r.Git(tb, "hash-object", "-t", "tree", os.DevNull))}
	for f.last < variety.Commits {
		f.step()
	}
	f.finish(variety)
	r.Feed(tb, f.stream.Bytes(), "fast-import", "--quiet", "--force")
	r.sign(tb)
	r.Git(tb, "notes", "add", "--message", "a note", "main")
	r.Git(tb, "update-ref", "refs/pull/1/head", "main~3")
	if r.Git(tb, "rev-parse", "--is-bare-repository") == "false" {
		r.Git(tb, "reset", "--quiet", "--hard", "main")
	}
}

// filler writes a stream for git fast-import. Marks of commits are numbered from 1.
type filler struct {
	random   *rand.Rand
	stream   bytes.Buffer
	tips     []int // the newest mark of each line, 0 for none
	last     int
	idDigits int
}

func (f *filler) step() {
	line := f.last % varietyLines
	var parents []int
	switch {
	case f.tips[line] == 0 && line > 1: // the first two lines have roots of their own
		parents = []int{f.tips[0]}
	case f.tips[line] == 0:
	case f.last%octopusEvery == 0:
		for i := range f.tips {
			parents = append(parents, f.tips[(line+i)%varietyLines])
		}
	case f.last%mergeEvery == 0:
		parents = []int{f.tips[line], f.tips[(line+1)%varietyLines]}
	default:
		parents = []int{f.tips[line]}
	}
	f.commit(line, parents)
}

func (f *filler) commit(line int, parents []int) {
	people := []string{"Zoë Ångström <zoe@example.com>", "Andr\xe9 <andr\xe9@example.com>", "\xff\xfe <a@b>", " <>", "Ann <ann@example.com>"}
	messages := []string{"plain\n", "Gr\xfc\xdfe\n\nsecond paragraph \x80\n", "👋 здравствуй", "", "no line break at the end", "\n\nblank lines\n\n\n"}
	f.last++
	branch := fmt.Sprintf("refs/heads/line-%d", line)
	if len(parents) == 0 {
		fmt.Fprintf(&f.stream, "reset %s\n\n", branch)
	}
	person, text := people[f.last%len(people)], messages[f.last%len(messages)]
	seconds := epoch + 60*f.last - f.random.IntN(4)*100
	if f.last%1000 == 500 {
		seconds = farFuture
	}
	fmt.Fprintf(&f.stream, "commit %s\nmark :%d\nauthor %s %d +1345\ncommitter %s %d -0700\n", branch, f.last, person, seconds, person, seconds+5)
	if f.last%7 == 1 {
		f.stream.WriteString("encoding ISO-8859-1\n")
	}
	fmt.Fprintf(&f.stream, "data %d\n%s\n", len(text), text)
	for i, parent := range parents {
		word := "merge"
		if i == 0 {
			word = "from"
		}
		fmt.Fprintf(&f.stream, "%s :%d\n", word, parent)
	}
	if f.last == 1 {
		f.unusualFiles()
	}
	if f.last%11 != 10 { // some commits change nothing
		f.change(line)
	}
	f.stream.WriteByte('\n')
	f.tips[line] = f.last
}

// change changes a text file of a line, so that git finds deltas.
func (f *filler) change(line int) {
	file := f.random.IntN(varietyFiles)
	var text strings.Builder
	for i := range 30 {
		number := i
		if i == file%30 {
			number = f.last
		}
		fmt.Fprintf(&text, "line %d of file %d in a text that does not change much: %d\n", i, file, number)
	}
	f.file("100644", fmt.Sprintf("line-%d/%d/file-%d", line, file%7, file), text.String())
	if f.last%50 == 0 { // the submodule moves
		fmt.Fprintf(&f.stream, "M 160000 %0*x modules/one\n", f.idDigits, f.last)
	}
	if f.last%400 == 399 {
		fmt.Fprintf(&f.stream, "D line-%d/%d\n", line, file%7)
	}
}

// unusualFiles adds one file of each kind, and names that are not UTF-8.
func (f *filler) unusualFiles() {
	f.file("100644", "caf\xe9.txt", "Latin-1 \xe9\n")
	f.file("100644", "\xff\xfe/\x80", "")
	f.file("100644", "quo\"te \\ and\ttab", "x")
	f.file("100755", "run.sh", "#!/bin/sh\n")
	f.file("120000", "link", "caf\xe9.txt")
	f.file("100644", ".gitmodules", "[submodule \"one\"]\n\tpath = modules/one\n\turl = https://example.com/one.git\n")
	fmt.Fprintf(&f.stream, "M 160000 %0*x modules/one\n", f.idDigits, 1)
	noise := make([]byte, 300_000)
	for i := range noise {
		noise[i] = byte(f.random.Uint32())
	}
	f.file("100644", "binary", string(noise))
}

func (f *filler) file(mode, name, content string) {
	var quoted strings.Builder
	for _, b := range []byte(name) {
		fmt.Fprintf(&quoted, "\\%03o", b)
	}
	fmt.Fprintf(&f.stream, "M %s inline \"%s\"\ndata %d\n%s\n", mode, quoted.String(), len(content), content)
}

// finish merges every line into main, and creates tags and refs with unusual names.
func (f *filler) finish(variety Variety) {
	f.commit(0, append([]int{f.tips[0]}, f.tips[1:]...))
	fmt.Fprintf(&f.stream, "reset refs/heads/main\nfrom :%d\n\n", f.last)
	for _, name := range []string{"refs/heads/caf\xe9", "refs/heads/größe/\xff", "refs/tags/v\xe9"} {
		fmt.Fprintf(&f.stream, "reset %s\nfrom :%d\n\n", name, 1+f.random.IntN(f.last))
	}
	for i := range variety.Tags {
		commit := 1 + f.random.IntN(f.last)
		switch i % 3 {
		case 0:
			fmt.Fprintf(&f.stream, "reset refs/tags/light-%d\nfrom :%d\n\n", i, commit)
		case 1:
			text := fmt.Sprintf("tag %d \xe9\n", i)
			fmt.Fprintf(&f.stream, "tag annotated-%d\nmark :%d\nfrom :%d\ntagger T\xe9 <t@example.com> %d +0530\ndata %d\n%s\n",
				i, f.last+1+i, commit, epoch+i, len(text), text)
		default: // of the annotated tag before it
			fmt.Fprintf(&f.stream, "tag nested-%d\nfrom :%d\ntagger T <t@example.com> %d +0000\ndata 0\n\n", i, f.last+i, epoch+i)
		}
	}
}

// sign adds a commit with a signature and a merged tag in its header to main, and tags with a signature and without a tagger.
func (r *Repo) sign(tb testing.TB) {
	tb.Helper()
	main := r.Git(tb, "rev-parse", "main")
	write := func(kind, content string) string {
		return r.Feed(tb, []byte(content), "hash-object", "-t", kind, "-w", "--stdin", "--literally")
	}
	signedTag := fmt.Sprintf("object %s\ntype commit\ntag signed\ntagger T <t@example.com> %d +0000\n\nsigned\n%s", main, epoch, signature)
	indented := func(text string) string { return strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n ") }
	header := "gpgsig"
	if len(main) > 40 {
		header = "gpgsig-sha256"
	}
	const format = "tree %s\nparent %s\nauthor A <a@example.com> %d +0000\ncommitter A <a@example.com> %d +0000\n%s %s\nmergetag %s\n\nSigned\n"
	commit := write("commit", fmt.Sprintf(format,
		r.Git(tb, "rev-parse", "main^{tree}"), main, epoch, epoch, header, indented(signature), indented(signedTag)))
	r.Git(tb, "update-ref", "refs/heads/main", commit)
	r.Git(tb, "update-ref", "refs/tags/signed", write("tag", signedTag))
	r.Git(tb, "update-ref", "refs/tags/old", write("tag", fmt.Sprintf("object %s\ntype commit\ntag old\n\nwithout a tagger\n", main)))
}
