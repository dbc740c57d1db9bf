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

// A verifier of a proof takes the fields of two requests: against the latest root, or against that after a block. Which
// of them is called, block_number decides, so both are read as one message, which no file of the schema has.

const blockNumberField = "block_number"

// eitherForm is a request with an optional block number besides its own fields.
func eitherForm(name string, request protoreflect.MessageDescriptor) (protoreflect.MessageDescriptor, error) {
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

// fieldsOf copies the fields of a message that another has under the same names.
func fieldsOf[T proto.Message](from *dynamicpb.Message, to T) T {
	fields := to.ProtoReflect().Descriptor().Fields()
	for i := range fields.Len() {
		source := from.Descriptor().Fields().ByName(fields.Get(i).Name())
		if source != nil && from.Has(source) {
			to.ProtoReflect().Set(fields.Get(i), from.Get(source))
		}
	}
	return to
}

func hasBlock(m *dynamicpb.Message) bool {
	return m.Has(m.Descriptor().Fields().ByName(blockNumberField))
}

// rootField is what a caller says that the root is, if anything.
func rootField(m *dynamicpb.Message) []byte {
	return m.Get(m.Descriptor().Fields().ByName("root")).Bytes()
}

// otherRoot says that a proof is not of the root that the caller names.
func otherRoot(named, root []byte, number uint64) string {
	if len(named) == 0 || bytes.Equal(named, root) {
		return ""
	}
	return fmt.Sprintf("root: the root after block %d is another", number)
}

func (g *Gateway) registerVerifiers() error {
	operation, err := eitherForm("VerifyOperationProof", descriptorOf[pb.VerifyOperationProofRequest]())
	if err != nil {
		return err
	}
	exclusion, err := eitherForm("VerifyExclusionProof", descriptorOf[pb.VerifyExclusionProofRequest]())
	if err != nil {
		return err
	}
	const about = "With block_number against the root after that block, otherwise against the latest root and no other. " +
		"The answer of the route that gives the proof will do, with its key added."

	post(g, endpoint{
		id: "verify-operation-proof", path: "/v1/proofs/verify/operation", tag: tagProofs,
		rpcs:    []string{"VerifyOperationProof", "VerifyOperationProofAtBlock"},
		summary: "Verify that a row is there", about: about, errors: writeErrors(http.StatusNotFound), takes: operation,
		gives: []protoreflect.MessageDescriptor{
			descriptorOf[pb.VerifyOperationProofResponse](), descriptorOf[pb.VerifyOperationProofAtBlockResponse](),
		},
	}, func(ctx context.Context, in *sentInput) (proto.Message, error) {
		asked := dynamicpb.NewMessage(operation)
		if err := g.decodeDocument(&in.Sent, asked); err != nil {
			return nil, err
		}
		if !hasBlock(asked) {
			return ask(ctx, g, g.upstream.VerifyOperationProof, fieldsOf(asked, &pb.VerifyOperationProofRequest{}))
		}
		got, err := ask(ctx, g, g.upstream.VerifyOperationProofAtBlock, fieldsOf(asked, &pb.VerifyOperationProofAtBlockRequest{}))
		if other := otherRoot(rootField(asked), got.GetRoot(), got.GetBlockNumber()); got.GetValid() && other != "" {
			got.Valid, got.Error = false, other
		}
		return got, err
	})

	post(g, endpoint{
		id: "verify-exclusion-proof", path: "/v1/proofs/verify/exclusion", tag: tagProofs,
		rpcs:    []string{"VerifyExclusionProof", "VerifyExclusionProofAtBlock"},
		summary: "Verify that a row is not there", about: about, errors: writeErrors(http.StatusNotFound), takes: exclusion,
		gives: []protoreflect.MessageDescriptor{
			descriptorOf[pb.VerifyExclusionProofResponse](), descriptorOf[pb.VerifyExclusionProofAtBlockResponse](),
		},
	}, func(ctx context.Context, in *sentInput) (proto.Message, error) {
		asked := dynamicpb.NewMessage(exclusion)
		if err := g.decodeDocument(&in.Sent, asked); err != nil {
			return nil, err
		}
		if !hasBlock(asked) {
			return ask(ctx, g, g.upstream.VerifyExclusionProof, fieldsOf(asked, &pb.VerifyExclusionProofRequest{}))
		}
		got, err := ask(ctx, g, g.upstream.VerifyExclusionProofAtBlock, fieldsOf(asked, &pb.VerifyExclusionProofAtBlockRequest{}))
		if other := otherRoot(rootField(asked), got.GetRoot(), got.GetBlockNumber()); got.GetValid() && other != "" {
			got.Valid, got.Error = false, other
		}
		return got, err
	})

	post(g, endpoint{
		id: "verify-storage-quota-proof", path: "/v1/proofs/verify/storage-quota", tag: tagProofs, rpcs: []string{"VerifyStorageQuotaProof"},
		summary: "Verify the storage that an account has",
		about:   "Takes what the route that gives the proof answered, and verifies it against the latest root and no other.",
		errors:  writeErrors(), takes: descriptorOf[pb.GetStorageQuotaProofResponse](),
		gives: descriptorsOf[pb.VerifyStorageQuotaProofResponse](),
	}, func(ctx context.Context, in *sentInput) (proto.Message, error) {
		bundle := &pb.GetStorageQuotaProofResponse{}
		if err := g.decodeDocument(&in.Sent, bundle); err != nil {
			return nil, err
		}
		return ask(ctx, g, g.upstream.VerifyStorageQuotaProof, &pb.VerifyStorageQuotaProofRequest{QuotaProof: bundle})
	})
	return nil
}
