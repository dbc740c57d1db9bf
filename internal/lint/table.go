package lint

import "strings"

// tableRows parses the tables of a page line by line, without headers.
type tableRows struct {
	inBody bool
}

// next returns the cells of the next line of the page if it is a row, or nil.
func (r *tableRows) next(line string) []string {
	line = strings.TrimSpace(line)
	switch {
	case !strings.HasPrefix(line, "|"):
		r.inBody = false
	case strings.HasPrefix(line, "|---"):
		r.inBody = true
	case r.inBody:
		return cells(line)
	}
	return nil
}

// cells returns the cells of a row. A bar inside a cell is escaped as \|.
func cells(row string) []string {
	const bar = "\x00"
	row = strings.ReplaceAll(row, `\|`, bar)
	parts := strings.Split(strings.Trim(row, "|"), "|")
	for i, part := range parts {
		parts[i] = strings.TrimSpace(strings.ReplaceAll(part, bar, `\|`))
	}
	return parts
}

// FirstCells returns the first cell of each table row of a page, without backticks.
func FirstCells(content string) []string {
	var first []string
	var rows tableRows
	for line := range strings.Lines(content) {
		if row := rows.next(line); row != nil {
			first = append(first, strings.Trim(row[0], "`"))
		}
	}
	return first
}
