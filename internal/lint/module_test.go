package lint

import (
	"context"
	"flag"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// update rewrites the pages that are generated from the source.
var update = flag.Bool("update", false, "rewrite the generated pages under docs")

// moduleRoot is the root of the module, seen from the directory the tests of this package run in.
const moduleRoot = "../.."

var loadOnce = sync.OnceValues(func() (*Module, error) {
	root, err := filepath.Abs(moduleRoot)
	if err != nil {
		return nil, err
	}
	return LoadModule(context.Background(), root)
})

// loadModule returns the source of this module, parsed once for all tests.
func loadModule(t *testing.T) *Module {
	t.Helper()
	module, err := loadOnce()
	if err != nil {
		t.Fatal(err)
	}
	return module
}

// everyRule applies the rules that check one package at a time.
func everyRule(root string, p *Package) []Finding {
	var findings []Finding
	for _, rule := range []func(*Package) []Finding{CheckKind, CheckImports, CheckPurity, CheckState, CheckSize} {
		findings = append(findings, rule(p)...)
	}
	return append(findings, CheckTests(root, p)...)
}

// TestRules applies the rules to every package of the module.
//
// Rules: P6.3, T3.8.
func TestRules(t *testing.T) {
	t.Parallel()
	module := loadModule(t)
	for _, p := range module.Packages {
		report(t, everyRule(module.Root, p))
	}
}

// TestLoadModule checks that the packages which the rules are about are loaded.
func TestLoadModule(t *testing.T) {
	t.Parallel()
	module := loadModule(t)
	seen := map[string]*Package{}
	for _, p := range module.Packages {
		seen[p.Dir] = p
		if isGenerated(p.Dir) {
			t.Errorf("generated package %s was loaded", p.Dir)
		}
	}
	for _, dir := range append(packageKinds()[pure], treePackage) {
		switch p := seen[dir]; {
		case p == nil:
			t.Errorf("package %s was not found", dir)
		case p.Info == nil || len(p.Info.Types) == 0:
			t.Errorf("package %s was not type-checked", dir)
		}
	}
	if p := seen["internal/lint"]; p == nil || len(p.Files) == len(p.sources()) {
		t.Error("the tests of internal/lint were not loaded")
	}
}

// readPage reads a page by its path from the root of the module.
func readPage(t *testing.T, root, page string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(page)))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// report fails the test with each finding.
func report(t *testing.T, findings []Finding) {
	t.Helper()
	sortFindings(findings)
	for _, finding := range findings {
		t.Error(finding)
	}
}

// expect fails the test unless the findings are those wanted, each given by a part of its text.
func expect(t *testing.T, findings []Finding, want ...string) {
	t.Helper()
	sortFindings(findings)
	if len(findings) != len(want) {
		t.Fatalf("found %v, want %d findings: %q", findings, len(want), want)
	}
	for i, finding := range findings {
		if !strings.Contains(finding.String(), want[i]) {
			t.Errorf("finding %d is %q, want %q in it", i, finding, want[i])
		}
	}
}

// fixture returns a package of one file from source. Its imports are empty packages, so that it needs no compiled code.
// Errors about missing names are ignored.
func fixture(t *testing.T, name, source string) *Package {
	t.Helper()
	p := &Package{Dir: path.Dir(name), Fset: token.NewFileSet()}
	if err := p.addFile(name, []byte(source), strings.HasSuffix(name, "_test.go")); err != nil {
		t.Fatal(err)
	}
	if err := p.check(hollow{}); err != nil && !strings.Contains(err.Error(), "undefined: ") {
		t.Fatal(err)
	}
	return p
}

// hollow is an importer that returns empty packages.
type hollow struct{}

func (hollow) Import(importPath string) (*types.Package, error) {
	p := types.NewPackage(importPath, path.Base(importPath))
	p.MarkComplete()
	return p, nil
}
