package lint

import (
	"slices"
	"testing"
)

// TestTranscripts checks the commands of console blocks.
func TestTranscripts(t *testing.T) {
	t.Parallel()
	const page = "$ not in a block\n\n```console\n$ one\nout\nput\n$ two\n```\n\n```go\n$ three\n```\n"
	want := []Command{{"one", "out\nput\n"}, {"two", ""}}
	if got := Transcripts(page); !slices.Equal(got, want) {
		t.Errorf("commands are %q, want %q", got, want)
	}
}

// TestBlocks checks the fenced blocks of a page.
func TestBlocks(t *testing.T) {
	t.Parallel()
	const page = "text\n\n```go\none\n```\n```\ntwo\n```\n\n```console\n$ three\n"
	want := []Block{{"go", 3, "one\n"}, {"", 6, "two\n"}, {"console", 10, "$ three\n"}}
	if got := Blocks(page); !slices.Equal(got, want) {
		t.Errorf("blocks are %v, want %v", got, want)
	}
}
