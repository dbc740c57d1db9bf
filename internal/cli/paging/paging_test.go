package paging

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	pb "makechain/gen/makechain"
	"makechain/internal/cli/usage"
)

// threePages returns a function that fetches a list of three pages, whose cursors are the numbers of the next pages.
func threePages(asked *[]uint32) func(limit uint32, cursor []byte) (*pb.ListProjectsResponse, error) {
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

// TestCollect checks that one page is read, or all of them as one.
func TestCollect(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		flags  Flags
		want   string
		cursor string
		asked  []uint32
	}{
		"a page":     {Flags{limit: 50}, "one two", "\x01", []uint32{50}},
		"the next":   {Flags{limit: 1, cursor: "01"}, "three", "\x02", []uint32{1}},
		"all":        {Flags{limit: 50, all: true}, "one two three four", "", []uint32{Max, Max, Max}},
		"all beyond": {Flags{limit: 50, all: true, cursor: "01"}, "three four", "", []uint32{Max, Max}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked []uint32
			list, err := Collect(&cobra.Command{Use: "x"}, &test.flags, threePages(&asked))
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

// TestCollectFails checks a list whose second page fails, and invalid flags.
func TestCollectFails(t *testing.T) {
	t.Parallel()
	command, calls := &cobra.Command{Use: "x"}, 0
	broken := func(uint32, []byte) (*pb.ListProjectsResponse, error) {
		if calls++; calls > 1 {
			return nil, errors.ErrUnsupported
		}
		return &pb.ListProjectsResponse{NextCursor: []byte{1}}, nil
	}
	if _, err := Collect(command, &Flags{limit: 50, all: true}, broken); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("a list that breaks off: %v", err)
	}
	for _, wrong := range []Flags{{limit: 0}, {limit: Max + 1}, {limit: 1, cursor: "x"}} {
		if _, err := Collect(command, &wrong, broken); usage.ExitCode(err) != usage.ExitUsage {
			t.Errorf("%+v: %v", wrong, err)
		}
	}
}
