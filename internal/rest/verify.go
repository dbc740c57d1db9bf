package rest

import (
	"bytes"
	"context"
	"fmt"
	"net/http"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/dynamicpb"

	pb "makechain/gen/makechain"
)

// A route that verifies a proof calls one of two methods: against the latest root or, if the body has a block_number,
// against the root after that block. Its body is a message with the fields of both requests, which no proto file defines.

const blockNumberField = "block_number"

// withBlockNumber returns a descriptor with the fields of a request and an optional block number.
func withBlockNumber(name string, request protoreflect.MessageDescriptor) (protoreflect.MessageDescriptor, error) {
	described := protodesc.ToDescriptorProto(request)
	described.Name = &name
	described.Field = append(described.Field, &descriptorpb.FieldDescriptorProto{
		Name: new(blockNumberField), JsonName: new(blockNumberField), Number: new(int32(100)),
		Type: descriptorpb.FieldDescriptorProto_TYPE_UINT64.Enum(), Label: descriptorpb.FieldDescriptorProto_LABEL_OPTIONAL.Enum(),
		Proto3Optional: new(true), OneofIndex: new(int32(0)),
	})
	described.OneofDecl = []*descriptorpb.OneofDescriptorProto{{Name: new("_" + blockNumberField)}}
	file, err := protodesc.NewFile(&descriptorpb.FileDescriptorProto{
		Name: new("makechain/gateway/" + name + ".proto"), Package: new("makechain.gateway"),
		Syntax: new("proto3"), MessageType: []*descriptorpb.DescriptorProto{described},
	}, new(protoregistry.Files))
	if err != nil {
		return nil, fmt.Errorf("describe %s: %w", name, err)
	}
	return file.Messages().Get(0), nil
}

// copyFields copies the fields that both messages have, by name.
func copyFields[T proto.Message](from *dynamicpb.Message, to T) T {
	fields := to.ProtoReflect().Descriptor().Fields()
	for i := range fields.Len() {
		source := from.Descriptor().Fields().ByName(fields.Get(i).Name())
		if source != nil && from.Has(source) {
			to.ProtoReflect().Set(fields.Get(i), from.Get(source))
		}
	}
	return to
}

// verifyInput is the body of a route that verifies a proof.
type verifyInput struct{ *dynamicpb.Message }

func (in verifyInput) hasBlock() bool {
	return in.Has(in.Descriptor().Fields().ByName(blockNumberField))
}

// rootMismatch returns an error text if the body has a root that is not the root after a block.
func (in verifyInput) rootMismatch(root []byte, number uint64) string {
	claimed := in.Get(in.Descriptor().Fields().ByName("root")).Bytes()
	if len(claimed) == 0 || bytes.Equal(claimed, root) {
		return ""
	}
	return fmt.Sprintf("root: not the root after block %d", number)
}

// postVerifier registers a route that verifies a proof.
func postVerifier(g *Gateway, e endpoint, verify func(context.Context, verifyInput) (proto.Message, error)) {
	e.tag, e.errors = tagProofs, bodyErrors(http.StatusNotFound)
	e.description = "With block_number, against the root after that block, otherwise against the latest root only. " +
		"The body may be the response of the route that returns the proof, with the key added."
	post(g, e, func(ctx context.Context, in *sentInput) (proto.Message, error) {
		input := dynamicpb.NewMessage(e.body)
		if err := in.Sent.decode(input, nil); err != nil {
			return nil, err
		}
		return verify(ctx, verifyInput{input})
	})
}

func (g *Gateway) registerVerifiers() error {
	existence, err := withBlockNumber("VerifyOperationProof", descriptorOf[pb.VerifyOperationProofRequest]())
	if err != nil {
		return err
	}
	nonExistence, err := withBlockNumber("VerifyExclusionProof", descriptorOf[pb.VerifyExclusionProofRequest]())
	if err != nil {
		return err
	}

	postVerifier(g, endpoint{
		id: "verify-operation-proof", path: "/v1/proofs/verify/operation",
		rpcs:    []string{"VerifyOperationProof", "VerifyOperationProofAtBlock"},
		summary: "Verify that a row exists", body: existence,
		responses: []protoreflect.MessageDescriptor{
			descriptorOf[pb.VerifyOperationProofResponse](), descriptorOf[pb.VerifyOperationProofAtBlockResponse](),
		},
	}, func(ctx context.Context, in verifyInput) (proto.Message, error) {
		if !in.hasBlock() {
			return call(ctx, g, g.service.VerifyOperationProof, copyFields(in.Message, &pb.VerifyOperationProofRequest{}))
		}
		got, err := call(ctx, g, g.service.VerifyOperationProofAtBlock, copyFields(in.Message, &pb.VerifyOperationProofAtBlockRequest{}))
		if mismatch := in.rootMismatch(got.GetRoot(), got.GetBlockNumber()); got.GetValid() && mismatch != "" {
			got.Valid, got.Error = false, mismatch
		}
		return got, err
	})

	postVerifier(g, endpoint{
		id: "verify-exclusion-proof", path: "/v1/proofs/verify/exclusion",
		rpcs:    []string{"VerifyExclusionProof", "VerifyExclusionProofAtBlock"},
		summary: "Verify that a row does not exist", body: nonExistence,
		responses: []protoreflect.MessageDescriptor{
			descriptorOf[pb.VerifyExclusionProofResponse](), descriptorOf[pb.VerifyExclusionProofAtBlockResponse](),
		},
	}, func(ctx context.Context, in verifyInput) (proto.Message, error) {
		if !in.hasBlock() {
			return call(ctx, g, g.service.VerifyExclusionProof, copyFields(in.Message, &pb.VerifyExclusionProofRequest{}))
		}
		got, err := call(ctx, g, g.service.VerifyExclusionProofAtBlock, copyFields(in.Message, &pb.VerifyExclusionProofAtBlockRequest{}))
		if mismatch := in.rootMismatch(got.GetRoot(), got.GetBlockNumber()); got.GetValid() && mismatch != "" {
			got.Valid, got.Error = false, mismatch
		}
		return got, err
	})

	post(g, endpoint{
		id: "verify-storage-quota-proof", path: "/v1/proofs/verify/storage-quota", tag: tagProofs, rpcs: []string{"VerifyStorageQuotaProof"},
		summary:     "Verify the storage of an account",
		description: "The body is the response of the route that returns the proof. It is verified against the latest root only.",
		errors:      bodyErrors(), body: descriptorOf[pb.GetStorageQuotaProofResponse](),
		responses: descriptorsOf[pb.VerifyStorageQuotaProofResponse](),
	}, func(ctx context.Context, in *sentInput) (proto.Message, error) {
		bundle := &pb.GetStorageQuotaProofResponse{}
		if err := in.Sent.decode(bundle, nil); err != nil {
			return nil, err
		}
		return call(ctx, g, g.service.VerifyStorageQuotaProof, &pb.VerifyStorageQuotaProofRequest{QuotaProof: bundle})
	})
	return nil
}
