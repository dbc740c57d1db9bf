package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"makechain/internal/lint"
)

const (
	repository = "../.."
	// elsewhereMark starts the first line of a block that is not run; the reason follows.
	elsewhereMark = "# elsewhere: "
)

// docPage is a page of the documentation whose commands are run.
type docPage struct {
	name string
	// afterQuickstart means that the commands start from the state at the end of the quick start: a node runs, alice
	// has an account on this machine, and the repository in the working directory is pushed to alice/hello.
	afterQuickstart bool
}

// docPages returns all pages with commands, except those of ranElsewhere.
func docPages() []docPage {
	return []docPage{
		{name: "README.md"},
		{name: "docs/quickstart.md"},
		{name: "docs/concepts.md", afterQuickstart: true},
		{name: "docs/keys.md", afterQuickstart: true},
		{name: "docs/collaborate.md", afterQuickstart: true},
		{name: "docs/api/curl.md", afterQuickstart: true},
		{name: "docs/api/typescript.md", afterQuickstart: true},
		{name: "docs/troubleshooting.md", afterQuickstart: true},
		{name: "docs/node.md"},
		{name: "docs/network.md"},
		{name: "docs/validators.md"},
		{name: "docs/operate.md"},
		{name: "docs/attester.md"},
		{name: "docs/testing.md"},
	}
}

// ranElsewhere returns the pages whose commands another test runs.
func ranElsewhere() []string {
	return []string{"docs/api/go.md", "docs/git.md", "docs/paid-network.md", "docs/performance.md", "docs/rest.md", "docs/scale.md"}
}

// unrun returns the blocks that no test runs, by their page and first command. The page has the reason.
func unrun() []string {
	return []string{
		"docs/api/typescript.md: npm install --install-links ../makechain/web/client",
		"docs/api/typescript.md: npm install --save-dev openapi-typescript typescript",
		"docs/attester.md: makechain attester --home att --genesis genesis.json --from-block 21000000 --rpc https://one.example/KEY " +
			"--rpc http://localhost:8545 --listen 0.0.0.0:8070",
		"docs/network.md: makechain account create alice",
		"docs/network.md: makechain testnet start net",
		"docs/network.md: makechain node --home alice-home --genesis genesis.json " +
			"--peers 4f9a...@b.example:26656,77c0...@c.example:26656 --p2p-addr 0.0.0.0:26656",
		"docs/network.md: makechain node --home mine --genesis genesis.json --peers 4f9a...@a.example:26656,77c0...@b.example:26656 --p2p-addr 0.0.0.0:26656",
		"docs/node.md: makechain gateway --upstream node.example:50051",
		"docs/node.md: makechain node --home mine --genesis genesis.json --peers id@host:26656 --state-sync host:50051,other:50051 --trust 12001:9f86d0...",
		"docs/node.md: makechain snapshot list",
		"docs/operate.md: makechain rules show",
		"docs/testing.md: go test ./...",
	}
}

// TestDocs runs the commands of every page in order, and compares their output with the page.
func TestDocs(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs the commands of all pages")
	}
	for _, page := range docPages() {
		t.Run(strings.ReplaceAll(page.name, "/", "_"), func(t *testing.T) {
			t.Parallel()
			s := newSession(t)
			if page.afterQuickstart {
				s.quickstart()
			}
			for _, block := range commandBlocks(readDoc(t, page.name)) {
				s.page = page.name
				s.line = block.Line
				s.runBlock(block)
			}
		})
	}
}

// TestDocsAreRun checks that every page with commands is in one of the lists above, and that every block that is not
// run is in unrun.
func TestDocsAreRun(t *testing.T) {
	t.Parallel()
	pages, err := lint.Pages(repository)
	if err != nil {
		t.Fatal(err)
	}
	var listed, skipped []string
	for _, page := range docPages() {
		listed = append(listed, page.name)
	}
	for _, page := range pages {
		if strings.HasPrefix(page, "conformance/") { // separate programs, which need npm
			continue
		}
		content := readDoc(t, page)
		for _, block := range lint.Blocks(content) {
			first, _, _ := strings.Cut(block.Text, "\n")
			switch {
			case isCommands(block) && !slices.Contains(listed, page) && !slices.Contains(ranElsewhere(), page):
				t.Errorf("%s:%d: the page has commands and is in none of the lists of this test", page, block.Line)
			case isCommands(block) && strings.HasPrefix(first, elsewhereMark):
				skipped = append(skipped, page+": "+typedLines(block)[0].Line)
			case !isCommands(block) && looksTyped(block.Text):
				t.Errorf("%s:%d: commands in a block of %q are not run", page, block.Line, block.Language)
			}
		}
		for number, line := range strings.Split(content, "\n") {
			if strings.HasPrefix(line, "    ") && looksTyped(strings.TrimPrefix(line, "    ")) {
				t.Errorf("%s:%d: an indented command is not run: %s", page, number+1, line)
			}
		}
	}
	slices.Sort(skipped)
	if want := slices.Sorted(slices.Values(unrun())); !slices.Equal(skipped, want) {
		t.Errorf("blocks that are not run: %q, want %q", skipped, want)
	}
}

// isCommands reports whether a block has commands.
func isCommands(block lint.Block) bool { return block.Language == "console" || block.Language == "sh" }

// looksTyped reports whether a text has a line that looks like a command.
func looksTyped(text string) bool {
	return regexp.MustCompile(`(?m)^(\$ |(go|git|curl|makechain|\./makechain|npm|npx) [a-z.-])`).MatchString(text)
}

// commandBlocks returns the blocks of a page that are run, in order.
func commandBlocks(content string) []lint.Block {
	var blocks []lint.Block
	for _, block := range lint.Blocks(content) {
		if isCommands(block) && !strings.HasPrefix(block.Text, elsewhereMark) {
			blocks = append(blocks, block)
		}
	}
	return blocks
}

// typedLines returns the commands of a block. In a console block they follow a dollar sign, and their output is below
// them; a block of sh has only commands. A backslash continues a command on the next line.
func typedLines(block lint.Block) []lint.Command {
	text := strings.ReplaceAll(block.Text, "\\\n", "")
	if block.Language == "console" {
		return lint.Transcripts("```console\n" + text + "```\n")
	}
	var commands []lint.Command
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			commands = append(commands, lint.Command{Line: line})
		}
	}
	return commands
}

func readDoc(t *testing.T, page string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(repository, filepath.FromSlash(page)))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
