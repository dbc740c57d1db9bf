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
}

// RefUpdate returns a message that creates or moves a ref.
func RefUpdate(project Hash, name string, move RefMove) *pb.MessageData {
	return &pb.MessageData{
		Type: pb.MessageType_MESSAGE_TYPE_REF_UPDATE,
		Body: &pb.MessageData_RefUpdate{RefUpdate: &pb.RefUpdateBody{
			ProjectId: project[:],
			RefName:   []byte(name),
			RefType:   move.Type,
			OldHash:   unlessZero(move.Old),
			NewHash:   move.New[:],
			Force:     move.Force,
			Nonce:     move.Nonce,
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
