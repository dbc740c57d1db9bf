package vectors

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/message"
)

// messageVector is one message and its result. The fields from data to signature have the values of a valid message; they
// are omitted where there is none.
type messageVector struct {
	Name        string   `json:"name"`
	Type        string   `json:"type,omitempty"`
	Data        *fields  `json:"data,omitempty"`
	Canonical   hexBytes `json:"canonical,omitempty"`
	Hash        hexBytes `json:"hash,omitempty"`
	Secret      hexBytes `json:"secret,omitempty"`
	Signer      hexBytes `json:"signer,omitempty"`
	Signature   hexBytes `json:"signature,omitempty"`
	Transaction hexBytes `json:"transaction,omitempty"`
	Tail        *tail    `json:"tail,omitempty"`
	Submission  hexBytes `json:"submission,omitempty"`
	Result      result   `json:"verdict"`
}

// tail is repeated at the end of a transaction that would be too long for the file.
type tail struct {
	Byte  hexBytes `json:"byte"`
	Count int      `json:"count"`
}

// TestMessages generates messages.json: every type accepted, and every code of verification and validation.
//
// Rules: P2.1, P2.2, P2.3, P2.4, P2.5, P2.6, P2.8, P5/all.
func TestMessages(t *testing.T) {
	t.Parallel()
	alice := newActor(t, "alice")
	good := goodBodies(t, alice)
	var list []messageVector
	for _, c := range acceptedCases(good) {
		list = append(list, signedVector(t, alice, c))
	}
	list = append(list, edgeSignatures(t, alice)...)
	for _, c := range invalidCases(good) {
		list = append(list, signedVector(t, alice, c))
	}
	list = append(list, invalidTimestamp(t, alice))
	list = append(list, unverifiedCases(t, alice, good)...)
	for i := range list {
		checkResult(t, &list[i])
	}
	golden(t, "messages.json", struct {
		Network  pb.Network      `json:"network"`
		Messages []messageVector `json:"messages"`
	}{network, list})
}

// bodyCase is a body and the field that validation refuses, empty if the body is valid.
type bodyCase struct {
	name  string
	field string
	data  *pb.MessageData
}

// signedVector signs a body that passes verification.
func signedVector(t *testing.T, author *actor, c bodyCase) messageVector {
	t.Helper()
	v := newVector(t, author, now, c.data)
	v.Name = c.name
	v.Result = result{}
	if c.field != "" {
		v.Name = c.field + ": " + c.name
		v.Result = result{Stage: message.Validation, Code: message.CodeInvalidField, Field: c.field}
	}
	return v
}

func invalidTimestamp(t *testing.T, author *actor) messageVector {
	t.Helper()
	v := newVector(t, author, 0, message.UsernameCreate("alice"))
	v.Name = "timestamp: 0"
	v.Result = result{Stage: message.Validation, Code: message.CodeInvalidField, Field: "timestamp"}
	return v
}

// newVector returns the vector of a body that an author signs.
func newVector(t *testing.T, author *actor, timestamp uint32, data *pb.MessageData) messageVector {
	t.Helper()
	e := must[*message.Envelope](t)(author.Sign(timestamp, data))
	return messageVector{
		Type:        strings.TrimPrefix(e.Type().String(), "MESSAGE_TYPE_"),
		Data:        &fields{e.Data},
		Canonical:   must[[]byte](t)(message.Canonical(e.Data)),
		Hash:        e.Hash[:],
		Secret:      author.seed[:],
		Signer:      e.Signer[:],
		Signature:   e.Signature[:],
		Transaction: e.Transaction(),
	}
}

// checkResult compares the result of a vector with that of the code.
func checkResult(t *testing.T, v *messageVector) {
	t.Helper()
	var got result
	if v.Submission != nil {
		got = checkSubmission(t, v.Submission)
	} else {
		got = check(v.bytes())
	}
	if got != v.Result {
		t.Errorf("%s: got %+v, want %+v", v.Name, got, v.Result)
	}
}

// bytes returns the transaction with its tail.
func (v *messageVector) bytes() []byte {
	tx := []byte(v.Transaction)
	if v.Tail != nil {
		tx = append(tx, strings.Repeat(string(v.Tail.Byte), v.Tail.Count)...)
	}
	return tx
}

// check returns the result of all checks of a transaction that need no state.
func check(tx []byte) result {
	e, refusal := message.Decode(tx)
	return checkEnvelope(e, refusal)
}

func checkSubmission(t *testing.T, encoded []byte) result {
	t.Helper()
	m := new(pb.Message)
	if err := proto.Unmarshal(encoded, m); err != nil {
		t.Fatal(err)
	}
	e, refusal := message.Open(m)
	return checkEnvelope(e, refusal)
}

func checkEnvelope(e *message.Envelope, refusal *message.Refusal) result {
	if refusal != nil {
		return resultOf(refusal)
	}
	for _, check := range []func() *message.Refusal{
		func() *message.Refusal { return e.CheckNetwork(network) }, e.VerifySignature, e.Validate,
	} {
		if refusal := check(); refusal != nil {
			return resultOf(refusal)
		}
	}
	return result{}
}
