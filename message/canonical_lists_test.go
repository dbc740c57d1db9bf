package message

import (
	"bytes"
	"runtime"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	pb "makechain/gen/makechain"
)

// nested returns the encoding of content inside fields of messages, the innermost first.
func nested(content []byte, fields ...protowire.Number) []byte {
	for _, field := range fields {
		content = protowire.AppendBytes(protowire.AppendTag(nil, field, protowire.BytesType), content)
	}
	return content
}

// typed returns the encoding of data with a type and a body.
func typed(t pb.MessageType, body []byte) []byte {
	return append(protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), uint64(t)), body...)
}

// TestDecodeRefusesLongLists decodes transactions of 1 MiB that consist of empty list elements, each of which would take
// up to 200 bytes in memory. They are refused before they are decoded.
//
// Rules: P2.8, P5/all.
func TestDecodeRefusesLongLists(t *testing.T) { //nolint:paralleltest // it measures what the process allocates
	// A megabyte of a list with empty elements.
	empty := func(list protowire.Number) []byte {
		return bytes.Repeat(nested(nil, list), 1_000_000/len(nested(nil, list)))
	}
	for _, c := range []struct { //nolint:paralleltest // as above
		name    string
		data    []byte
		refused string
	}{
		{"commits", typed(pb.MessageType_MESSAGE_TYPE_COMMIT_BUNDLE, nested(empty(2), 12)), "commit_bundle.commits: more than 1000"},
		{"parents", typed(pb.MessageType_MESSAGE_TYPE_COMMIT_BUNDLE, nested(empty(2), 2, 12)), "commit_bundle.commits[0].parents: more than 64"},
		{"projects", typed(pb.MessageType_MESSAGE_TYPE_SIGNER_ADD, nested(empty(4), 25)), "signer_add.allowed_projects: more than 100"},
		{"attestations", typed(pb.MessageType_MESSAGE_TYPE_STORAGE_CLAIM, nested(empty(101), 18)), "storage_claim.attestations: more than 64"},
	} {
		t.Run(c.name, func(t *testing.T) {
			tx := transactionOf(c.data)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, refusal := Decode(tx)
			runtime.ReadMemStats(&after)
			if refusal == nil || !strings.Contains(refusal.Reason, c.refused) || refusal.Code != CodeInvalidField {
				t.Errorf("%+v, want %q", refusal, c.refused)
			}
			if got, limit := after.TotalAlloc-before.TotalAlloc, uint64(8<<20); got > limit {
				t.Errorf("decoding allocated %d bytes, want at most %d", got, limit)
			}
		})
	}
}
