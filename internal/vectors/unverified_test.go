package vectors

import (
	"bytes"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/message"
)

// parts has the four fields of a transaction.
type parts struct{ data, hash, signature, signer []byte }

// assemble encodes the fields that are set.
func assemble(p parts) []byte {
	var tx []byte
	for i, part := range [][]byte{p.data, p.hash, p.signature, p.signer} {
		if part != nil {
			tx = appendBytes(tx, protowire.Number(i+1), part)
		}
	}
	return tx
}

func appendBytes(b []byte, number protowire.Number, value []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, number, protowire.BytesType), value)
}

func appendVarint(b []byte, number protowire.Number, value uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, number, protowire.VarintType), value)
}

// unverifiedCases returns messages that break the rules of the envelope, one at a time.
func unverifiedCases(t *testing.T, author *actor, good *bodies) []messageVector {
	t.Helper()
	list := slices.Concat(
		badEnvelopes(t, author), badEncodings(t, author), badData(t, author, good),
		badHashes(t, author), badSignatures(t, author), badSubmissions(t, author),
	)
	large := newVector(t, author, now, message.UsernameCreate("alice"))
	large.Tail = &tail{Byte: []byte{0}, Count: message.MaxSize}
	return append(list, refusedAs(large, "more than 1 MiB", message.CodeTooLarge))
}

func refusedAs(v messageVector, name string, code message.Code) messageVector {
	v.Name = string(code) + ": " + name
	v.Result = result{Stage: message.Verification, Code: code}
	return v
}

// badEnvelopes returns transactions with invalid fields.
func badEnvelopes(t *testing.T, author *actor) []messageVector {
	t.Helper()
	base := newVector(t, author, now, message.UsernameCreate("alice"))
	p := parts{base.Canonical, base.Hash, base.Signature, base.Signer}
	whole := assemble(p)
	without := func(change func(*parts)) []byte {
		changed := p
		change(&changed)
		return assemble(changed)
	}
	swapped := appendBytes(appendBytes(assemble(parts{data: p.data, hash: p.hash}), 4, p.signer), 3, p.signature)
	var list []messageVector
	for _, c := range []struct {
		name string
		tx   []byte
	}{
		{"nothing", []byte{}},
		{"no data", without(func(p *parts) { p.data = nil })},
		{"no hash", without(func(p *parts) { p.hash = nil })},
		{"no signature", without(func(p *parts) { p.signature = nil })},
		{"no signer", without(func(p *parts) { p.signer = nil })},
		{"hash of 31 bytes", without(func(p *parts) { p.hash = p.hash[:31] })},
		{"signature of 63 bytes", without(func(p *parts) { p.signature = p.signature[:63] })},
		{"signer of 33 bytes", without(func(p *parts) { p.signer = append(slices.Clone(p.signer), 0) })},
		{"signer before signature", swapped},
		{"signer twice", appendBytes(whole, 4, p.signer)},
		{"data_bytes in a transaction", appendBytes(whole, 5, p.data)},
		{"block number in a transaction", appendVarint(whole, 100, 7)},
		{"unknown field beside data", appendBytes(whole, 6, nil)},
		{"cut off", whole[:len(whole)-1]},
		{"length of data not in its shortest form", slices.Concat([]byte{0x0a, whole[1] | 0x80, 0}, whole[2:])},
	} {
		v := base
		v.Transaction = c.tx
		list = append(list, refusedAs(v, c.name, message.CodeMalformed))
	}
	return list
}

// signBytes returns a transaction of arbitrary data with a valid hash and signature.
func signBytes(t *testing.T, author *actor, data []byte) messageVector {
	t.Helper()
	hash := blake3Sum(data)
	return messageVector{Transaction: assemble(parts{data, hash, author.signHash(hash), author.publicKey()})}
}

// badEncodings returns transactions whose data is not canonical.
func badEncodings(t *testing.T, author *actor) []messageVector {
	t.Helper()
	data := newVector(t, author, now, message.UsernameCreate("alice")).Canonical
	owner := author.Owner()
	head := appendVarint(nil, 1, uint64(pb.MessageType_MESSAGE_TYPE_USERNAME_CREATE))
	middle := appendBytes(appendVarint(nil, 3, uint64(network)), 4, owner[:])
	body := appendBytes(nil, 19, appendBytes(nil, 1, []byte("alice")))
	force := appendBytes(nil, 10, appendVarint(nil, 6, 2))
	stamp := appendVarint(nil, 2, now)
	var list []messageVector
	for _, c := range []struct {
		name string
		data []byte
	}{
		{"unknown field in data", appendBytes(slices.Clone([]byte(data)), 31, nil)},
		{"unknown field in the body", slices.Concat(head, stamp, middle, appendBytes(nil, 19, appendVarint(appendBytes(nil, 1, []byte("alice")), 2, 1)))},
		{"fields of data out of order", slices.Concat(stamp, head, middle, body)},
		{"default written out", slices.Concat(head, stamp, middle, appendBytes(nil, 19, appendBytes(nil, 1, nil)))},
		{"timestamp not in its shortest form", slices.Concat(head, []byte{0x10, 0x81, 0x00}, middle, body)},
		{"timestamp of more than 32 bits", slices.Concat(head, appendVarint(nil, 2, 1<<32+now), middle, body)},
		{"timestamp twice", slices.Concat(head, stamp, stamp, middle, body)},
		{"timestamp as eight fixed bytes", slices.Concat(head, []byte{0x11, 1, 0, 0, 0, 0, 0, 0, 0}, middle, body)},
		{"flag of 2", slices.Concat(appendVarint(nil, 1, uint64(pb.MessageType_MESSAGE_TYPE_REF_UPDATE)), stamp, middle, force)},
		{"text that is not UTF-8", slices.Concat(head, stamp, middle, appendBytes(nil, 19, appendBytes(nil, 1, []byte("al\xffce"))))},
		{"body twice", slices.Concat(head, stamp, middle, body, body)},
		{"two bodies", slices.Concat(head, stamp, middle, body, appendBytes(nil, 20, appendBytes(nil, 1, []byte("alice"))))},
		{"no body", slices.Concat(head, stamp, middle)},
		{"body of another type", slices.Concat(head, stamp, middle, appendBytes(nil, 20, appendBytes(nil, 1, []byte("alice"))))},
		{"no owner", slices.Concat(head, stamp, appendVarint(nil, 3, uint64(network)), body)},
		{"owner of 19 bytes", slices.Concat(head, stamp, appendBytes(appendVarint(nil, 3, uint64(network)), 4, owner[:19]), body)},
	} {
		list = append(list, refusedAs(signBytes(t, author, c.data), c.name, message.CodeMalformed))
	}
	return list
}

// badData returns canonical data of an unknown type or another network.
func badData(t *testing.T, author *actor, good *bodies) []messageVector {
	t.Helper()
	with := func(change func(*pb.MessageData)) messageVector {
		data := proto.CloneOf(good.signerRemove)
		change(data)
		return signBytes(t, author, must[[]byte](t)(proto.MarshalOptions{Deterministic: true}.Marshal(data)))
	}
	types := message.Types()
	unknown := types[len(types)-1] + 1
	// The bodies follow the first four fields of MessageData, one for each type.
	unknownBody := protowire.Number(5 + len(types))
	stamp := appendBytes(appendVarint(appendVarint(nil, 2, now), 3, uint64(network)), 4, make([]byte, 20))
	retired := slices.Concat(appendVarint(nil, 1, uint64(unknown)), stamp, appendBytes(nil, unknownBody, nil))
	mainnet := newActor(t, "alice")
	mainnet.Author = message.NewAuthor(mainnet.seed, pb.Network_NETWORK_MAINNET, mainnet.Owner())
	return []messageVector{
		refusedAs(with(func(d *pb.MessageData) { d.Type = 0 }), "none", message.CodeUnknownType),
		refusedAs(with(func(d *pb.MessageData) { d.Type = unknown }), strconv.Itoa(int(unknown)), message.CodeUnknownType),
		refusedAs(with(func(d *pb.MessageData) { d.Type = -1 }), "-1", message.CodeUnknownType),
		refusedAs(signBytes(t, author, retired), fmt.Sprintf("%d with a body of its own", unknown), message.CodeUnknownType),
		refusedAs(with(func(d *pb.MessageData) { d.Network = 0 }), "none", message.CodeWrongNetwork),
		refusedAs(with(func(d *pb.MessageData) { d.Network = 4 }), "4", message.CodeWrongNetwork),
		refusedAs(newVector(t, mainnet, now, message.UsernameCreate("alice")), "message for mainnet", message.CodeWrongNetwork),
	}
}

func badHashes(t *testing.T, author *actor) []messageVector {
	t.Helper()
	v := newVector(t, author, now, message.UsernameCreate("alice"))
	other := newVector(t, author, now+1, message.UsernameCreate("alice"))
	flipped := slices.Clone([]byte(v.Hash))
	flipped[31] ^= 1
	tampered := func(name string, p parts) messageVector {
		changed := v
		changed.Transaction = assemble(p)
		return refusedAs(changed, name, message.CodeHashMismatch)
	}
	return []messageVector{
		tampered("last bit flipped", parts{v.Canonical, flipped, v.Signature, v.Signer}),
		tampered("hash and signature of another message", parts{v.Canonical, other.Hash, other.Signature, v.Signer}),
	}
}

func badSignatures(t *testing.T, author *actor) []messageVector {
	t.Helper()
	v := newVector(t, author, now, message.UsernameCreate("alice"))
	stranger := newActor(t, "bob")
	flipped := slices.Clone([]byte(v.Signature))
	flipped[40] ^= 1
	notAPoint := append([]byte{2}, make([]byte, 31)...)
	low := bytes.Repeat([]byte{0}, 64)
	low[0], low[32] = 1, 1
	tampered := func(name string, signature, signer []byte) messageVector {
		changed := v
		changed.Transaction = assemble(parts{v.Canonical, v.Hash, signature, signer})
		return refusedAs(changed, name, message.CodeBadSignature)
	}
	return []messageVector{
		tampered("one bit flipped", flipped, v.Signer),
		tampered("another signer", v.Signature, stranger.publicKey()),
		tampered("S not reduced", unreduced(v.Signature), v.Signer),
		tampered("signer is no point", v.Signature, notAPoint),
		tampered("commitment is no point", slices.Concat(notAPoint, v.Signature[32:]), v.Signer),
		tampered("small order, S of 1", low, append([]byte{1}, make([]byte, 31)...)),
		tampered("all zero", make([]byte, 64), v.Signer),
		tampered("over the data instead of its hash", author.signHash(v.Canonical), v.Signer),
	}
}

// unreduced adds the group order to S, which some verifiers accept.
func unreduced(signature []byte) []byte {
	order, _ := new(big.Int).SetString("1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ed", 16)
	little := slices.Clone(signature[32:])
	slices.Reverse(little)
	s := new(big.Int).Add(new(big.Int).SetBytes(little), order).FillBytes(make([]byte, 32))
	slices.Reverse(s)
	return slices.Concat(signature[:32], s)
}

// badSubmissions returns messages as the API receives them, including valid ones (P2.3).
func badSubmissions(t *testing.T, author *actor) []messageVector {
	t.Helper()
	v := newVector(t, author, now, message.UsernameCreate("alice"))
	submit := func(name string, extra []byte, code message.Code) messageVector {
		changed := v
		changed.Name, changed.Submission, changed.Transaction = name, slices.Concat(v.Transaction, extra), nil
		if code != "" {
			changed = refusedAs(changed, name, code)
		}
		return changed
	}
	return []messageVector{
		submit("submission with data_bytes", appendBytes(nil, 5, v.Canonical), ""),
		submit("submission with a position", appendVarint(appendVarint(nil, 100, 9), 101, 1), ""),
		submit("not the canonical bytes", appendBytes(nil, 5, v.Canonical[1:]), message.CodeDataBytesMismatch),
		submit("empty but there", appendBytes(nil, 5, nil), message.CodeDataBytesMismatch),
	}
}
