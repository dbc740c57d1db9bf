package lint

import (
	"fmt"
	"strconv"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// AddFile takes in the facts of a generated file.
func (f WireFacts) AddFile(file protoreflect.FileDescriptor) error {
	for i := range file.Messages().Len() {
		if err := f.addMessage(file.Messages().Get(i)); err != nil {
			return err
		}
	}
	for i := range file.Enums().Len() {
		if err := f.addEnum(file.Enums().Get(i)); err != nil {
			return err
		}
	}
	for i := range file.Services().Len() {
		if err := f.addService(file.Services().Get(i)); err != nil {
			return err
		}
	}
	return nil
}

func (f WireFacts) addMessage(message protoreflect.MessageDescriptor) error {
	name := string(message.Name())
	if err := f.add(name, "message"); err != nil {
		return err
	}
	for i := range message.Fields().Len() {
		field := message.Fields().Get(i)
		fact := strconv.Itoa(int(field.Number())) + " " + fieldType(field)
		if err := f.add(name+"."+string(field.Name()), fact); err != nil {
			return err
		}
	}
	for i := range message.Oneofs().Len() {
		oneof := message.Oneofs().Get(i)
		if oneof.IsSynthetic() {
			continue
		}
		fields := oneof.Fields()
		fact := fmt.Sprintf("oneof %d-%d", fields.Get(0).Number(), fields.Get(fields.Len()-1).Number())
		if err := f.add(name+"."+string(oneof.Name()), fact); err != nil {
			return err
		}
	}
	return nil
}

func (f WireFacts) addEnum(enum protoreflect.EnumDescriptor) error {
	name := string(enum.Name())
	if err := f.add(name, "enum"); err != nil {
		return err
	}
	for i := range enum.Values().Len() {
		value := enum.Values().Get(i)
		if err := f.add(name+"."+string(value.Name()), strconv.Itoa(int(value.Number()))); err != nil {
			return err
		}
	}
	return nil
}

func (f WireFacts) addService(service protoreflect.ServiceDescriptor) error {
	for i := range service.Methods().Len() {
		method := service.Methods().Get(i)
		output := string(method.Output().Name())
		if method.IsStreamingServer() {
			output = "stream " + output
		}
		fact := string(method.Input().Name()) + " -> " + output
		if method.IsStreamingClient() {
			fact = "stream " + fact
		}
		if err := f.add(string(service.Name())+"."+string(method.Name()), fact); err != nil {
			return err
		}
	}
	return nil
}

// fieldType prints a type as the page does: a scalar or the name of a type, [] repeated, ? optional.
func fieldType(field protoreflect.FieldDescriptor) string {
	name := field.Kind().String()
	if field.Message() != nil {
		name = string(field.Message().Name())
	} else if field.Enum() != nil {
		name = string(field.Enum().Name())
	}
	switch {
	case field.IsList():
		return name + "[]"
	case field.HasOptionalKeyword():
		return name + "?"
	default:
		return name
	}
}
