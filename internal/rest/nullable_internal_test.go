package rest

import (
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"

	pb "makechain/gen/makechain"
	"makechain/internal/jsonform"
)

// TestNullableKeysExist checks that the table of nullable keys has only keys of responses that the JSON form can write as null.
func TestNullableKeysExist(t *testing.T) {
	t.Parallel()
	responses := map[protoreflect.Name]protoreflect.MessageDescriptor{}
	var walk func(protoreflect.MessageDescriptor)
	walk = func(d protoreflect.MessageDescriptor) {
		if responses[d.Name()] != nil {
			return
		}
		responses[d.Name()] = d
		for i := range d.Fields().Len() {
			if inner := d.Fields().Get(i).Message(); inner != nil {
				walk(inner)
			}
		}
	}
	methods := pb.File_makechain_service_proto.Services().ByName("MakechainService").Methods()
	for i := range methods.Len() {
		walk(methods.Get(i).Output())
	}
	for _, entry := range nullableKeys() {
		name, key, _ := strings.Cut(entry, ".")
		if responses[protoreflect.Name(name)] == nil {
			t.Errorf("%s: no response has this message", entry)
			continue
		}
		fields := jsonform.Fields(responses[protoreflect.Name(name)])
		at := slices.IndexFunc(fields, func(f jsonform.Field) bool { return f.Name == key })
		switch {
		case at < 0:
			t.Errorf("%s: the message has no such key", entry)
		case !fields[at].Nullable || fields[at].Form == jsonform.Object:
			t.Errorf("%s is never null, or an object", entry)
		}
	}
}
