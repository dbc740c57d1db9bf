package lint

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Section is a numbered section of the specification with its rules, in the order of the page.
type Section struct {
	ID    string // P4
	Title string
	Rules []string
}

// Forms of the rules of a section, besides numbered items, which every section may have.
const (
	itemRules      = iota // only numbered items: P4.2
	typeRows              // one rule per message type named in the first column: P5/FORK
	namedRows             // one rule per row, by the first column: T2/crash
	bareRows              // one rule per row, whose first column is the rule: I3
	wholeSection          // the section, or its table, is one rule: T4, P7
	permissionRows        // the message table of P3, checked as two rules
)

// sectionKind returns the form of the rules of a section.
func sectionKind(id string) int {
	switch id {
	case "P3":
		return permissionRows
	case "P5":
		return typeRows
	case "P12":
		return bareRows
	case "T2":
		return namedRows
	case "P7", "T4":
		return wholeSection
	default:
		return itemRules
	}
}

// ParseSections parses the numbered sections of a page. Types are the names of all message types, for rows that name a
// family of types.
func ParseSections(page string, types []string) ([]Section, error) {
	heading := regexp.MustCompile(`^## ([PT]\d+) (.+)$`)
	item := regexp.MustCompile(`^(\d+)\. `)
	var sections []Section
	var rows tableRows
	inside := false
	for line := range strings.Lines(page) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(line, "## ") {
			match := heading.FindStringSubmatch(line)
			inside = match != nil
			if inside {
				sections = append(sections, Section{ID: match[1], Title: match[2], Rules: fixedRules(match[1])})
			}
		}
		if !inside {
			continue
		}
		current := &sections[len(sections)-1]
		if match := item.FindStringSubmatch(line); match != nil {
			current.Rules = append(current.Rules, current.ID+"."+match[1])
		}
		if row := rows.next(line); row != nil {
			rules, err := rowRules(current.ID, row[0], types)
			if err != nil {
				return nil, err
			}
			current.Rules = append(current.Rules, rules...)
		}
	}
	return sections, nil
}

// fixedRules returns the rules that represent a table or a whole section.
func fixedRules(id string) []string {
	switch sectionKind(id) {
	case permissionRows:
		return []string{id + "/phases", id + "/authority"}
	case wholeSection:
		return []string{id}
	default:
		return nil
	}
}

// rowRules returns the rules of a table row, by its first cell.
func rowRules(id, cell string, types []string) ([]string, error) {
	switch sectionKind(id) {
	case namedRows:
		return []string{id + "/" + cell}, nil
	case bareRows:
		return []string{cell}, nil
	case typeRows:
		return typeRules(id, cell, types)
	default:
		return nil, nil
	}
}

// typeRules parses a list of message types, where `LINK_*` is a family, or the word all.
func typeRules(id, cell string, types []string) ([]string, error) {
	if cell == "all" {
		return []string{id + "/all"}, nil
	}
	var rules []string
	for name := range strings.SplitSeq(cell, ",") {
		name = strings.Trim(name, " `")
		known := len(rules)
		for _, typ := range types {
			if family, isFamily := strings.CutSuffix(name, "*"); typ == name || isFamily && strings.HasPrefix(typ, family) {
				rules = append(rules, id+"/"+typ)
			}
		}
		if len(rules) == known {
			return nil, fmt.Errorf("%s names %q, which is not a message type", id, name)
		}
	}
	return rules, nil
}

// allRules returns the rules of all sections.
func allRules(sections []Section) []string {
	var rules []string
	for _, section := range sections {
		rules = append(rules, section.Rules...)
	}
	return rules
}

// duplicateRules returns the rules that are in the specification more than once.
func duplicateRules(sections []Section) []string {
	rules := allRules(sections)
	slices.Sort(rules)
	var duplicates []string
	for i := 1; i < len(rules); i++ {
		if rules[i] == rules[i-1] {
			duplicates = append(duplicates, rules[i])
		}
	}
	return duplicates
}
