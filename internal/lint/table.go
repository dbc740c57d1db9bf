package lint

import "strings"

// tableRows reads the tables of a page line by line and leaves their headers out.
type tableRows struct {
	inBody bool
}

// next takes the next line of the page. It returns the cells of a row, or nil for any other line.
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

// cells splits a row of a table. A bar inside a cell is written \|.
func cells(row string) []string {
	const bar = "\x00"
	row = strings.ReplaceAll(row, `\|`, bar)
	parts := strings.Split(strings.Trim(row, "|"), "|")
	for i, part := range parts {
		parts[i] = strings.TrimSpace(strings.ReplaceAll(part, bar, `\|`))
	}
	return parts
}

// FirstCells reads the first cell of each row of the tables of a page, code marks taken off.
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
