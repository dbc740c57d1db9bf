package rest

import (
	"fmt"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"google.golang.org/protobuf/reflect/protoreflect"

	"makechain/internal/ident"
	"makechain/internal/jsonform"
	"makechain/message"
)

// bytes describes bytes in hex.
func (w schemaWriter) bytes(f *jsonform.Field) *huma.Schema {
	if sizeOf(f) > 0 {
		return &huma.Schema{Type: huma.TypeString, Pattern: w.hexPattern(f)}
	}
	return longHex(w.hexPattern(f))
}

// longHex shows a pattern that huma does not check: a regular expression takes a quarter of a second for a megabyte, and
// whoever decodes the hex has checked it already.
func longHex(pattern string) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Extensions: map[string]any{"pattern": pattern}}
}

// hexPattern is the regular expression of bytes: strict for what is answered, lenient for what is sent.
func (w schemaWriter) hexPattern(f *jsonform.Field) string {
	prefix, digit := "", "[0-9a-f]"
	switch f.Form {
	case jsonform.PrefixedHex, jsonform.Address:
		prefix = "0x"
	case jsonform.Verified:
		prefix = "(0x)?"
	}
	if w.isInput {
		prefix, digit = "(0x)?", "[0-9a-fA-F]"
	}
	if size := sizeOf(f); size > 0 {
		return fmt.Sprintf("^%s%s{%d}$", prefix, digit, 2*size)
	}
	return fmt.Sprintf("^%s(%s{2})*$", prefix, digit)
}

// sizeOf is the length of bytes that always have the same, in every message, or 0.
func sizeOf(f *jsonform.Field) int {
	if f.Form == jsonform.Address {
		return ident.AddressSize
	}
	if f.Form != jsonform.Hex {
		return 0
	}
	switch f.Descriptor.FullName() {
	case "makechain.SubmitMessageResponse.hash", "makechain.BatchSubmitResult.hash":
		return 0 // what was sent, whatever it was
	case "makechain.KeyEntry.key", "makechain.GetKeyResponse.key", "makechain.SignerAddBody.key", "makechain.SignerRemoveBody.key":
		return ident.PublicKeySize
	}
	return sizeByName(f.Descriptor.Name())
}

func sizeByName(name protoreflect.Name) int {
	switch name {
	case "signature":
		return message.SignatureSize
	case "signer", "attester", "validator_public_key":
		return ident.PublicKeySize
	case "hash", "root", "digest", "content_digest", "parents", "allowed_projects", "fork_source", "project_id", "request_id":
		return ident.HashSize
	}
	for _, suffix := range []string{"_hash", "_root", "_project_id"} {
		if strings.HasSuffix(string(name), suffix) {
			return ident.HashSize
		}
	}
	return 0
}
