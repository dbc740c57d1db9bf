package rest

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
)

// Parameters are read into the types below, each of which knows its schema. Bytes are hex in any case, with or without
// 0x. A parameter that is not given leaves them nil.

// errNotHex says it in fewer words than encoding/hex.
var errNotHex = errors.New("not hex")

// hexDigits reads hex of a number of bytes, or of any when the number is 0.
func hexDigits(text []byte, size int) ([]byte, error) {
	digits := strings.TrimPrefix(string(text), "0x")
	if size > 0 && len(digits) != hex.EncodedLen(size) {
		return nil, fmt.Errorf("%d hex digits, want %d", len(digits), hex.EncodedLen(size))
	}
	value, err := hex.DecodeString(digits)
	if err != nil {
		return nil, errNotHex
	}
	return value, nil
}

func hexSchema(size int, description string) *huma.Schema {
	s := longHex("^(0x)?([0-9a-fA-F]{2})*$")
	if size > 0 {
		s = &huma.Schema{Type: huma.TypeString, Pattern: fmt.Sprintf("^(0x)?[0-9a-fA-F]{%d}$", hex.EncodedLen(size))}
	}
	s.Description = description
	return s
}

// addressParam is the address of an account or the id of a custody key.
type addressParam struct{ bytes []byte }

// UnmarshalText reads 40 hex digits.
func (p *addressParam) UnmarshalText(text []byte) (err error) {
	p.bytes, err = hexDigits(text, ident.AddressSize)
	return err
}

// Schema is that of an address.
func (addressParam) Schema(huma.Registry) *huma.Schema {
	return hexSchema(ident.AddressSize, "An address: 0x and 40 hex digits.")
}

// idParam is a hash, the id of something that a hash names, or a public key.
type idParam struct{ bytes []byte }

// UnmarshalText reads 64 hex digits.
func (p *idParam) UnmarshalText(text []byte) (err error) {
	p.bytes, err = hexDigits(text, ident.HashSize)
	return err
}

// Schema is that of an id.
func (idParam) Schema(huma.Registry) *huma.Schema {
	return hexSchema(ident.HashSize, "An id, hash or key: 64 hex digits.")
}

// bytesParam is bytes of any length.
type bytesParam struct{ bytes []byte }

// UnmarshalText reads hex digits.
func (p *bytesParam) UnmarshalText(text []byte) (err error) {
	p.bytes, err = hexDigits(text, 0)
	return err
}

// Schema is that of bytes.
func (bytesParam) Schema(huma.Registry) *huma.Schema { return hexSchema(0, "Bytes as hex digits.") }

// numberParam is a 64-bit number in decimal digits, as answers write it.
type numberParam struct{ value uint64 }

// UnmarshalText reads decimal digits.
func (p *numberParam) UnmarshalText(text []byte) (err error) {
	p.value, err = decimal(string(text))
	return err
}

// Schema is that of a number.
func (numberParam) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Pattern: decimalPattern, Description: "A number in decimal digits."}
}

const (
	decimalPattern = "^(0|[1-9][0-9]{0,19})$"
	latestWord     = "latest"
)

func decimal(text string) (uint64, error) {
	value, err := strconv.ParseUint(text, 10, 64)
	if err != nil || strconv.FormatUint(value, 10) != text {
		return 0, errors.New("not a 64-bit number in decimal digits")
	}
	return value, nil
}

// blockParam is the number of a block, or the latest.
type blockParam struct {
	number   uint64
	isLatest bool
}

// UnmarshalText reads decimal digits or the word.
func (p *blockParam) UnmarshalText(text []byte) (err error) {
	if string(text) == latestWord {
		p.isLatest = true
		return nil
	}
	if p.number, err = decimal(string(text)); err != nil {
		return fmt.Errorf("%w, nor %q", err, latestWord)
	}
	return nil
}

// Schema is that of a block's number.
func (blockParam) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeString, Pattern: "^(0|[1-9][0-9]{0,19}|" + latestWord + ")$",
		Description: "The number of a block in decimal digits, or latest.",
	}
}

// messageType is the word for a type of message.
type messageType string

const messageTypePrefix = "MESSAGE_TYPE_"

// Schema lists the words.
func (messageType) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Enum: enumWords(pb.MessageType_name, messageTypePrefix)}
}

// messageTypes are the types that words name; they were checked against the schema.
func messageTypes(words []messageType) []pb.MessageType {
	types := make([]pb.MessageType, len(words))
	for i, word := range words {
		types[i] = pb.MessageType(pb.MessageType_value[messageTypePrefix+strings.ToUpper(string(word))])
	}
	return types
}

// enumWords are the words for the values of an enum, but for the one that means none.
func enumWords(names map[int32]string, prefix string) []any {
	words := make([]any, 0, len(names))
	for number := int32(1); names[number] != ""; number++ {
		words = append(words, strings.ToLower(strings.TrimPrefix(names[number], prefix)))
	}
	return words
}

// textParam is text, which in a request may be any bytes.
type textParam struct{ text string }

// UnmarshalText reads UTF-8.
func (p *textParam) UnmarshalText(text []byte) error {
	if !utf8.Valid(text) {
		return errors.New("not UTF-8")
	}
	p.text = string(text)
	return nil
}

// Schema is that of text.
func (textParam) Schema(huma.Registry) *huma.Schema { return &huma.Schema{Type: huma.TypeString} }

// Inputs embed the types below. Their names are exported because huma sees no others.

// Page is what every list takes that has pages.
type Page struct {
	Limited

	Cursor bytesParam `doc:"next_cursor of the page before; none for the first page." query:"cursor"`
}

// Limited is what every list takes.
type Limited struct {
	Limit uint32 `default:"50" doc:"How many items to answer at most." maximum:"200" minimum:"1" query:"limit"`
}

// OfProject is what every route below a project takes.
type OfProject struct {
	Project idParam `doc:"The id of the project: 64 hex digits." path:"projectId"`
}

// OfAccount is what every route below an account takes.
type OfAccount struct {
	Owner addressParam `doc:"The address of the account: 0x and 40 hex digits." path:"ownerAddress"`
}

// OfTypes is what lists of messages take.
type OfTypes struct {
	Types []messageType `doc:"Only messages of these types, with commas between them." query:"types"`
}
