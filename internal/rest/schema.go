package rest

import (
	"github.com/danielgtaylor/huma/v2"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// answerSchema is the schema of a message in an answer, where every key is there.
func answerSchema(_ huma.Registry, d protoreflect.MessageDescriptor) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, Description: string(d.Name())}
}
