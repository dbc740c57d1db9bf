package jsonform

import (
	"sync"

	"google.golang.org/protobuf/reflect/protoreflect"

	pb "makechain/gen/makechain"
)

// plan is how one message is written and read.
type plan struct {
	descriptor protoreflect.MessageDescriptor
	wrapped    *wrapping // for an answer that is written as the message inside it
	members    []member  // the keys of the object, in order
	names      map[string]int
}

// wrapping is an answer that is written as the message inside it.
type wrapping struct {
	field protoreflect.FieldDescriptor
	inner *plan
	// echoes are the other fields of the answer, each with the field of the message that says the same.
	echoes [][2]protoreflect.FieldDescriptor
}

// member is one key of an object.
type member struct {
	key      string
	lead     string // the key as it is written, with its colon
	form     Form
	field    protoreflect.FieldDescriptor // nil for the body
	list     bool
	presence bool // the schema tells absent from empty
	limit    int  // of a list
	twin     int  // the member that writes the same field in another form, or -1
	message  *plan
	words    *vocabulary
	bodies   *bodies
}

// bodies are what a message may hold, by its type.
type bodies struct {
	kind       protoreflect.FieldDescriptor // the type
	kindMember int                          // the key of the type
	oneof      protoreflect.OneofDescriptor
	byType     []body // by the number of the type; none has no body
}

// body is what a message of one type holds.
type body struct {
	field protoreflect.FieldDescriptor
	plan  *plan
}

// maxMembers is how many keys an object may have, so that a word of bits can say which were there.
const maxMembers = 64

// servicePlans are the plans of all messages of the service and of all rows. read-only: made from the schema
// once and never changed.
var servicePlans = sync.OnceValue(func() map[protoreflect.MessageDescriptor]*plan {
	c := compiler{plans: map[protoreflect.MessageDescriptor]*plan{}}
	services := pb.File_makechain_service_proto.Services()
	for i := range services.Len() {
		methods := services.Get(i).Methods()
		for j := range methods.Len() {
			c.mustCompile(methods.Get(j).Input())
			c.mustCompile(methods.Get(j).Output())
		}
	}
	rows := pb.File_makechain_state_proto.Messages()
	for i := range rows.Len() {
		c.mustCompile(rows.Get(i))
	}
	return c.plans
})

// planOf finds the plan of a message. One of another service gets a plan of its own every time.
func planOf(descriptor protoreflect.MessageDescriptor) (*plan, error) {
	if p := servicePlans()[descriptor]; p != nil {
		return p, nil
	}
	c := compiler{plans: map[protoreflect.MessageDescriptor]*plan{}}
	return c.compile(descriptor)
}
