package lint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Pages returns the documentation pages under root as slash-separated paths. It ignores hidden directories and
// node_modules.
func Pages(root string) ([]string, error) {
	var pages []string
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := entry.Name()
		if entry.IsDir() && name != root && (strings.HasPrefix(base, ".") || base == "node_modules") {
			return fs.SkipDir
		}
		if strings.HasSuffix(base, ".md") {
			relative, err := filepath.Rel(root, name)
			if err != nil {
				return err
			}
			pages = append(pages, filepath.ToSlash(relative))
		}
		return nil
	})
	return pages, err
}

// CheckPage finds broken links and machine-specific paths.
func CheckPage(root, page, content string) []Finding {
	machine := regexp.MustCompile(`(^|[\s"'(=` + "`" + `])(/(home|root|tmp|usr|Users|work|mnt|opt|var)/\S*|[A-Z]:\\\S*)`)
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	var findings []Finding
	number := 0
	for line := range strings.Lines(content) {
		number++
		for _, match := range machine.FindAllStringSubmatch(line, -1) {
			findings = append(findings, Finding{page, number, "machine-specific path: " + strings.TrimRight(match[2], "`.,)\n")})
		}
		for _, match := range link.FindAllStringSubmatch(line, -1) {
			if err := followLink(root, page, match[1]); err != nil {
				findings = append(findings, Finding{page, number, fmt.Sprintf("link %s: %v", match[1], err)})
			}
		}
	}
	return findings
}

// followLink checks a link of a page. It does not check links to other hosts.
func followLink(root, page, link string) error {
	if strings.Contains(link, "://") {
		return nil
	}
	target, anchor, _ := strings.Cut(link, "#")
	name := page
	if target != "" {
		name = path.Join(path.Dir(page), target)
	}
	info, err := os.Stat(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		return errors.New("not found")
	}
	if anchor == "" || info.IsDir() {
		return nil
	}
	content, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		return err
	}
	if !slices.Contains(anchors(string(content)), anchor) {
		return errors.New("no such heading")
	}
	return nil
}

// anchors returns the link anchors of the headings of a page.
func anchors(content string) []string {
	dropped := regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	var names []string
	for line := range strings.Lines(content) {
		if heading := strings.TrimLeft(line, "#"); heading != line && strings.HasPrefix(heading, " ") {
			plain := dropped.ReplaceAllString(strings.ToLower(strings.TrimSpace(heading)), "")
			names = append(names, strings.ReplaceAll(plain, " ", "-"))
		}
	}
	return names
}

// CompareLists finds entries that only one of two lists has, and duplicates. What describes the entries; page contains
// the documented list.
func CompareLists(page, what string, documented, actual []string) []Finding {
	var findings []Finding
	for _, entry := range actual {
		if !slices.Contains(documented, entry) {
			findings = append(findings, Finding{File: page, Text: fmt.Sprintf("%s %s is not listed", what, entry)})
		}
	}
	for i, entry := range documented {
		if !slices.Contains(actual, entry) {
			findings = append(findings, Finding{File: page, Text: fmt.Sprintf("%s %s does not exist", what, entry)})
		}
		if slices.Contains(documented[:i], entry) {
			findings = append(findings, Finding{File: page, Text: fmt.Sprintf("%s %s is listed twice", what, entry)})
		}
	}
	return findings
}
