package jsonform

import (
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"
)

// Form is how a value stands in JSON. A list holds values of one form.
type Form uint8

// The forms. Those of bytes take hex with or without "0x" and in any case when read.
const (
	Text        Form = iota + 1 // a string
	Hex                         // lower-case hex
	PrefixedHex                 // "0x" and lower-case hex
	Address                     // as PrefixedHex, of 20 bytes
	Verified                    // an address of any chain: as PrefixedHex when it has 20 bytes, else as Hex
	Cursor                      // as Hex, but "" and never null when there is none
	RefText                     // the name of a ref as text; null when it is not valid UTF-8
	Number                      // a 32-bit integer as a number
	Decimal                     // a 64-bit integer as a decimal string
	Boolean                     // true or false
	Word                        // an enum as one of its words
	Code                        // an enum as one of its numbers
	Object                      // a message
	Body                        // the body of a message, as the type beside it says
)

// addressSize is the length of an account's address in bytes.
const addressSize = 20

// nullable says whether a value of this form is null when it is empty, though the schema cannot tell empty from
// absent.
func (f Form) nullable() bool {
	switch f {
	case Text, Hex, PrefixedHex, Address, Verified, RefText:
		return true
	default:
		return false
	}
}

// bytesForm decides how a field of bytes is written. Hex is the rule, and this the list of exceptions.
func bytesForm(name protoreflect.Name) Form {
	switch name {
	case "key_id", "actor":
		return Address
	case "address":
		return Verified
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

// twinKey names the second key under which the name of a ref stands. One of the two is hex, so that any bytes
// survive, and the other is text, for people; main is the form under the field's own name.
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

// enumForm decides how an enum is written. Signature types are numbers in the published interface.
func enumForm(name protoreflect.FullName) Form {
	if name == "makechain.CustodySignatureType" {
		return Code
	}
	return Word
}
