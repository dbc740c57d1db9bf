package message

import (
	"bytes"

	pb "makechain/gen/makechain"
)

// MaxRefName is the longest name of a ref, in bytes (P5).
const MaxRefName = 254

// RefMove describes an update of a ref.
type RefMove struct {
	Type  pb.RefType
	Old   Hash // the current hash of the ref; zero for no check
	New   Hash
	Force bool   // skips the fast-forward check
	Nonce uint64 // 1 for a new ref, else one more than the current
	// TagObject is the id of the annotated or signed tag object that peels to New. It is zero for a branch, and for a tag
	// that is only a ref.
	TagObject Hash
	// ContentDigest is the digest of content that no commit bundle names. It is zero for none.
	ContentDigest Hash
}

// RefUpdate returns a message that creates or moves a ref.
func RefUpdate(project Hash, name string, move RefMove) *pb.MessageData {
	return &pb.MessageData{
		Type: pb.MessageType_MESSAGE_TYPE_REF_UPDATE,
		Body: &pb.MessageData_RefUpdate{RefUpdate: &pb.RefUpdateBody{
			ProjectId:     project[:],
			RefName:       []byte(name),
			RefType:       move.Type,
			OldHash:       unlessZero(move.Old),
			NewHash:       move.New[:],
			Force:         move.Force,
			Nonce:         move.Nonce,
			TagObject:     unlessZero(move.TagObject),
			ContentDigest: unlessZero(move.ContentDigest),
		}},
	}
}

// RefDelete returns a message that deletes a ref. The ref must have the expected hash, unless that is zero.
func RefDelete(project Hash, name string, expected Hash, nonce uint64) *pb.MessageData {
	return &pb.MessageData{
		Type: pb.MessageType_MESSAGE_TYPE_REF_DELETE,
		Body: &pb.MessageData_RefDelete{RefDelete: &pb.RefDeleteBody{
			ProjectId: project[:], RefName: []byte(name), ExpectedHash: unlessZero(expected), Nonce: nonce,
		}},
	}
}

// unlessZero returns nil for a zero hash.
func unlessZero(h Hash) []byte {
	if h == (Hash{}) {
		return nil
	}
	return h[:]
}

func checkRefUpdate(f *fields, b *pb.RefUpdateBody) {
	f.hash("project_id", b.GetProjectId())
	f.refName("ref_name", b.GetRefName())
	f.known("ref_type", int32(b.GetRefType()), pb.RefType_name)
	f.optionalHash("old_hash", b.GetOldHash())
	f.hash("new_hash", b.GetNewHash())
	f.nonce(b.GetNonce())
	f.optionalHash("tag_object", b.GetTagObject())
	if len(b.GetTagObject()) > 0 && b.GetRefType() != pb.RefType_REF_TYPE_TAG {
		f.refuse("tag_object", "set for a ref that is not a tag")
	}
	f.optionalHash("content_digest", b.GetContentDigest())
}

func checkRefDelete(f *fields, b *pb.RefDeleteBody) {
	f.hash("project_id", b.GetProjectId())
	f.refName("ref_name", b.GetRefName())
	f.optionalHash("expected_hash", b.GetExpectedHash())
	f.nonce(b.GetNonce())
}

// refName requires a name without zero bytes.
func (f *fields) refName(name string, value []byte) {
	f.size(name, len(value), 1, MaxRefName)
	if i := bytes.IndexByte(value, 0); i >= 0 {
		f.refuse(name, "zero byte at %d", i)
	}
}

func (f *fields) nonce(value uint64) {
	if value == 0 {
		f.refuse("nonce", "0, at least 1")
	}
}
