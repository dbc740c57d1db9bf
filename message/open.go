package message

import (
	"bytes"

	pb "makechain/gen/makechain"
)

// Open returns the envelope of a message in the form of the API. When data_bytes is present it must be the canonical
// encoding of data; it is not used otherwise (P2.3). The position fields, which nodes set on messages they serve, are
// ignored. Open keeps no reference to m.
func Open(m *pb.Message) (*Envelope, *Refusal) {
	if m.GetData() == nil {
		return nil, refuseField(CodeMalformed, "data", "missing")
	}
	if unknown := m.ProtoReflect().GetUnknown(); len(unknown) > 0 {
		return nil, Refuse(Verification, CodeMalformed, "%d bytes of unknown fields beside data", len(unknown))
	}
	if t := m.GetData().GetType(); !IsType(t) {
		return nil, unknownType(int64(t))
	}
	data, err := Canonical(m.GetData())
	if err != nil {
		return nil, refuseField(CodeMalformed, "data", "no canonical encoding: %v", err)
	}
	if m.DataBytes != nil && !bytes.Equal(m.GetDataBytes(), data) {
		return nil, refuseField(CodeDataBytesMismatch, "data_bytes", "not the canonical encoding of data")
	}
	return seal(data, m.GetHash(), m.GetSignature(), m.GetSigner())
}
