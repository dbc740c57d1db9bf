package jsonform

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// vocabulary is what an enum is called in JSON: its names in lower case, without what all of them begin with.
type vocabulary struct {
	words   []string // by number
	numbers map[string]protoreflect.EnumNumber
	// absent says that zero means nothing was chosen, so that it is null.
	absent bool
}

func newVocabulary(enum protoreflect.EnumDescriptor) (*vocabulary, error) {
	values := enum.Values()
	v := &vocabulary{numbers: make(map[string]protoreflect.EnumNumber, values.Len())}
	prefix := commonPrefix(values)
	for i := range values.Len() {
		value := values.Get(i)
		if int(value.Number()) != i {
			return nil, fmt.Errorf("enum %s leaves out %d", enum.FullName(), i)
		}
		word := strings.ToLower(string(value.Name())[prefix:])
		v.words = append(v.words, word)
		v.numbers[word] = value.Number()
	}
	v.absent = v.words[0] == "none" || v.words[0] == "unspecified"
	return v, nil
}

// commonPrefix is the length of what all names of an enum begin with, up to an underscore.
func commonPrefix(values protoreflect.EnumValueDescriptors) int {
	prefix := string(values.Get(0).Name())
	for i := range values.Len() {
		name := string(values.Get(i).Name())
		for !strings.HasPrefix(name, prefix) {
			prefix = prefix[:len(prefix)-1]
		}
	}
	return strings.LastIndexByte(prefix, '_') + 1
}

// known says whether an enum has a number.
func (v *vocabulary) known(number protoreflect.EnumNumber) bool {
	return number >= 0 && int(number) < len(v.words)
}

// first is the lowest number that may be chosen.
func (v *vocabulary) first() int {
	if v.absent {
		return 1
	}
	return 0
}

// choices are the words that may be chosen, in the order of their numbers.
func (v *vocabulary) choices() []string { return v.words[v.first():] }
