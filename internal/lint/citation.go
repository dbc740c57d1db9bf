package lint

import (
	"go/ast"
	"regexp"
	"strings"
)

// citationMark begins the last sentence of the comment of a test that checks rules of the specification:
// Rules: P4.2, T1.3.
const citationMark = "Rules: "

// Citation says that a test checks a rule.
type Citation struct {
	Rule string
	Dir  string
	Test string
	File string
	Line int
}

// Citations collects what the tests, fuzz targets and benchmarks of a package say they check.
func Citations(p *Package) ([]Citation, []Finding) {
	var citations []Citation
	var findings []Finding
	for _, file := range p.Files {
		for _, function := range testFunctions(file, "Test", "Fuzz", "Benchmark") {
			rules, found, isWellFormed := citedRules(function)
			if found && !isWellFormed {
				findings = append(findings, p.find(file, function,
					"%s cites rules in another form than %q at the end of its comment", function.Name.Name, "Rules: P4.2, T1.3."))
			}
			for _, rule := range rules {
				citations = append(citations, Citation{
					Rule: rule, Dir: p.Dir, Test: function.Name.Name, File: file.Name, Line: p.line(function),
				})
			}
		}
	}
	return citations, findings
}

// citedRules reads the sentence of rules at the end of a comment. It may go over several lines.
func citedRules(function *ast.FuncDecl) (rules []string, found, isWellFormed bool) {
	comment := function.Doc.Text()
	_, sentence, found := strings.Cut("\n"+comment, "\n"+citationMark)
	if !found {
		return nil, strings.Contains(comment, strings.TrimSpace(citationMark)), false
	}
	sentence = strings.Join(strings.Fields(sentence), " ")
	wellFormed := regexp.MustCompile(`^[A-Z]+[0-9.]*(/[A-Za-z_]+)?(, [A-Z]+[0-9.]*(/[A-Za-z_]+)?)*\.$`)
	if !wellFormed.MatchString(sentence) {
		return nil, true, false
	}
	return strings.Split(strings.TrimSuffix(sentence, "."), ", "), true, true
}
