package main

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
)

const (
	homeFlag = "home"
	// configFile lies in a home and holds flags of its node: --grpc-addr is grpc-addr = "..." there.
	configFile = "config.toml"
	// sourceMark is the annotation of a flag that says where its value came from.
	sourceMark = "source"
)

// fromFile sets the flags that neither the command line nor the environment has given from the file of a home. No file
// is as good as an empty one. All faults of the file are reported at once.
func fromFile(command *cobra.Command, home string) error {
	path := filepath.Join(home, configFile)
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
		return &usageError{err: errors.Join(faults...)}
	}
	return nil
}

func fileSyntax(path string, err error) error {
	wrong := toml.ParseError{}
	if errors.As(err, &wrong) {
		return &usageError{err: fmt.Errorf("%s:%d: %s", path, wrong.Position.Line, wrong.Message)}
	}
	return &usageError{err: fmt.Errorf("%s: %w", path, err)}
}

// setFromFile gives a flag its value, unless it has one already, in which case the value is only checked.
func setFromFile(flags *pflag.FlagSet, key string, value any, source string) error {
	flag := flags.Lookup(key)
	if flag == nil || key == homeFlag || key == "help" {
		return errors.New("no such key; the keys are the flags of makechain node")
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
	return flags.SetAnnotation(key, sourceMark, []string{source})
}

// flagTexts writes a value as on the command line: one text, or the items of a list.
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
			return nil, fmt.Errorf("item %d is no text in quotes", i+1)
		}
		texts[i] = text
	}
	return texts, nil
}

// lineOf finds the line of a key. The parser has found the key there, in one of the ways to write it.
func lineOf(text, key string) int {
	written := regexp.MustCompile(`(?m)^[ \t]*\[*[ \t]*["']?` + regexp.QuoteMeta(key) + `["']?[ \t]*[=.\]]`)
	found := written.FindStringIndex(text)
	if found == nil {
		return 1
	}
	return 1 + strings.Count(text[:found[0]], "\n")
}

// sourceOf says where the value of a flag came from.
func sourceOf(flag *pflag.Flag) string {
	switch source := flag.Annotations[sourceMark]; {
	case len(source) > 0:
		return source[0]
	case flag.Changed:
		return "--" + flag.Name
	default:
		return "default"
	}
}
