package lint

import (
	"fmt"
	"go/ast"
)

const (
	// maxFileLines and maxFunctionLines are the maximum sizes of files and functions.
	maxFileLines     = 500
	maxFunctionLines = 80
)

// CheckSize finds files and functions that are too long, including tests.
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
