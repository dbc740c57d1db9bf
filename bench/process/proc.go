package process

import (
	"bufio"
	"bytes"
	"os"
	"strconv"
	"strings"
)

// numbers reads a file of lines with a name and a number.
func numbers(path string) (map[string]int64, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	found := map[string]int64{}
	for lines := bufio.NewScanner(bytes.NewReader(content)); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), ":")
		digits, _, _ := strings.Cut(strings.TrimSpace(value), " ")
		if n, err := strconv.ParseInt(digits, 10, 64); err == nil {
			found[name] = n
		}
	}
	return found, nil
}
