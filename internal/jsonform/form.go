package jsonform

import (
	"cmp"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"makechain/internal/ident"
	"makechain/internal/limit"
	"makechain/message"
)

// Limits of decoding.
const (
	// MaxDepth is how deep objects and lists may be nested. The schema needs about half of it.
	MaxDepth = 32
	// MaxObjects is the number of objects in a document: a full batch of full commit bundles.
	MaxObjects = 1 << 17
	// MaxErrors is the number of errors after which decoding stops.
	MaxErrors = 20
	// maxItems is the limit of lists for which the protocol has none: more than fit into a response of 4 MiB.
	maxItems = 1 << 15
)

// Form is the JSON representation of a value. The items of a list have one form.
type Form uint8

// The forms. Bytes are decoded from hex in upper or lower case, with or without "0x".
const (
	Text            Form = iota + 1 // a string
	Hex                             // lower-case hex
	PrefixedHex                     // "0x" and lower-case hex
	Address                         // as PrefixedHex, of 20 bytes
	ExternalAddress                 // an address of any chain: as PrefixedHex if it has 20 bytes, else as Hex
	Cursor                          // as Hex, but "" instead of null if empty
	RefText                         // the name of a ref as text; null if it is not valid UTF-8
	Number                          // a 32-bit integer as a number
	Decimal                         // a 64-bit integer as a decimal string
	Boolean                         // true or false
	EnumName                        // an enum value by its name
	EnumNumber                      // an enum value by its number
	Object                          // a message
	Body                            // the body of a message, whose type is under the key "type" of the same object
)

// nullable reports whether an empty value of this form is null although the schema cannot distinguish empty from absent.
func (f Form) nullable() bool {
	switch f {
	case Text, Hex, PrefixedHex, Address, ExternalAddress, RefText:
		return true
	default:
		return false
	}
}

// bytesForm returns the form of a bytes field by its name: hex, with the exceptions listed here.
func bytesForm(name protoreflect.Name) Form {
	switch name {
	case "key_id", "actor":
		return Address
	case "address":
		return ExternalAddress
	case "public_key":
		return PrefixedHex
	case "next_cursor":
		return Cursor
	}
	if strings.HasSuffix(string(name), "_address") {
		return Address
	}
	return Hex
}

// twinKey returns the second key of a ref name, and the forms under both keys. One is hex, which represents any bytes, the
// other text, which is readable. key is empty for other fields.
func twinKey(name protoreflect.Name) (key string, main, twin Form) {
	switch name {
	case "ref_name":
		return "ref_name_hex", RefText, Hex
	case "source_ref", "target_ref":
		return string(name) + "_text", Hex, RefText
	default:
		return "", 0, 0
	}
}

// enumForm returns the form of an enum. Signature types are numbers in the published API.
func enumForm(name protoreflect.FullName) Form {
	if name == "makechain.CustodySignatureType" {
		return EnumNumber
	}
	return EnumName
}

// listLimit returns the maximum length of a list that is decoded.
func listLimit(field protoreflect.FullName) int {
	if field == batchMessages {
		return limit.MaxBatch
	}
	return cmp.Or(message.MaxElements(field), maxItems)
}

const (
	// dataMessage is the message whose type selects its body. Its oneof has one key, "body".
	dataMessage protoreflect.FullName = "makechain.MessageData"
	dataType    protoreflect.FullName = dataMessage + ".type"

	// batchMessages is a list that must not be empty in a request.
	batchMessages protoreflect.FullName = "makechain.BatchSubmitRequest.messages"
)

// isRequired reports whether a key must be present in a request.
func isRequired(field protoreflect.FullName) bool {
	switch field {
	case "makechain.Message.data", "makechain.Message.hash", "makechain.Message.signature", "makechain.Message.signer", batchMessages, dataType:
		return true
	default:
		return false
	}
}

// fixedSize returns the length of a bytes field that has the same length in every message, or 0.
func fixedSize(form Form, field protoreflect.FieldDescriptor) int {
	if form == Address {
		return ident.AddressSize
	}
	if form != Hex {
		return 0
	}
	switch field.FullName() {
	case "makechain.SubmitMessageResponse.hash", "makechain.BatchSubmitResult.hash":
		return 0 // the hash of the submitted message, whether or not it is valid
	case "makechain.KeyEntry.key", "makechain.GetKeyResponse.key", "makechain.SignerAddBody.key", "makechain.SignerRemoveBody.key":
		return ident.PublicKeySize
	}
	switch field.Name() {
	case "signature":
		return message.SignatureSize
	case "signer", "attester", "validator_public_key":
		return ident.PublicKeySize
	case "hash", "root", "digest", "content_digest", "parents", "allowed_projects", "fork_source", "project_id", "request_id",
		"tag_object", "merge_commit", "replaces", "replaced_by":
		return ident.HashSize
	}
	for _, suffix := range []string{"_hash", "_root", "_project_id"} {
		if strings.HasSuffix(string(field.Name()), suffix) {
			return ident.HashSize
		}
	}
	return 0
}

// wrappedField returns the field of a response whose message represents the whole response, or "". The other fields of the
// response must repeat fields of that message.
func wrappedField(response protoreflect.FullName) protoreflect.Name {
	switch response {
	case "makechain.MessageEntry", "makechain.GetMessageResponse":
		return "message"
	case "makechain.GetCustodyKeyResponse":
		return "custody_key"
	case "makechain.GetMergeRequestResponse":
		return "merge_request"
	default:
		return ""
	}
}
