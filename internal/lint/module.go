package lint

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// modulePath is the path of this module in import declarations.
const modulePath = "makechain"

// Module is the parsed source of the module without generated code.
type Module struct {
	Root     string
	Packages []*Package
}

// Package is one directory of source.
type Package struct {
	Dir   string // slash-separated path from the root of the module; the import path without the module's
	Fset  *token.FileSet
	Files []*File
	Info  *types.Info // nil unless the package is deterministic
}

// File is one source file.
type File struct {
	Name  string // slash-separated path from the root of the module
	Test  bool
	Lines int
	AST   *ast.File
}

// listed is the output of go list for a package.
type listed struct {
	ImportPath   string     `json:"ImportPath"`
	Dir          string     `json:"Dir"`
	Export       string     `json:"Export"`
	GoFiles      []string   `json:"GoFiles"`
	TestGoFiles  []string   `json:"TestGoFiles"`
	XTestGoFiles []string   `json:"XTestGoFiles"`
	Error        *listError `json:"Error"`
}

type listError struct {
	Err string `json:"Err"`
}

// LoadModule parses every package of the module at root, and type-checks those that must be deterministic.
func LoadModule(ctx context.Context, root string) (*Module, error) {
	packages, err := goList(ctx, root, "-e", "-json=ImportPath,Dir,GoFiles,TestGoFiles,XTestGoFiles,Error", "./...")
	if err != nil {
		return nil, err
	}
	module := &Module{Root: root}
	var deterministic []string
	for _, entry := range packages {
		dir := strings.TrimPrefix(strings.TrimPrefix(entry.ImportPath, modulePath), "/")
		if isGenerated(dir) {
			continue
		}
		if entry.Error != nil {
			return nil, fmt.Errorf("package %s: %s", entry.ImportPath, entry.Error.Err)
		}
		parsed, err := parsePackage(dir, entry)
		if err != nil {
			return nil, err
		}
		module.Packages = append(module.Packages, parsed)
		if isDeterministic(dir) {
			deterministic = append(deterministic, entry.ImportPath)
		}
	}
	return module, checkTypes(ctx, module, deterministic)
}

// isGenerated reports whether a directory contains only generated code.
func isGenerated(dir string) bool { return dir == "gen" || strings.HasPrefix(dir, "gen/") }

func parsePackage(dir string, entry listed) (*Package, error) {
	parsed := &Package{Dir: dir, Fset: token.NewFileSet()}
	add := func(names []string, test bool) error {
		for _, name := range names {
			source, err := os.ReadFile(filepath.Join(entry.Dir, name))
			if err != nil {
				return err
			}
			if err := parsed.addFile(path.Join(dir, name), source, test); err != nil {
				return err
			}
		}
		return nil
	}
	err := errors.Join(add(entry.GoFiles, false), add(entry.TestGoFiles, true), add(entry.XTestGoFiles, true))
	return parsed, err
}

func (p *Package) addFile(name string, source []byte, test bool) error {
	parsed, err := parser.ParseFile(p.Fset, name, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	p.Files = append(p.Files, &File{Name: name, Test: test, Lines: bytes.Count(source, []byte("\n")), AST: parsed})
	return nil
}

// checkTypes type-checks the named packages with the compiler's export data.
func checkTypes(ctx context.Context, module *Module, importPaths []string) error {
	if len(importPaths) == 0 {
		return nil
	}
	args := append([]string{"-e", "-export", "-deps", "-json=ImportPath,Export"}, importPaths...)
	dependencies, err := goList(ctx, module.Root, args...)
	if err != nil {
		return err
	}
	exports := make(map[string]string, len(dependencies))
	for _, dependency := range dependencies {
		exports[dependency.ImportPath] = dependency.Export
	}
	open := func(importPath string) (io.ReadCloser, error) {
		if exports[importPath] == "" {
			return nil, fmt.Errorf("no export data for %s", importPath)
		}
		return os.Open(exports[importPath])
	}
	for _, checked := range module.Packages {
		if !isDeterministic(checked.Dir) {
			continue
		}
		if err := checked.check(importer.ForCompiler(checked.Fset, "gc", open)); err != nil {
			return err
		}
	}
	return nil
}

// check type-checks the files of the package that are not tests. It continues after an error and returns the first.
func (p *Package) check(imports types.Importer) error {
	sources := p.sources()
	files := make([]*ast.File, 0, len(sources))
	for _, file := range sources {
		files = append(files, file.AST)
	}
	p.Info = &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{},
		Defs:  map[*ast.Ident]types.Object{},
		Uses:  map[*ast.Ident]types.Object{},
	}
	config := types.Config{Importer: imports, Error: func(error) {}}
	_, err := config.Check(modulePath+"/"+p.Dir, p.Fset, files, p.Info)
	return err
}

// sources returns the files of the package that are not tests.
func (p *Package) sources() []*File {
	var files []*File
	for _, file := range p.Files {
		if !file.Test {
			files = append(files, file)
		}
	}
	return files
}

func (p *Package) line(node ast.Node) int { return p.Fset.Position(node.Pos()).Line }

// find returns a finding at a node.
func (p *Package) find(file *File, node ast.Node, format string, args ...any) Finding {
	return Finding{File: file.Name, Line: p.line(node), Text: fmt.Sprintf(format, args...)}
}

func goList(ctx context.Context, root string, args ...string) ([]listed, error) {
	command := exec.CommandContext(ctx, "go", append([]string{"list"}, args...)...)
	command.Dir = root
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); err != nil {
		return nil, fmt.Errorf("go list: %w: %s", err, stderr.String())
	}
	var packages []listed
	decoder := json.NewDecoder(&stdout)
	for decoder.More() {
		var entry listed
		if err := decoder.Decode(&entry); err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		packages = append(packages, entry)
	}
	return packages, nil
}
