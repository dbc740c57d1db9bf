package remotehelper_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestTable checks that each row of the table in docs/git.md about what is proven names tests that exist, or says that nothing is
// prevented.
func TestTable(t *testing.T) {
	t.Parallel()
	const root = "../.."
	page, err := os.ReadFile(filepath.Join(root, "docs", "git.md"))
	if err != nil {
		t.Fatal(err)
	}
	var source strings.Builder
	for _, dir := range []string{"client", "internal/cli/gitremote", "internal/cli/stores", "internal/remotehelper", "internal/storeclient"} {
		files, err := filepath.Glob(filepath.Join(root, dir, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			source.Write(content)
		}
	}
	_, section, _ := strings.Cut(string(page), "## What is proven against whom\n")
	section, _, _ = strings.Cut(section, "\n## ")
	rows := 0
	for line := range strings.Lines(section) {
		columns := strings.Split(line, "|")
		if len(columns) != 6 || strings.Contains(line, "---") || strings.Contains(line, "| attacker |") {
			continue
		}
		rows++
		names := regexp.MustCompile("`([A-Za-z]+)`").FindAllStringSubmatch(columns[4], -1)
		if len(names) == 0 && !strings.Contains(columns[3], "not prevented") {
			t.Errorf("no test in %q", line)
		}
		for _, name := range names {
			if !strings.Contains(source.String(), "\nfunc "+name[1]+"(") {
				t.Errorf("there is no %s", name[1])
			}
		}
	}
	if rows < 10 {
		t.Errorf("the table has %d rows", rows)
	}
}
