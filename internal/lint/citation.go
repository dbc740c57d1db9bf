package lint

import (
	"go/ast"
	"regexp"
	"strings"
)

// citationMark starts the last sentence of the comment of a test that checks rules of the specification:
// Rules: P4.2, T1.3. A family of message types is cited as P5/LINK_*.
const citationMark = "Rules: "

// Citation is a rule that the comment of a test cites.
type Citation struct {
	Rule string
	Dir  string
	Test string
	File string
	Line int
}

// Citations returns the rules that the tests, fuzz targets and benchmarks of a package cite.
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

// expandFamilies replaces the citation of a family by citations of the rules that exist in it.
func expandFamilies(citations []Citation, rules []string) []Citation {
	var expanded []Citation
	for _, citation := range citations {
		family, isFamily := strings.CutSuffix(citation.Rule, "*")
		known := len(expanded)
		for _, rule := range rules {
			if isFamily && strings.HasPrefix(rule, family) {
				member := citation
				member.Rule = rule
				expanded = append(expanded, member)
			}
		}
		if len(expanded) == known {
			expanded = append(expanded, citation)
		}
	}
	return expanded
}

// citedRules parses the sentence of rules at the end of a comment, which may span several lines.
func citedRules(function *ast.FuncDecl) (rules []string, found, isWellFormed bool) {
	comment := function.Doc.Text()
	_, sentence, found := strings.Cut("\n"+comment, "\n"+citationMark)
	if !found {
		return nil, strings.Contains(comment, strings.TrimSpace(citationMark)), false
	}
	sentence = strings.Join(strings.Fields(sentence), " ")
	wellFormed := regexp.MustCompile(`^[A-Z]+[0-9.]*(/[A-Za-z_]+\*?)?(, [A-Z]+[0-9.]*(/[A-Za-z_]+\*?)?)*\.$`)
	if !wellFormed.MatchString(sentence) {
		return nil, true, false
	}
	return strings.Split(strings.TrimSuffix(sentence, "."), ", "), true, true
}

// FuzzTarget is a fuzz target with its comment.
type FuzzTarget struct {
	Dir     string
	Comment string
}

// FuzzTargets returns the fuzz targets of a package.
func FuzzTargets(p *Package) []FuzzTarget {
	var targets []FuzzTarget
	for _, file := range p.Files {
		for _, function := range testFunctions(file, "Fuzz") {
			comment, _, _ := strings.Cut(function.Doc.Text(), citationMark)
			targets = append(targets, FuzzTarget{Dir: p.Dir, Comment: strings.Join(strings.Fields(comment), " ")})
		}
	}
	return targets
}
