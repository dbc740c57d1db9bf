package term

import (
	"strings"
	"unicode/utf8"
)

// gap separates two columns.
const gap = "  "

// Table collects rows under a header and aligns them when it is printed.
type Table struct {
	printer *Printer
	rows    [][]string
}

// Table returns an empty table with the names of its columns.
func (p *Printer) Table(columns ...string) *Table {
	return &Table{printer: p, rows: [][]string{columns}}
}

// Row adds a row, with a cell for each column.
func (t *Table) Row(cells ...string) { t.rows = append(t.rows, cells) }

// Print prints the table, or the empty text when it has no rows.
func (t *Table) Print(empty string) {
	if len(t.rows) == 1 {
		t.printer.Line("%s", empty)
		return
	}
	widths := columnWidths(t.rows)
	for i, row := range t.rows {
		line := alignRow(row, widths)
		if i == 0 {
			line = t.printer.Style(Bold, line)
		}
		t.printer.Line("%s", line)
	}
}

// Fact is a line of Facts.
type Fact struct{ Label, Value string }

// Facts prints labels and values in two aligned columns.
func (p *Printer) Facts(facts ...Fact) {
	rows := make([][]string, len(facts))
	for i, fact := range facts {
		rows[i] = []string{fact.Label, fact.Value}
	}
	widths := columnWidths(rows)
	for _, fact := range facts {
		label := fact.Label + strings.Repeat(" ", widths[0]-width(fact.Label))
		p.Line("%s%s%s", p.Style(Dim, label), gap, fact.Value)
	}
}

func columnWidths(rows [][]string) []int {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], width(cell))
		}
	}
	return widths
}

// alignRow pads all cells but the last, so that lines have no trailing spaces.
func alignRow(row []string, widths []int) string {
	var out strings.Builder
	for i, cell := range row {
		out.WriteString(cell)
		if i < len(row)-1 {
			out.WriteString(strings.Repeat(" ", widths[i]-width(cell)) + gap)
		}
	}
	return strings.TrimRight(out.String(), " ")
}

// width returns the number of characters. Wide characters may break the alignment slightly.
func width(s string) int { return utf8.RuneCountInString(s) }

// Style is a text style.
type Style string

// The styles, as ANSI codes.
const (
	Bold   Style = "1"
	Dim    Style = "2"
	Red    Style = "31"
	Green  Style = "32"
	Yellow Style = "33"
	Cyan   Style = "36"
)

// Style applies a style to text, if colours are used.
func (p *Printer) Style(style Style, text string) string {
	if !p.colour || text == "" {
		return text
	}
	return "\x1b[" + string(style) + "m" + text + "\x1b[0m"
}
