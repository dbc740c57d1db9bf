package lint

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// orderMark begins the comment that says why the order of a loop over a map does not matter.
const orderMark = "// order: "

// clockFunctions of package time read the clock or wait for it. Its types and constants are harmless.
func clockFunctions() []string {
	return []string{"After", "AfterFunc", "NewTicker", "NewTimer", "Now", "Since", "Sleep", "Tick", "Until"}
}

// CheckPurity enforces what a calculating package must not do: read a clock, depend on the order of a
// map and, unless it is the state tree, run anything beside itself.
func CheckPurity(p *Package) []Finding {
	if !isCalculating(p.Dir) {
		return nil
	}
	var findings []Finding
	for _, file := range p.sources() {
		marked := markedLines(p, file, orderMark)
		sorted := sortedCalls(p, file)
		ast.Inspect(file.AST, func(node ast.Node) bool {
			if text := concurrency(node); text != "" && isPure(p.Dir) {
				findings = append(findings, p.find(file, node, "%s: a pure package does one thing at a time", text))
			}
			if name := packageFunction(p, node, "time"); slices.Contains(clockFunctions(), name) {
				findings = append(findings, p.find(file, node, "uses time.%s: time comes in as an argument", name))
			}
			if overMap(p, node, sorted) && !marked[p.line(node)] {
				findings = append(findings, p.find(file, node,
					"walks a map; sort the keys, or say why order does not matter in a comment %q", orderMark+"..."))
			}
			return true
		})
	}
	return findings
}

// concurrency says what a node does that needs a second goroutine, or "".
func concurrency(node ast.Node) string {
	switch node := node.(type) {
	case *ast.GoStmt:
		return "starts a goroutine"
	case *ast.SelectStmt:
		return "selects"
	case *ast.SendStmt:
		return "sends on a channel"
	case *ast.ChanType:
		return "has a channel"
	case *ast.UnaryExpr:
		if node.Op == token.ARROW {
			return "receives from a channel"
		}
	}
	return ""
}

// overMap says whether a node walks a map in the map's own order.
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

// sortedCalls are the calls whose result goes straight into a sort, which makes its order certain.
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

// packageFunction gives the name that a node selects from the package of that path, or "".
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

// markedLines are the lines of a file with a comment that begins with mark and goes on to say something.
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
