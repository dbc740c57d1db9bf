package report

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"strings"
)

// Where things stand in a plot, in the units of its picture.
const (
	plotWidth, plotHeight = 640, 260
	left, right           = 70, 16
	top, bottom           = 34, 40
	ticks                 = 5
	legendWidth           = 90 // of the name of a line
)

// line is a row of points in a plot.
type line struct {
	name string
	x, y []float64
}

// plot is lines over common axes, which begin at zero.
type plot struct {
	title, x, y string
	labels      []string // of the places 0, 1 and so on, where x is no number
	lines       []line
}

// SVG draws a plot. Colours come from the page it stands in.
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
		text(left-6, y+4, "end", "label", brief(maxY*part))
		if p.labels == nil {
			text(placeX(part), plotHeight-bottom+16, "middle", "label", brief(maxX*part))
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
	return template.HTML(out.String()) //nolint:gosec // all text in it is escaped
}

func placeX(part float64) float64 { return left + part*(plotWidth-left-right) }

func placeY(part float64) float64 { return plotHeight - bottom - part*(plotHeight-top-bottom) }

// bounds are round numbers that no point is beyond.
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

// roundUp is the next of 1, 2, 2.5, 5 times a power of ten, and 1 for nothing.
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

// brief is a number as axes have it.
func brief(n float64) string {
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
