package lint

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// readOnlyMark starts the comment that explains why a deterministic package has a package-level variable: a table, which
// Go has no constants for. Errors need none.
const readOnlyMark = "read-only: "

// invariantMark starts the comment that explains why a function with another name panics, such as one whose name is
// given by an interface.
const invariantMark = "// invariant: "

// CheckState checks that packages have no init function, no panic outside of invariant helpers and, if they are
// deterministic, no package-level variable that is written.
func CheckState(p *Package) []Finding {
	var findings []Finding
	for _, file := range p.sources() {
		findings = append(findings, checkFunctions(p, file)...)
		if isDeterministic(p.Dir) {
			findings = append(findings, checkVariables(p, file)...)
			findings = append(findings, checkWrites(p, file)...)
		}
	}
	return findings
}

func checkFunctions(p *Package, file *File) []Finding {
	var findings []Finding
	marked := markedLines(p, file, invariantMark)
	for _, declaration := range file.AST.Decls {
		function, isFunction := declaration.(*ast.FuncDecl)
		if !isFunction {
			continue
		}
		if function.Name.Name == "init" && function.Recv == nil {
			findings = append(findings, p.find(file, function, "has an init function"))
		}
		if mayPanic(function.Name.Name) {
			continue
		}
		ast.Inspect(function, func(node ast.Node) bool {
			call, isCall := node.(*ast.CallExpr)
			if !isCall {
				return true
			}
			if name, isIdent := call.Fun.(*ast.Ident); isIdent && name.Name == "panic" && !marked[p.line(call)] {
				findings = append(findings, p.find(file, call, "panics in %s; only must... and invariant... functions may", function.Name.Name))
			}
			return true
		})
	}
	return findings
}

// mayPanic reports whether the name of a function is that of an invariant helper.
func mayPanic(name string) bool {
	lower := strings.ToLower(name)
	return strings.HasPrefix(lower, "must") || strings.HasPrefix(lower, "invariant")
}

func checkVariables(p *Package, file *File) []Finding {
	var findings []Finding
	for _, declaration := range file.AST.Decls {
		variables, isGeneric := declaration.(*ast.GenDecl)
		if !isGeneric || variables.Tok != token.VAR {
			continue
		}
		for _, spec := range variables.Specs {
			values, isValues := spec.(*ast.ValueSpec)
			if !isValues || hasMark(variables.Doc) || hasMark(values.Doc) || hasMark(values.Comment) {
				continue
			}
			for _, name := range values.Names {
				if name.Name == "_" || isError(p.Info.TypeOf(name)) {
					continue
				}
				findings = append(findings, p.find(file, name,
					"package-level variable %s; make it a constant or a function, or explain it in a comment %q",
					name.Name, readOnlyMark+"..."))
			}
		}
	}
	return findings
}

func hasMark(group *ast.CommentGroup) bool {
	return group != nil && strings.Contains(group.Text(), readOnlyMark)
}

func isError(typ types.Type) bool {
	return typ != nil && types.Identical(typ, types.Universe.Lookup("error").Type())
}

// checkWrites finds assignments to package-level variables and to their elements.
func checkWrites(p *Package, file *File) []Finding {
	var findings []Finding
	written := func(target ast.Expr) {
		if name := packageVariable(p, target); name != nil {
			findings = append(findings, p.find(file, target, "writes the package-level variable %s", name.Name))
		}
	}
	ast.Inspect(file.AST, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.AssignStmt:
			if node.Tok != token.DEFINE {
				for _, target := range node.Lhs {
					written(target)
				}
			}
		case *ast.IncDecStmt:
			written(node.X)
		case *ast.CallExpr:
			if name, isIdent := node.Fun.(*ast.Ident); isIdent && len(node.Args) > 0 &&
				(name.Name == "delete" || name.Name == "clear" || name.Name == "copy") {
				written(node.Args[0])
			}
		}
		return true
	})
	return findings
}

// packageVariable returns the package-level variable that an expression refers to or selects from, nil for none.
func packageVariable(p *Package, expression ast.Expr) *ast.Ident {
	switch expression := expression.(type) {
	case *ast.Ident:
		variable, isVariable := p.Info.Uses[expression].(*types.Var)
		if isVariable && variable.Pkg() != nil && variable.Parent() == variable.Pkg().Scope() {
			return expression
		}
	case *ast.IndexExpr:
		return packageVariable(p, expression.X)
	case *ast.SliceExpr:
		return packageVariable(p, expression.X)
	case *ast.SelectorExpr:
		return packageVariable(p, expression.X)
	case *ast.StarExpr:
		return packageVariable(p, expression.X)
	case *ast.ParenExpr:
		return packageVariable(p, expression.X)
	}
	return nil
}
