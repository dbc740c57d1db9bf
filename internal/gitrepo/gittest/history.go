package gittest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
)

// Shape describes a generated history.
type Shape struct {
	Seed    uint64
	Commits int // minimum number of commits, before a merge of all lines
	Lines   int // number of parallel lines of history
}

// epoch is the approximate date of generated commits, in Unix seconds.
const epoch = 1_600_000_000

// Grow fills an empty repository with a generated history: several lines with merges of two, criss-cross merges and
// octopus merges, more than one root, equal and decreasing dates, names and titles in several scripts. All commits are
// reachable from main; there are tags of every kind and branches named "line-N".
func (r *Repo) Grow(tb testing.TB, shape Shape) {
	tb.Helper()
	g := &grower{random: rand.New(rand.NewPCG(shape.Seed, 1)), tips: make([]int, shape.Lines)} //nolint:gosec // test data
	for g.last < shape.Commits {
		g.step()
	}
	g.finish()
	r.Feed(tb, g.stream.Bytes(), "fast-import", "--quiet", "--force")
	if r.Git(tb, "rev-parse", "--is-bare-repository") == "false" {
		r.Git(tb, "reset", "--quiet", "--hard", "main")
	}
}

// grower writes a stream for git fast-import. Marks are numbered from 1.
type grower struct {
	random *rand.Rand
	stream bytes.Buffer
	tips   []int // the newest mark of each line, 0 for none
	last   int
}

// step adds a commit, or a group of related commits, to a line.
func (g *grower) step() {
	line := g.random.IntN(len(g.tips))
	other := (line + 1 + g.random.IntN(max(1, len(g.tips)-1))) % len(g.tips)
	switch choice := g.random.IntN(100); {
	case g.tips[line] == 0 && g.tips[0] != 0 && choice < 95: // a new line branches off
		g.commit(line, g.tips[0])
	case g.tips[line] == 0:
		g.commit(line)
	case choice == 99: // another root is merged into the line
		before := g.tips[line]
		g.commit(line)
		g.commit(line, before, g.tips[line])
	case choice < 75 || g.tips[other] == 0 || other == line:
		g.commit(line, g.tips[line])
	case choice < 90:
		g.commit(line, g.tips[line], g.tips[other])
	case choice < 95: // criss-cross merge
		a, b := g.tips[line], g.tips[other]
		g.commit(line, a, b)
		g.commit(other, b, a)
	default:
		g.commit(line, g.some(line)...)
	}
}

// some returns the tips of all lines without duplicates, the given line's first.
func (g *grower) some(line int) []int {
	parents, seen := []int{}, map[int]bool{0: true}
	for i := range g.tips {
		if tip := g.tips[(line+i)%len(g.tips)]; !seen[tip] {
			seen[tip] = true
			parents = append(parents, tip)
		}
	}
	return parents
}

func (g *grower) commit(line int, parents ...int) {
	people := []string{"Zoë Ångström <zoe@example.com>", "Ελένη <eleni@example.com>", "Ann <ann@example.com>", " <>"}
	titles := []string{"Fügt Umlaute hinzu", "👋 здравствуй", "fix: handle \"quotes\" and\ttabs", "Заголовок", "plain", ""}
	g.last++
	seconds := epoch + 60*g.last - g.random.IntN(4)*100
	if g.random.IntN(3) == 0 {
		seconds = epoch + g.last/50 // many with the same date
	}
	branch := fmt.Sprintf("refs/heads/line-%d", line)
	if len(parents) == 0 {
		fmt.Fprintf(&g.stream, "reset %s\n\n", branch)
	}
	person := people[g.random.IntN(len(people))]
	text := fmt.Sprintf("%s %d\n\nThe body of commit %d.\n", titles[g.random.IntN(len(titles))], g.last, g.last)
	fmt.Fprintf(&g.stream, "commit %s\nmark :%d\nauthor %s %d +0130\ncommitter %s %d -0700\ndata %d\n%s",
		branch, g.last, person, seconds, person, seconds+5, len(text), text)
	for i, parent := range parents {
		word := "merge"
		if i == 0 {
			word = "from"
		}
		fmt.Fprintf(&g.stream, "%s :%d\n", word, parent)
	}
	fmt.Fprintf(&g.stream, "M 100644 inline file-%d\ndata <<END\n%d\nEND\n\n", line, g.last)
	g.tips[line] = g.last
}

// finish merges every line into main and creates tags.
func (g *grower) finish() {
	g.commit(0, g.some(0)...)
	fmt.Fprintf(&g.stream, "reset refs/heads/main\nfrom :%d\n\n", g.last)
	fmt.Fprintf(&g.stream, "reset refs/tags/light\nfrom :%d\n\n", 1+g.last/2)
	fmt.Fprintf(&g.stream, "reset refs/tags/größe/v1\nfrom :%d\n\n", 1+g.last/3)
	fmt.Fprintf(&g.stream, "tag annotated\nfrom :%d\ntagger T <t@example.com> %d +0000\ndata 4\nnote\n", 1+g.last/4, epoch)
}
