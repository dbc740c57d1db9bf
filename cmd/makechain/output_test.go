package main

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	pb "makechain/gen/makechain"
	"makechain/internal/term"
)

// names is a list of three pages, whose cursors are the numbers of their successors.
func names(asked *[]uint32) func(limit uint32, cursor []byte) (*pb.ListProjectsResponse, error) {
	pages := [][]string{{"one", "two"}, {"three"}, {"four"}}
	return func(limit uint32, cursor []byte) (*pb.ListProjectsResponse, error) {
		*asked = append(*asked, limit)
		number := 0
		if len(cursor) > 0 {
			number = int(cursor[0])
		}
		answer := new(pb.ListProjectsResponse)
		for _, name := range pages[number] {
			answer.Projects = append(answer.Projects, &pb.GetProjectResponse{Name: name})
		}
		if number+1 < len(pages) {
			answer.NextCursor = []byte{byte(number + 1)}
		}
		return answer, nil
	}
}

// TestCollect reads one page, or all of them as one.
func TestCollect(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		listing listing
		want    string
		cursor  string
		asked   []uint32
	}{
		"a page":     {listing{limit: 50}, "one two", "\x01", []uint32{50}},
		"the next":   {listing{limit: 1, cursor: "01"}, "three", "\x02", []uint32{1}},
		"all":        {listing{limit: 50, all: true}, "one two three four", "", []uint32{maxPage, maxPage, maxPage}},
		"all beyond": {listing{limit: 50, all: true, cursor: "01"}, "three four", "", []uint32{maxPage, maxPage}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked []uint32
			list, err := collect(&cobra.Command{Use: "x"}, &test.listing, names(&asked))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, project := range list.GetProjects() {
				got = append(got, project.GetName())
			}
			if strings.Join(got, " ") != test.want || string(list.GetNextCursor()) != test.cursor || !slices.Equal(asked, test.asked) {
				t.Errorf("%q, then %q, asked for %v", got, list.GetNextCursor(), asked)
			}
		})
	}
}

// TestCollectFails on a list that breaks off, and on what is no page.
func TestCollectFails(t *testing.T) {
	t.Parallel()
	command, calls := &cobra.Command{Use: "x"}, 0
	broken := func(uint32, []byte) (*pb.ListProjectsResponse, error) {
		if calls++; calls > 1 {
			return nil, errors.ErrUnsupported
		}
		return &pb.ListProjectsResponse{NextCursor: []byte{1}}, nil
	}
	if _, err := collect(command, &listing{limit: 50, all: true}, broken); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("a list that breaks off: %v", err)
	}
	for _, wrong := range []listing{{limit: 0}, {limit: maxPage + 1}, {limit: 1, cursor: "x"}} {
		if _, err := collect(command, &wrong, broken); exitCode(err) != exitUsage {
			t.Errorf("%+v: %v", wrong, err)
		}
	}
}

// TestLabels asks for each name once, and for no more than a list may need.
func TestLabels(t *testing.T) {
	t.Parallel()
	l := newLabels(nil, term.New(new(strings.Builder), term.Options{}))
	asked := 0
	for range 2 {
		for i := range maxLabels + 10 {
			label := l.label([]byte{byte(i), byte(i >> 8)}, func() string { asked++; return "a name" })
			if known := i < maxLabels; (label == "a name") != known {
				t.Fatalf("%d is called %q", i, label)
			}
		}
	}
	if asked != maxLabels {
		t.Errorf("asked %d times", asked)
	}
}

// TestRefLabel shortens what reads back as the same ref.
func TestRefLabel(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"refs/heads/main": "main", "refs/tags/v1.0": "v1.0", "refs/notes/x": "refs/notes/x", "refs/heads/": "refs/heads/", "main": "main",
		"refs/heads/\x1b[31m": `\x1b[31m`,
	} {
		if got := refLabel([]byte(name)); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
