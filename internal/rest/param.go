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

// Parameters are parsed into the types below, which also return their schemas. Bytes are hex in upper or lower case, with or
// without 0x. An absent parameter is nil.

var errNotHex = errors.New("not hex")

// parseHex parses hex of size bytes, or of any length if size is 0.
func parseHex(text []byte, size int) ([]byte, error) {
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

// addressParam is an owner address or the id of a custody key.
type addressParam struct{ bytes []byte }

// UnmarshalText parses 40 hex digits.
func (p *addressParam) UnmarshalText(text []byte) (err error) {
	p.bytes, err = parseHex(text, ident.AddressSize)
	return err
}

// Schema returns the schema of an address.
func (addressParam) Schema(huma.Registry) *huma.Schema {
	return hexSchema(ident.AddressSize, "An address: 0x and 40 hex digits.")
}

// idParam is a hash, an id that is a hash, or a public key.
type idParam struct{ bytes []byte }

// UnmarshalText parses 64 hex digits.
func (p *idParam) UnmarshalText(text []byte) (err error) {
	p.bytes, err = parseHex(text, ident.HashSize)
	return err
}

// Schema returns the schema of an id.
func (idParam) Schema(huma.Registry) *huma.Schema {
	return hexSchema(ident.HashSize, "An id, hash or key: 64 hex digits.")
}

// commitParam is the hash of a commit, or its git id. A SHA-1 id is followed by zeros in the hash.
type commitParam struct{ bytes []byte }

// sha1Size is the size of a SHA-1 git id.
const sha1Size = 20

// UnmarshalText parses 64 or 40 hex digits.
func (p *commitParam) UnmarshalText(text []byte) (err error) {
	if p.bytes, err = parseHex(text, sha1Size); err == nil {
		p.bytes = append(p.bytes, make([]byte, ident.HashSize-sha1Size)...)
		return nil
	}
	if p.bytes, err = parseHex(text, ident.HashSize); err != nil {
		return fmt.Errorf("%w, or %d for a SHA-1 id", err, hex.EncodedLen(sha1Size))
	}
	return nil
}

// Schema returns the schema of a commit's hash.
func (commitParam) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeString, Pattern: fmt.Sprintf("^(0x)?([0-9a-fA-F]{%d}|[0-9a-fA-F]{%d})$", hex.EncodedLen(ident.HashSize), hex.EncodedLen(sha1Size)),
		Description: "The hash of a commit: 64 hex digits, or the 40 hex digits of a SHA-1 id.",
	}
}

// bytesParam is a byte string of any length.
type bytesParam struct{ bytes []byte }

// UnmarshalText parses hex digits.
func (p *bytesParam) UnmarshalText(text []byte) (err error) {
	p.bytes, err = parseHex(text, 0)
	return err
}

// Schema returns the schema of a byte string.
func (bytesParam) Schema(huma.Registry) *huma.Schema { return hexSchema(0, "Bytes as hex digits.") }

// numberParam is a 64-bit number in decimal digits, as in responses.
type numberParam struct{ value uint64 }

// UnmarshalText parses decimal digits.
func (p *numberParam) UnmarshalText(text []byte) (err error) {
	p.value, err = decimal(string(text))
	return err
}

// Schema returns the schema of a number.
func (numberParam) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Pattern: decimalPattern, Description: "A number in decimal digits."}
}

const (
	decimalPattern = "^(0|[1-9][0-9]{0,19})$"
	latestBlock    = "latest"
)

func decimal(text string) (uint64, error) {
	value, err := strconv.ParseUint(text, 10, 64)
	if err != nil || strconv.FormatUint(value, 10) != text {
		return 0, errors.New("not a 64-bit number in decimal digits")
	}
	return value, nil
}

// blockParam is the number of a block, or the latest block.
type blockParam struct {
	number   uint64
	isLatest bool
}

// UnmarshalText parses decimal digits or "latest".
func (p *blockParam) UnmarshalText(text []byte) (err error) {
	if string(text) == latestBlock {
		p.isLatest = true
		return nil
	}
	if p.number, err = decimal(string(text)); err != nil {
		return fmt.Errorf("%w, nor %q", err, latestBlock)
	}
	return nil
}

// Schema returns the schema of a block number.
func (blockParam) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeString, Pattern: "^(0|[1-9][0-9]{0,19}|" + latestBlock + ")$",
		Description: "The number of a block in decimal digits, or latest.",
	}
}

// messageType is the name of a message type.
type messageType string

const messageTypePrefix = "MESSAGE_TYPE_"

// Schema returns the schema of a message type.
func (messageType) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Enum: enumNames(pb.MessageType_name, messageTypePrefix)}
}

// messageTypes returns the types with the given names, which the schema has validated.
func messageTypes(names []messageType) []pb.MessageType {
	types := make([]pb.MessageType, len(names))
	for i, name := range names {
		types[i] = pb.MessageType(pb.MessageType_value[messageTypePrefix+strings.ToUpper(string(name))])
	}
	return types
}

// enumNames returns the JSON names of the values of an enum except zero.
func enumNames(protoNames map[int32]string, prefix string) []any {
	names := make([]any, 0, len(protoNames))
	for number := int32(1); protoNames[number] != ""; number++ {
		names = append(names, strings.ToLower(strings.TrimPrefix(protoNames[number], prefix)))
	}
	return names
}

// textParam is text. It is checked to be UTF-8, which paths and queries need not be.
type textParam struct{ text string }

// UnmarshalText checks that the text is UTF-8.
func (p *textParam) UnmarshalText(text []byte) error {
	if !utf8.Valid(text) {
		return errors.New("not UTF-8")
	}
	p.text = string(text)
	return nil
}

// Schema returns the schema of text.
func (textParam) Schema(huma.Registry) *huma.Schema { return &huma.Schema{Type: huma.TypeString} }

// Inputs embed the types below. They are exported because huma ignores unexported embedded types.

// PageQuery has the parameters of lists.
type PageQuery struct {
	Limit uint32 `default:"50" doc:"The maximum number of items." maximum:"200" minimum:"1" query:"limit"`

	Cursor bytesParam `doc:"next_cursor of the previous page, whose other parameters must be repeated; absent for the first page." query:"cursor"`
}

// ProjectPath has the path parameter of routes below a project.
type ProjectPath struct {
	Project idParam `doc:"The id of the project: 64 hex digits." path:"projectId"`
}

// AccountPath has the path parameter of routes below an account.
type AccountPath struct {
	Owner addressParam `doc:"The owner address of the account: 0x and 40 hex digits." path:"ownerAddress"`
}

// TypesQuery has the parameter of lists of messages.
type TypesQuery struct {
	Types []messageType `doc:"Only messages of these types, separated by commas." nullable:"false" query:"types"`
}
