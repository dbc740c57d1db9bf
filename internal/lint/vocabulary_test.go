package lint

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// vocabularyExceptions returns the files that quote the phrases.
func vocabularyExceptions() map[string]bool {
	return map[string]bool{"internal/lint/vocabulary.go": true, "internal/lint/vocabulary_test.go": true, "docs/glossary.md": true}
}

// TestVocabulary checks that source files and documentation pages use the standard terms.
func TestVocabulary(t *testing.T) {
	t.Parallel()
	var files []string
	for _, p := range loadModule(t).Packages {
		for _, file := range p.Files {
			files = append(files, file.Name)
		}
	}
	pages, err := Pages(moduleRoot)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(files, pages...) {
		if vocabularyExceptions()[name] {
			continue
		}
		content, err := os.ReadFile(filepath.Join(moduleRoot, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		report(t, CheckVocabulary(name, string(content)))
	}
}

// TestCheckVocabulary checks that the rule finds the phrases, and only these.
func TestCheckVocabulary(t *testing.T) {
	t.Parallel()
	expect(t, CheckVocabulary("a.go", "// x says whether it is.\n// It reports whether it is.\n// What nobody is told.\nconst patience = 1\n"),
		`a.go:1: "says whether": use reports whether`, `a.go:3: "is told": use receives`, `a.go:3: "nobody is": use the concrete subject`,
		`a.go:4: "patience": use timeout, deadline or TTL`)
	for _, text := range []string{"reports whether", "told", "is no longer", "there is no project", "intake in", "the impatient"} {
		expect(t, CheckVocabulary("a.md", strings.ToUpper(text[:1])+text[1:]))
	}
}
