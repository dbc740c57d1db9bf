package message

import (
	"bytes"
	"testing"

	pb "makechain/gen/makechain"
)

// refNameBounds returns test cases for a ref name field of any body.
func refNameBounds[B any](field string, set func(B, []byte)) (list []bound[B]) {
	for _, c := range []struct {
		name    string
		value   []byte
		refused string
	}{
		{"one byte", []byte("m"), ""},
		{"longest", bytes.Repeat([]byte("a"), 254), ""},
		{"not utf-8", []byte("\xff\xfe/\x80"), ""},
		{"control characters", []byte("a\nb"), ""},
		{"none", nil, "0 bytes, at least 1"},
		{"too long", bytes.Repeat([]byte("a"), 255), "255 bytes, at most 254"},
		{"zero byte", []byte("a\x00b"), "zero byte at 1"},
		{"zero byte last", []byte("ab\x00"), "zero byte at 2"},
	} {
		refused := c.refused
		if refused != "" {
			refused = field + ": " + refused
		}
		list = append(list, bound[B]{field + " " + c.name, func(b B) { set(b, c.value) }, refused})
	}
	return list
}

// TestRefUpdateBounds checks the field limits of REF_UPDATE.
//
// Rules: P5/REF_UPDATE.
func TestRefUpdateBounds(t *testing.T) {
	t.Parallel()
	good := func() *pb.MessageData {
		return RefUpdate(projectID, "refs/heads/main", RefMove{Old: commitID, New: otherID, Nonce: 2})
	}
	checkBounds(t, good, (*pb.MessageData).GetRefUpdate, append(
		refNameBounds("ref_update.ref_name", func(b *pb.RefUpdateBody, v []byte) { b.RefName = v }),
		[]bound[*pb.RefUpdateBody]{
			{"no project", func(b *pb.RefUpdateBody) { b.ProjectId = nil }, "ref_update.project_id: 0 bytes, want 32"},
			{"no new hash", func(b *pb.RefUpdateBody) { b.NewHash = nil }, "ref_update.new_hash: 0 bytes, want 32"},
			{"short new hash", func(b *pb.RefUpdateBody) { b.NewHash = otherID[:20] }, "ref_update.new_hash: 20 bytes, want 32"},
			{"no old hash", func(b *pb.RefUpdateBody) { b.OldHash = nil }, ""},
			{"short old hash", func(b *pb.RefUpdateBody) { b.OldHash = otherID[:31] }, "ref_update.old_hash: 31 bytes, want 0 or 32"},
			{"long old hash", func(b *pb.RefUpdateBody) { b.OldHash = make([]byte, 33) }, "ref_update.old_hash: 33 bytes, want 0 or 32"},
			{"tag", func(b *pb.RefUpdateBody) { b.RefType = pb.RefType_REF_TYPE_TAG }, ""},
			{"tag object", func(b *pb.RefUpdateBody) { b.RefType, b.TagObject = pb.RefType_REF_TYPE_TAG, commitID[:] }, ""},
			{
				"short tag object", func(b *pb.RefUpdateBody) { b.RefType, b.TagObject = pb.RefType_REF_TYPE_TAG, commitID[:20] },
				"ref_update.tag_object: 20 bytes, want 0 or 32",
			},
			{
				"tag object of a branch", func(b *pb.RefUpdateBody) { b.TagObject = commitID[:] },
				"ref_update.tag_object: set for a ref that is not a tag",
			},
			{"content digest", func(b *pb.RefUpdateBody) { b.ContentDigest = commitID[:] }, ""},
			{"long content digest", func(b *pb.RefUpdateBody) { b.ContentDigest = make([]byte, 33) }, "ref_update.content_digest: 33 bytes, want 0 or 32"},
			{"unknown type", func(b *pb.RefUpdateBody) { b.RefType = 2 }, "ref_update.ref_type: 2 is not a known value"},
			{"force", func(b *pb.RefUpdateBody) { b.Force = true }, ""},
			{"first nonce", func(b *pb.RefUpdateBody) { b.Nonce = 1 }, ""},
			{"largest nonce", func(b *pb.RefUpdateBody) { b.Nonce = 1<<64 - 1 }, ""},
			{"no nonce", func(b *pb.RefUpdateBody) { b.Nonce = 0 }, "ref_update.nonce: 0, at least 1"},
		}...))
}

// TestRefDeleteBounds checks the field limits of REF_DELETE.
//
// Rules: P5/REF_DELETE.
func TestRefDeleteBounds(t *testing.T) {
	t.Parallel()
	good := func() *pb.MessageData { return RefDelete(projectID, "refs/heads/main", commitID, 2) }
	checkBounds(t, good, (*pb.MessageData).GetRefDelete, append(
		refNameBounds("ref_delete.ref_name", func(b *pb.RefDeleteBody, v []byte) { b.RefName = v }),
		[]bound[*pb.RefDeleteBody]{
			{"no project", func(b *pb.RefDeleteBody) { b.ProjectId = nil }, "ref_delete.project_id: 0 bytes, want 32"},
			{"no expected hash", func(b *pb.RefDeleteBody) { b.ExpectedHash = nil }, ""},
			{"short expected hash", func(b *pb.RefDeleteBody) { b.ExpectedHash = otherID[1:] }, "ref_delete.expected_hash: 31 bytes, want 0 or 32"},
			{"no nonce", func(b *pb.RefDeleteBody) { b.Nonce = 0 }, "ref_delete.nonce: 0, at least 1"},
		}...))
}
