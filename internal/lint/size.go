package lint

import (
	"fmt"
	"go/ast"
)

const (
	// maxFileLines and maxFunctionLines are where reading turns into searching.
	maxFileLines     = 500
	maxFunctionLines = 80
)

// CheckSize finds files and functions that ask to be split, tests included.
func CheckSize(p *Package) []Finding {
	var findings []Finding
	for _, file := range p.Files {
		if file.Lines > maxFileLines {
			findings = append(findings, Finding{
				File: file.Name, Text: fmt.Sprintf("has %d lines, at most %d are allowed", file.Lines, maxFileLines),
			})
		}
		for _, declaration := range file.AST.Decls {
			function, isFunction := declaration.(*ast.FuncDecl)
			if !isFunction {
				continue
			}
			lines := p.Fset.Position(function.End()).Line - p.line(function) + 1
			if lines > maxFunctionLines {
				findings = append(findings, p.find(file, function,
					"%s has %d lines, at most %d are allowed", function.Name.Name, lines, maxFunctionLines))
			}
		}
	}
	return findings
}
