package report

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"strings"
)

// Positions in a plot, in units of the SVG view box.
const (
	plotWidth, plotHeight = 640, 260
	left, right           = 70, 16
	top, bottom           = 34, 40
	ticks                 = 5
	legendWidth           = 90 // per line
)

// line is a series of points.
type line struct {
	name string
	x, y []float64
}

// plot is a set of lines with common axes, which start at zero.
type plot struct {
	title, x, y string
	labels      []string // of x = 0, 1, ..., if x is not a number
	lines       []line
}

// SVG returns the plot as SVG. Colours are set by the style sheet of the page.
func (p *plot) SVG() template.HTML {
	var out strings.Builder
	fmt.Fprintf(&out, `<svg viewBox="0 0 %d %d" role="img" aria-label="%s">`, plotWidth, plotHeight, html.EscapeString(p.title))
	text := func(x, y float64, anchor, class, s string) {
		fmt.Fprintf(&out, `<text x="%.1f" y="%.1f" text-anchor="%s" class="%s">%s</text>`, x, y, anchor, class, html.EscapeString(s))
	}
	maxX, maxY := p.bounds()
	text(left, 16, "start", "title", p.title)
	text(plotWidth-right, plotHeight-4, "end", "label", p.x)
	for i := range ticks + 1 {
		part := float64(i) / ticks
		y := placeY(part)
		fmt.Fprintf(&out, `<line x1="%d" x2="%d" y1="%.1f" y2="%.1f" class="grid"/>`, left, plotWidth-right, y, y)
		text(left-6, y+4, "end", "label", axisLabel(maxY*part))
		if p.labels == nil {
			text(placeX(part), plotHeight-bottom+16, "middle", "label", axisLabel(maxX*part))
		}
	}
	for i, label := range p.labels {
		text(placeX(float64(i)/maxX), plotHeight-bottom+16, "middle", "label", label)
	}
	text(4, top-8, "start", "label", p.y)
	for i, l := range p.lines {
		points := make([]string, len(l.x))
		for k := range l.x {
			points[k] = fmt.Sprintf("%.1f,%.1f", placeX(l.x[k]/maxX), placeY(l.y[k]/maxY))
		}
		fmt.Fprintf(&out, `<polyline points="%s" class="line c%d"/>`, strings.Join(points, " "), i)
		text(float64(plotWidth-right-legendWidth*(len(p.lines)-1-i)), 16, "end", fmt.Sprintf("legend c%d", i), l.name)
	}
	out.WriteString("</svg>")
	return template.HTML(out.String()) //nolint:gosec // all text is escaped
}

func placeX(part float64) float64 { return left + part*(plotWidth-left-right) }

func placeY(part float64) float64 { return plotHeight - bottom - part*(plotHeight-top-bottom) }

// bounds returns round numbers that are at least the maxima of all points.
func (p *plot) bounds() (x, y float64) {
	for _, l := range p.lines {
		for i := range l.x {
			x, y = max(x, l.x[i]), max(y, l.y[i])
		}
	}
	if p.labels != nil {
		return float64(len(p.labels) - 1), roundUp(y)
	}
	return roundUp(x), roundUp(y)
}

// roundUp returns the next round number: 1, 1.5, 2, 2.5, 5 or 7.5 times a power of ten. It returns 1 for 0.
func roundUp(n float64) float64 {
	if n <= 0 {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(n)))
	for _, step := range []float64{1, 1.5, 2, 2.5, 5, 7.5} {
		if n <= step*power {
			return step * power
		}
	}
	return 10 * power
}

// axisLabel formats a number for an axis.
func axisLabel(n float64) string {
	switch {
	case n >= 1e6:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", n/1e6), ".0") + "M"
	case n >= 1e4:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", n/1e3), ".0") + "k"
	case n >= 10 || n == math.Trunc(n):
		return fmt.Sprintf("%.0f", n)
	default:
		return fmt.Sprintf("%.1f", n)
	}
}
