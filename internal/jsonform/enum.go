package jsonform

import (
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// enumNames are the names of the values of an enum in JSON: in lower case, without their common prefix.
type enumNames struct {
	names   []string // by number; empty where the enum has no value
	numbers map[string]protoreflect.EnumNumber
	// zeroIsAbsent means that zero stands for "not set" and is null.
	zeroIsAbsent bool
}

// maxEnumNumber is the highest number that an enum may have, because names are kept by number.
const maxEnumNumber = 255

func newEnumNames(enum protoreflect.EnumDescriptor) (*enumNames, error) {
	values := enum.Values()
	e := &enumNames{numbers: make(map[string]protoreflect.EnumNumber, values.Len())}
	prefix := commonPrefix(values)
	for i := range values.Len() {
		value := values.Get(i)
		number := int(value.Number())
		if number < len(e.names) || number > maxEnumNumber || i == 0 && number != 0 {
			return nil, fmt.Errorf("enum %s: %s is not in the order of numbers from 0 to %d", enum.FullName(), value.Name(), maxEnumNumber)
		}
		name := strings.ToLower(string(value.Name())[prefix:])
		e.names = append(append(e.names, make([]string, number-len(e.names))...), name)
		e.numbers[name] = value.Number()
	}
	e.zeroIsAbsent = e.names[0] == "none" || e.names[0] == "unspecified"
	return e, nil
}

// commonPrefix returns the length of the common prefix of all names of an enum, up to an underscore.
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

// has reports whether an enum has a number.
func (e *enumNames) has(number protoreflect.EnumNumber) bool {
	return number >= 0 && int(number) < len(e.names) && e.names[number] != ""
}

// first returns the lowest number that is not absent.
func (e *enumNames) first() int {
	if e.zeroIsAbsent {
		return 1
	}
	return 0
}

// choices returns the names of values that are not absent, by number.
func (e *enumNames) choices() []string {
	return slices.DeleteFunc(slices.Clone(e.names[e.first():]), func(name string) bool { return name == "" })
}
