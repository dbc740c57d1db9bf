package lint

import (
	"go/ast"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// CheckTests finds tests that do not test: tests that are skipped other than by -short, tests that sleep, and fuzz targets
// without seeds.
func CheckTests(root string, p *Package) []Finding {
	var findings []Finding
	helpers := seedHelpers(p)
	for _, file := range p.Files {
		if !file.Test {
			continue
		}
		ast.Inspect(file.AST, func(node ast.Node) bool {
			if isShortSkip(node) {
				return false
			}
			if selector, isSelector := node.(*ast.SelectorExpr); isSelector {
				findings = append(findings, checkTestCall(p, file, selector)...)
			}
			return true
		})
		for _, function := range testFunctions(file, "Fuzz") {
			if !addsSeeds(function, helpers) && !hasCorpus(root, p.Dir, function.Name.Name) {
				findings = append(findings, p.find(file, function, "%s has no seed corpus", function.Name.Name))
			}
		}
	}
	return findings
}

// isShortSkip reports whether a statement is "if testing.Short() { t.Skip(reason) }" and nothing more.
func isShortSkip(node ast.Node) bool {
	condition, isIf := node.(*ast.IfStmt)
	if !isIf || condition.Init != nil || condition.Else != nil || len(condition.Body.List) != 1 || !isCall(condition.Cond, "testing", "Short", 0) {
		return false
	}
	statement, isExpression := condition.Body.List[0].(*ast.ExprStmt)
	return isExpression && isCall(statement.X, "t", "Skip", 1)
}

// isCall reports whether an expression calls a function of a package or variable with so many arguments.
func isCall(expression ast.Expr, receiver, name string, arguments int) bool {
	call, isCall := expression.(*ast.CallExpr)
	if !isCall || len(call.Args) != arguments {
		return false
	}
	selector, isSelector := call.Fun.(*ast.SelectorExpr)
	if !isSelector || selector.Sel.Name != name {
		return false
	}
	ident, isIdent := selector.X.(*ast.Ident)
	return isIdent && ident.Name == receiver
}

func checkTestCall(p *Package, file *File, selector *ast.SelectorExpr) []Finding {
	receiver, isIdent := selector.X.(*ast.Ident)
	switch {
	case !isIdent:
		return nil
	case receiver.Name == "time" && selector.Sel.Name == "Sleep":
		return []Finding{p.find(file, selector, "sleeps; wait on a condition")}
	case receiver.Name == "t" && slices.Contains([]string{"Skip", "Skipf", "SkipNow"}, selector.Sel.Name):
		return []Finding{p.find(file, selector, "skips a test; only \"if testing.Short() { t.Skip(reason) }\" may")}
	default:
		return nil
	}
}

// testFunctions returns the functions of a test file whose names have one of the prefixes.
func testFunctions(file *File, prefixes ...string) []*ast.FuncDecl {
	var functions []*ast.FuncDecl
	for _, declaration := range file.AST.Decls {
		function, isFunction := declaration.(*ast.FuncDecl)
		if !isFunction || function.Recv != nil || !file.Test || function.Name.Name == "TestMain" {
			continue
		}
		if slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(function.Name.Name, prefix) }) {
			functions = append(functions, function)
		}
	}
	return functions
}

// seedHelpers returns the names of the test functions of a package that add seeds.
func seedHelpers(p *Package) map[string]bool {
	helpers := map[string]bool{}
	for _, file := range p.Files {
		for _, function := range testFunctions(file, "") {
			if addsSeeds(function, nil) {
				helpers[function.Name.Name] = true
			}
		}
	}
	return helpers
}

// addsSeeds reports whether a function calls f.Add, directly or through a helper.
func addsSeeds(function *ast.FuncDecl, helpers map[string]bool) bool {
	found := false
	ast.Inspect(function, func(node ast.Node) bool {
		call, isCall := node.(*ast.CallExpr)
		if !isCall {
			return true
		}
		switch called := call.Fun.(type) {
		case *ast.Ident:
			found = found || helpers[called.Name]
		case *ast.SelectorExpr:
			receiver, isIdent := called.X.(*ast.Ident)
			found = found || isIdent && receiver.Name == "f" && called.Sel.Name == "Add"
		}
		return true
	})
	return found
}

// hasCorpus reports whether the fuzz target has a corpus in testdata/fuzz.
func hasCorpus(root, dir, target string) bool {
	entries, err := os.ReadDir(filepath.Join(root, filepath.FromSlash(dir), "testdata", "fuzz", target))
	return err == nil && len(entries) > 0
}
