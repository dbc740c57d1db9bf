package settings

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"makechain/internal/cli/usage"
)

const (
	// HomeFlag is the flag that names the home of a node.
	HomeFlag = "home"
	// ConfigFile is the file in a home with the flags of its node: --grpc-addr is grpc-addr = "..." there.
	ConfigFile = "config.toml"
)

// FromFile sets the flags that neither the command line nor the environment has set from the configuration file of a
// home. The file may be missing. All errors of the file are reported at once.
func FromFile(command *cobra.Command, home string) error {
	path := filepath.Join(home, ConfigFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	values := map[string]any{}
	if _, err := toml.Decode(string(text), &values); err != nil {
		return fileSyntax(path, err)
	}
	lines := map[string]int{}
	for key := range values {
		lines[key] = lineOf(string(text), key)
	}
	var faults []error
	for _, key := range slices.SortedFunc(maps.Keys(values), func(a, b string) int { return cmp.Compare(lines[a], lines[b]) }) {
		source := fmt.Sprintf("%s:%d", path, lines[key])
		if err := setFromFile(command.Flags(), key, values[key], source); err != nil {
			faults = append(faults, fmt.Errorf("%s: %s: %w", source, key, err))
		}
	}
	if len(faults) > 0 {
		return &usage.Error{Err: errors.Join(faults...)}
	}
	return nil
}

func fileSyntax(path string, err error) error {
	wrong := toml.ParseError{}
	if errors.As(err, &wrong) {
		return &usage.Error{Err: fmt.Errorf("%s:%d: %s", path, wrong.Position.Line, wrong.Message)}
	}
	return &usage.Error{Err: fmt.Errorf("%s: %w", path, err)}
}

// setFromFile sets a flag, unless it is set already; then the value is only checked.
func setFromFile(flags *pflag.FlagSet, key string, value any, source string) error {
	flag := flags.Lookup(key)
	if flag == nil || key == HomeFlag || key == "help" {
		return errors.New("unknown key; the keys are the flags of makechain node")
	}
	texts, err := flagTexts(flag, value)
	if err != nil {
		return err
	}
	if flag.Changed {
		return nil
	}
	if list, isList := flag.Value.(pflag.SliceValue); isList {
		err = list.Replace(texts)
	} else {
		err = flag.Value.Set(texts[0])
	}
	if err != nil {
		return err
	}
	flag.Changed = true
	return usage.SetSource(flags, key, source)
}

// flagTexts returns a value in the form of the command line: one text, or the items of a list.
func flagTexts(flag *pflag.Flag, value any) ([]string, error) {
	_, wantsList := flag.Value.(pflag.SliceValue)
	items, isList := value.([]any)
	switch _, isTable := value.(map[string]any); {
	case isTable:
		return nil, errors.New("a table; want key = value")
	case wantsList && !isList:
		return nil, errors.New(`want a list, such as ["a", "b"]`)
	case !wantsList && isList:
		return nil, errors.New("a list; want one value")
	case !isList:
		return []string{fmt.Sprint(value)}, nil
	}
	texts := make([]string, len(items))
	for i, item := range items {
		text, isText := item.(string)
		if !isText {
			return nil, fmt.Errorf("item %d is not a string", i+1)
		}
		texts[i] = text
	}
	return texts, nil
}

// lineOf returns the line of a key, which the parser has found in the text.
func lineOf(text, key string) int {
	written := regexp.MustCompile(`(?m)^[ \t]*\[*[ \t]*["']?` + regexp.QuoteMeta(key) + `["']?[ \t]*[=.\]]`)
	found := written.FindStringIndex(text)
	if found == nil {
		return 1
	}
	return 1 + strings.Count(text[:found[0]], "\n")
}
