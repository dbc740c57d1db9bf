package lint

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	errorsPage  = "docs/errors.md"
	testingPage = "docs/testing.md"
	refusalFile = "message/refusal.go"
)

// TestPages checks the links and paths of every page.
func TestPages(t *testing.T) {
	t.Parallel()
	pages, err := Pages(moduleRoot)
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range []string{"README.md", "CHANGELOG.md", errorsPage, testingPage, wirePage} {
		if !slices.Contains(pages, page) {
			t.Errorf("%s was not found", page)
		}
	}
	for _, page := range pages {
		report(t, CheckPage(moduleRoot, page, readPage(t, moduleRoot, page)))
	}
}

// TestErrorsPage checks that the page of refusals lists the codes of the source, and only those.
func TestErrorsPage(t *testing.T) {
	t.Parallel()
	module := loadModule(t)
	var codes []string
	for _, p := range module.Packages {
		for _, file := range p.Files {
			if file.Name == refusalFile {
				codes = StringConstants(file, "Code")
			}
		}
	}
	if len(codes) == 0 {
		t.Fatalf("%s declares no codes", refusalFile)
	}
	refusals, _, _ := strings.Cut(readPage(t, moduleRoot, errorsPage), "\n## Problems\n") // those are the gateway's
	report(t, CompareLists(errorsPage, "code", FirstCells(refusals), codes))
}

// TestCheckPage checks the findings of valid and broken links and paths.
func TestCheckPage(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "docs", "adr"), 0o700); err != nil {
		t.Fatal(err)
	}
	const target = "# Top\n\n## P4 Custody `keys`, all\n"
	if err := os.WriteFile(filepath.Join(root, "docs", "target.md"), []byte(target), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, content string
		want          []string
	}{
		{"link", "[a](target.md) and [b](adr) and [c](https://example.invalid/x)", nil},
		{"anchor", "[a](target.md#p4-custody-keys-all)", nil},
		{"broken link", "x\n[a](gone.md)", []string{"docs/page.md:2: link gone.md: not found"}},
		{"broken anchor", "[a](target.md#p5)", []string{"link target.md#p5: no such heading"}},
		{"machine path", "see `/home/me/code`.", []string{"docs/page.md:1: machine-specific path: /home/me/code"}},
		{"route", "GET `/v1/messages`, `/tmpfile`", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			expect(t, CheckPage(root, "docs/page.md", test.content), test.want...)
		})
	}
}

// TestCompareLists checks the findings of two different lists.
func TestCompareLists(t *testing.T) {
	t.Parallel()
	const page = "# Page\n\n## one\n\n| code | x |\n|---|---|\n| `a` | 1 |\n| `a` | 2 |\n| `b` | 3 |\n\n## two\n\n| code |\n|---|\n| `z` |\n"
	expect(t, CompareLists("page.md", "code", FirstCells(page), []string{"a", "c"}),
		"code a is listed twice", "code b does not exist", "code c is not listed", "code z does not exist")
}

// TestStringConstants checks that only constants of the given type are returned.
func TestStringConstants(t *testing.T) {
	t.Parallel()
	const source = "package message\n\ntype Code string\n\nconst (\n\tA Code = \"a\"\n\tB string = \"b\"\n)\n\nconst C Code = \"c\"\n"
	got := StringConstants(fixture(t, "message/refusal.go", source).Files[0], "Code")
	if want := []string{"a", "c"}; !slices.Equal(got, want) {
		t.Errorf("constants are %q, want %q", got, want)
	}
}
