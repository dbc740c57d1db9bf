package lint

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// WireFacts are the names, numbers and types of a schema, in the notation of the wire page: a fact has
// a name, such as "Message.hash" or "MakechainService.GetRef", and what is said of it.
type WireFacts map[string]string

// ParseWireFacts reads the tables of the wire page.
func ParseWireFacts(page string) (WireFacts, error) {
	facts := WireFacts{}
	var rows tableRows
	section := ""
	for line := range strings.Lines(page) {
		if title, isHeading := strings.CutPrefix(line, "## "); isHeading {
			section = strings.TrimSpace(title)
		}
		row := rows.next(line)
		if row == nil {
			continue
		}
		var err error
		if service, isService := strings.CutPrefix(section, "Methods of "); isService {
			err = facts.addMethods(strings.Trim(service, "`"), row)
		} else if section == "Oneofs" {
			err = facts.addOneof(row)
		} else {
			err = facts.addType(row)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", section, err)
		}
	}
	return facts, nil
}

func (f WireFacts) add(name, fact string) error {
	if _, isKnown := f[name]; isKnown {
		return fmt.Errorf("%s is there twice", name)
	}
	f[name] = fact
	return nil
}

// addType reads a message or an enum: | `Name` | `1 field:type` · `2 field:type[]` |.
func (f WireFacts) addType(row []string) error {
	name, rest, _ := strings.Cut(strings.TrimPrefix(row[0], "`"), "`")
	kind := "message"
	if strings.TrimSpace(rest) == "(enum)" {
		kind = "enum"
	}
	if err := f.add(name, kind); err != nil {
		return err
	}
	if row[1] == "(no fields)" {
		return nil
	}
	for field := range strings.SplitSeq(row[1], " · ") {
		number, fact, hasNumber := strings.Cut(strings.Trim(field, "`"), " ")
		fieldName, typ, hasType := strings.Cut(fact, ":")
		if !hasNumber || hasType == (kind == "enum") {
			return fmt.Errorf("%s has a field %q that is not of the form `number name:type`", name, field)
		}
		if err := f.add(name+"."+fieldName, strings.TrimSpace(number+" "+typ)); err != nil {
			return err
		}
	}
	return nil
}

// addOneof reads | `Message` | `oneof` | 2-3 |.
func (f WireFacts) addOneof(row []string) error {
	return f.add(strings.Trim(row[0], "`")+"."+strings.Trim(row[1], "`"), "oneof "+row[2])
}

// addMethods reads a group of methods divided by dots: `A`: `ARequest` -> `AResponse`, or `A`, `B` ->
// `Answer`, or only the name of a method.
func (f WireFacts) addMethods(service string, row []string) error {
	code := regexp.MustCompile("`([A-Za-z]+)`")
	for entry := range strings.SplitSeq(row[1], " · ") {
		left, response, _ := strings.Cut(entry, "->")
		left, request, _ := strings.Cut(left, ":")
		for _, method := range code.FindAllStringSubmatch(left, -1) {
			name := method[1]
			input, output := name+"Request", name+"Response"
			if match := code.FindStringSubmatch(request); match != nil {
				input = match[1]
			}
			if match := code.FindStringSubmatch(response); match != nil {
				output = match[1]
			}
			if strings.Contains(response, "stream of") {
				output = "stream " + output
			}
			if err := f.add(service+"."+name, input+" -> "+output); err != nil {
				return err
			}
		}
	}
	return nil
}

// CompareWireFacts finds where the page and the schema say different things, both ways.
func CompareWireFacts(file string, page, schema WireFacts) []Finding {
	var findings []Finding
	all := maps.Clone(page)
	maps.Copy(all, schema)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		written, isWritten := page[name]
		compiled, isCompiled := schema[name]
		var text string
		switch {
		case !isWritten:
			text = fmt.Sprintf("%s (%s) is in the schema and not on this page", name, compiled)
		case !isCompiled:
			text = fmt.Sprintf("%s (%s) is on this page and not in the schema", name, written)
		case written != compiled:
			text = fmt.Sprintf("%s is %q on this page and %q in the schema", name, written, compiled)
		default:
			continue
		}
		findings = append(findings, Finding{File: file, Text: text})
	}
	return findings
}
