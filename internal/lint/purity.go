package lint

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// orderMark starts the comment that explains why the order of a loop over a map does not matter.
const orderMark = "// order: "

// clockFunctions are the functions of package time that read the clock or wait.
func clockFunctions() []string {
	return []string{"After", "AfterFunc", "NewTicker", "NewTimer", "Now", "Since", "Sleep", "Tick", "Until"}
}

// CheckPurity checks that deterministic packages neither read the clock nor depend on the order of a map, and that pure
// packages use no goroutines or channels.
func CheckPurity(p *Package) []Finding {
	if !isDeterministic(p.Dir) {
		return nil
	}
	var findings []Finding
	for _, file := range p.sources() {
		marked := markedLines(p, file, orderMark)
		sorted := sortedCalls(p, file)
		ast.Inspect(file.AST, func(node ast.Node) bool {
			if text := concurrency(node); text != "" && isKind(p.Dir, pure) {
				findings = append(findings, p.find(file, node, "%s: a pure package uses no goroutines or channels", text))
			}
			if name := packageFunction(p, node, "time"); slices.Contains(clockFunctions(), name) {
				findings = append(findings, p.find(file, node, "uses time.%s: pass the time as an argument", name))
			}
			if overMap(p, node, sorted) && !marked[p.line(node)] {
				findings = append(findings, p.find(file, node,
					"iterates over a map; sort the keys, or explain in a comment %q why the order does not matter", orderMark+"..."))
			}
			return true
		})
	}
	return findings
}

// concurrency describes the use of goroutines or channels in a node, or returns "".
func concurrency(node ast.Node) string {
	switch node := node.(type) {
	case *ast.GoStmt:
		return "starts a goroutine"
	case *ast.SelectStmt:
		return "uses select"
	case *ast.SendStmt:
		return "sends on a channel"
	case *ast.ChanType:
		return "has a channel type"
	case *ast.UnaryExpr:
		if node.Op == token.ARROW {
			return "receives from a channel"
		}
	}
	return ""
}

// overMap reports whether a node iterates over a map in unspecified order.
func overMap(p *Package, node ast.Node, sorted map[ast.Node]bool) bool {
	switch node := node.(type) {
	case *ast.RangeStmt:
		ranged := p.Info.TypeOf(node.X)
		if ranged == nil {
			return false
		}
		_, isMap := ranged.Underlying().(*types.Map)
		return isMap
	case *ast.CallExpr:
		name := packageFunction(p, node.Fun, "maps")
		return slices.Contains([]string{"All", "Keys", "Values"}, name) && !sorted[node]
	}
	return false
}

// sortedCalls returns the calls whose result is sorted directly.
func sortedCalls(p *Package, file *File) map[ast.Node]bool {
	sorted := map[ast.Node]bool{}
	ast.Inspect(file.AST, func(node ast.Node) bool {
		call, isCall := node.(*ast.CallExpr)
		if isCall && len(call.Args) > 0 && strings.HasPrefix(packageFunction(p, call.Fun, "slices"), "Sorted") {
			sorted[call.Args[0]] = true
		}
		return true
	})
	return sorted
}

// packageFunction returns the name that a node selects from the package with an import path, or "".
func packageFunction(p *Package, node ast.Node, path string) string {
	selector, isSelector := node.(*ast.SelectorExpr)
	if !isSelector {
		return ""
	}
	qualifier, isIdent := selector.X.(*ast.Ident)
	if !isIdent {
		return ""
	}
	name, isPackage := p.Info.Uses[qualifier].(*types.PkgName)
	if !isPackage || name.Imported().Path() != path {
		return ""
	}
	return selector.Sel.Name
}

// markedLines returns the lines of a file that have a comment with the mark followed by a reason.
func markedLines(p *Package, file *File, mark string) map[int]bool {
	lines := map[int]bool{}
	for _, group := range file.AST.Comments {
		for _, comment := range group.List {
			if reason, isMark := strings.CutPrefix(comment.Text, mark); isMark && strings.TrimSpace(reason) != "" {
				lines[p.line(comment)] = true
			}
		}
	}
	return lines
}
