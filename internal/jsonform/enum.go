package jsonform

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// enumNames are the names of the values of an enum in JSON: in lower case, without their common prefix.
type enumNames struct {
	names   []string // by number
	numbers map[string]protoreflect.EnumNumber
	// zeroIsAbsent means that zero stands for "not set" and is null.
	zeroIsAbsent bool
}

func newEnumNames(enum protoreflect.EnumDescriptor) (*enumNames, error) {
	values := enum.Values()
	e := &enumNames{numbers: make(map[string]protoreflect.EnumNumber, values.Len())}
	prefix := commonPrefix(values)
	for i := range values.Len() {
		value := values.Get(i)
		if int(value.Number()) != i {
			return nil, fmt.Errorf("enum %s has no value %d", enum.FullName(), i)
		}
		name := strings.ToLower(string(value.Name())[prefix:])
		e.names = append(e.names, name)
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
	return number >= 0 && int(number) < len(e.names)
}

// first returns the lowest number that is not absent.
func (e *enumNames) first() int {
	if e.zeroIsAbsent {
		return 1
	}
	return 0
}

// choices returns the names of values that are not absent, by number.
func (e *enumNames) choices() []string { return e.names[e.first():] }
