package jsonform

import (
	"errors"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
)

// errorsOf decodes an invalid document and returns its error.
func errorsOf(tb testing.TB, text string, into proto.Message) *Error {
	tb.Helper()
	var found *Error
	if err := Unmarshal([]byte(text), into); !errors.As(err, &found) {
		tb.Fatalf("%.200s: error %v, want an *Error", text, err)
	}
	return found
}

// hexWanted is the expected value in errors of bytes.
const hexWanted = "want a string with an even number of hex digits"

// errorTest is a document with one error.
type errorTest struct {
	name, text string
	into       proto.Message
	want       string
}

func (test errorTest) run(t *testing.T) {
	t.Helper()
	t.Run(test.name, func(t *testing.T) {
		t.Parallel()
		found := errorsOf(t, test.text, test.into)
		if len(found.Fields) != 1 || found.Fields[0].String() != test.want || found.Error() != test.want || found.Syntax {
			t.Errorf("errors %v, syntax %v\nwant %s", found.Fields, found.Syntax, test.want)
		}
	})
}

// deep returns a document with n nested lists.
func deep(open, shut string, n int) string { return strings.Repeat(open, n) + strings.Repeat(shut, n) }

// TestErrors checks the path and the message of each kind of error in keys, lists and bodies.
func TestErrors(t *testing.T) {
	t.Parallel()
	bundle := func(commit string) string {
		return `{"messages":[{},{},{},{"data":{"type":"commit_bundle","body":{"commits":[` + commit + `]}}}]}`
	}
	for _, test := range []errorTest{
		{
			"nested bytes", bundle(`{"hash":"0g"}`), &pb.BatchSubmitRequest{},
			`messages[3].data.body.commits[0].hash: is "0g", ` + hexWanted,
		},
		{
			"nested list", bundle(`{},{"parents":["00",5]}`), &pb.BatchSubmitRequest{},
			`messages[3].data.body.commits[1].parents[1]: is a number, ` + hexWanted,
		},
		{
			"path in a body that precedes its type", `{"body":{"project_id":true},"type":"project_archive"}`, &pb.MessageData{},
			`body.project_id: is a boolean, ` + hexWanted,
		},
		{"unknown key", `{"data":{"colour":{"a":[1,"x",{"b":null}]}}}`, &pb.Message{}, `data.colour: is not a key of MessageData`},
		{"odd key", `{"a b\n":1}`, &pb.Message{}, `["a b\n"]: is not a key of Message`},
		{"empty key", `{"":1}`, &pb.Message{}, `[""]: is not a key of Message`},
		{"key of a wrapped answer", `{"message":{}}`, &pb.GetMessageResponse{}, `message: is not a key of Message`},
		{"name of a body as key", `{"ref_update":{}}`, &pb.MessageData{}, `ref_update: is not a key of MessageData`},
		{"key in capitals", `{"Hash":"00"}`, &pb.Message{}, `Hash: is not a key of Message`},
		{"key twice", `{"hash":"00","hash":"00"}`, &pb.Message{}, `hash: is given twice`},
		{"key twice, null first", `{"hash":null,"hash":"00"}`, &pb.Message{}, `hash: is given twice`},
		{"body twice", `{"body":{},"body":{},"type":"fork"}`, &pb.MessageData{}, `body: is given twice`},
		{"document is a list", `[]`, &pb.Message{}, `is a list, want an object`},
		{"document is null", `null`, &pb.Message{}, `is null, want an object`},
		{"object for text", `{"name":{}}`, &pb.ProjectCreateBody{}, `name: is an object, want a string`},
		{"text for an object", `{"data":"x"}`, &pb.Message{}, `data: is a string, want an object`},
		{"object for a list", `{"messages":{}}`, &pb.BatchSubmitRequest{}, `messages: is an object, want a list`},
		{"null in a list", `{"messages":[null]}`, &pb.BatchSubmitRequest{}, `messages[0]: is null, want an object`},
		{"null among bytes", `{"parents":[null]}`, &pb.CommitMeta{}, `parents[0]: is null, ` + hexWanted},
		{
			"two targets", `{"target_project_id":"01","target_owner_address":"02"}`, &pb.LinkAddBody{},
			`target_owner_address: must not be combined with target_project_id`,
		},
		{"two names", `{"ref_name":"a","ref_name_hex":"62"}`, &pb.RefUpdateBody{}, `ref_name_hex: is not the same name as ref_name`},
		{"two source refs", `{"source_ref_text":"a","source_ref":"62"}`, &pb.MergeRequestAddBody{}, `source_ref: is not the same name as source_ref_text`},
		{"body without type", `{"body":{}}`, &pb.MessageData{}, `body: has no type`},
		{"body of no type", `{"type":"none","body":{}}`, &pb.MessageData{}, `body: has no type`},
		{"body of another type", `{"type":"fork","body":{"ref_name":"a"}}`, &pb.MessageData{}, `body.ref_name: is not a key of ForkBody`},
		{"long list", `{"messages":[` + strings.Repeat(`{},`, 105) + `{}]}`, &pb.BatchSubmitRequest{}, `messages[100]: exceeds the limit of 100 items`},
	} {
		test.run(t)
	}
}

// TestValueErrors checks the errors of values of another type or form.
func TestValueErrors(t *testing.T) {
	t.Parallel()
	for _, test := range []errorTest{
		{"odd hex", `{"hash":"012"}`, &pb.Message{}, `hash: is "012", ` + hexWanted},
		{"prefix twice", `{"hash":"0x0x01"}`, &pb.Message{}, `hash: is "0x0x01", ` + hexWanted},
		{
			"long text is cut", `{"hash":"` + strings.Repeat("z", 99) + `"}`, &pb.Message{},
			`hash: is "` + strings.Repeat("z", 40) + `"..., ` + hexWanted,
		},
		{"text for a boolean", `{"force":"true"}`, &pb.RefUpdateBody{}, `force: is a string, want true or false`},
		{"text for a number", `{"index":"3"}`, &pb.Message{}, `index: is a string, want a whole number from 0 to 4294967295`},
		{"fraction", `{"index":3.0}`, &pb.Message{}, `index: is 3.0, want a whole number from 0 to 4294967295`},
		{"exponent", `{"index":3e0}`, &pb.Message{}, `index: is 3e0, want a whole number from 0 to 4294967295`},
		{"negative", `{"index":-1}`, &pb.Message{}, `index: is -1, want a whole number from 0 to 4294967295`},
		{"33 bits", `{"index":4294967296}`, &pb.Message{}, `index: is 4294967296, want a whole number from 0 to 4294967295`},
		{
			"endless number", `{"index":` + strings.Repeat("9", 99) + `}`, &pb.Message{},
			`index: is ` + strings.Repeat("9", 40) + `..., want a whole number from 0 to 4294967295`,
		},
		{
			"number for 64 bits", `{"nonce":7}`, &pb.RefUpdateBody{},
			`nonce: is a number, want a whole number from 0 to 18446744073709551615 as a string, without leading zeros`,
		},
		{
			"65 bits", `{"nonce":"18446744073709551616"}`, &pb.RefUpdateBody{},
			`nonce: is "18446744073709551616", want a whole number from 0 to 18446744073709551615 as a string, without leading zeros`,
		},
		{
			"leading zero", `{"nonce":"07"}`, &pb.RefUpdateBody{},
			`nonce: is "07", want a whole number from 0 to 18446744073709551615 as a string, without leading zeros`,
		},
		{
			"empty 64 bits", `{"nonce":""}`, &pb.RefUpdateBody{},
			`nonce: is "", want a whole number from 0 to 18446744073709551615 as a string, without leading zeros`,
		},
		{"unknown word", `{"visibility":"PUBLIC"}`, &pb.ProjectCreateBody{}, `visibility: is "PUBLIC", want one of public, private`},
		{"number for a word", `{"link_type":1}`, &pb.LinkAddBody{}, `link_type: is a number, want one of follow, star`},
		{"word for a code", `{"signature_type":"p256"}`, &pb.KeychainAuthorizeBody{}, `signature_type: is a string, want a number from 1 to 3`},
		{"unknown code", `{"signature_type":4}`, &pb.KeychainAuthorizeBody{}, `signature_type: is 4, want a number from 1 to 3`},
	} {
		test.run(t)
	}
}

// TestSyntax checks the errors of documents that are not JSON.
func TestSyntax(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, want string }{
		{"nothing", ``, "not JSON at byte 0: the end, want a value"},
		{"a word", `hello`, "not JSON at byte 0: 'h', want a value"},
		{"cut", `{"data":{`, "data: not JSON at byte 9: the end, want a key in quotes"},
		{"cut string", `{"hash":"00`, "hash: not JSON at byte 11: the end, want the end of a string"},
		{"cut escape", `{"hash":"\`, `hash: not JSON at byte 10: the end after a backslash`},
		{"trailing", `{} {}`, "not JSON at byte 3: '{' after the document"},
		{"trailing zero byte", "{}\x00", `not JSON at byte 2: '\x00' after the document`},
		{"comma at the end", `{"index":1,}`, "not JSON at byte 11: '}', want a key in quotes"},
		{"comma at the end of a list", `{"x":[1,]}`, "x: not JSON at byte 8: ']', want a value"},
		{"no comma", `{"index":1 "hash":""}`, "not JSON at byte 11: '\"', want a comma or '}'"},
		{"no colon", `{"index" 1}`, "not JSON at byte 9: '1', want a colon"},
		{"bare key", `{index:1}`, "not JSON at byte 1: 'i', want a key in quotes"},
		{"comment", `{/**/}`, "not JSON at byte 1: '/', want a key in quotes"},
		{"wrong literal", `{"hash":nil}`, "hash: not JSON at byte 8: 'n', want a value"},
		{"leading zero", `{"index":01}`, "index: not JSON at byte 11: a number starts with a digit, and with 0 only if there is no other"},
		{"plus", `{"index":+1}`, "index: not JSON at byte 9: a number starts with a digit, and with 0 only if there is no other"},
		{"point", `{"index":1.}`, "index: not JSON at byte 11: '}', want a digit"},
		{"exponent", `{"index":1e}`, "index: not JSON at byte 11: '}', want a digit"},
		{"line break in a string", "{\"hash\":\"\n\"}", `hash: not JSON at byte 9: '\n' in a string`},
		{"line break behind an escape", "{\"hash\":\"\\n\n\"}", `hash: not JSON at byte 11: '\n' in a string`},
		{"unknown escape", `{"hash":"\x"}`, "hash: not JSON at byte 10: 'x' after a backslash"},
		{"cut behind an escape", `{"hash":"\n`, "hash: not JSON at byte 11: the end, want the end of a string"},
		{"broken key", `{"\x":1}`, "not JSON at byte 3: 'x' after a backslash"},
		{"broken second half", `{"hash":"\ud83d\uzzzz"}`, "hash: not JSON at byte 17: want four hex digits"},
		{"short escape", `{"hash":"\u00`, "hash: not JSON at byte 11: want four hex digits"},
		{"escape of no digits", `{"hash":"\u00zz"}`, "hash: not JSON at byte 11: want four hex digits"},
		{"an incomplete surrogate pair", `{"hash":"\ud83dx"}`, "hash: not JSON at byte 15: an incomplete surrogate pair"},
		{"second half first", `{"hash":"\ude00\ud83d"}`, "hash: not JSON at byte 21: an incomplete surrogate pair"},
		{"not UTF-8", "{\"hash\":\"\xff\"}", "hash: not JSON at byte 10: a string that is not UTF-8"},
		{"not UTF-8 beside an escape", "{\"hash\":\"\\n\xff\"}", "hash: not JSON at byte 12: a string that is not UTF-8"},
		{"not UTF-8 where nobody looks", "{\"x\":[\"\xff\"]}", "x: not JSON at byte 8: a string that is not UTF-8"},
		{"byte order mark", "\ufeff{}", `not JSON at byte 0: '\u00ef', want a value`},
		{"too deep", `{"x":` + deep("[", "]", 32) + `}`, "x: not JSON at byte 36: deeper than 32 objects and lists"},
		{"far too deep", `{"x":` + strings.Repeat(`{"x":`, 1_000_000), "x: not JSON at byte 160: deeper than 32 objects and lists"},
		{"after another error", `{"index":"1","hash"}`, "not JSON at byte 19: '}', want a colon"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			found := errorsOf(t, test.text, &pb.Message{})
			if !found.Syntax || found.Error() != test.want {
				t.Errorf("syntax %v, %s\nwant %s", found.Syntax, found, test.want)
			}
		})
	}
}

// TestMaxDepth decodes a document of the maximum depth.
func TestMaxDepth(t *testing.T) {
	t.Parallel()
	found := errorsOf(t, `{"x":`+deep("[", "]", 31)+`}`, &pb.Message{})
	if found.Syntax || found.Error() != "x: is not a key of Message" {
		t.Error(found)
	}
}

// TestMaxErrors checks that all errors are returned, up to the limit.
func TestMaxErrors(t *testing.T) {
	t.Parallel()
	found := errorsOf(t, `{"hash":1,"x":2,"data":{"type":"x","body":{}}}`, &pb.Message{})
	var paths []string
	for _, field := range found.Fields {
		paths = append(paths, field.Path)
	}
	if got := strings.Join(paths, " "); got != "hash x data.type data.body" {
		t.Errorf("errors at %s", got)
	}
	if want := found.Fields[0].String() + " (and 3 more)"; found.Error() != want {
		t.Errorf("%s, want %s", found, want)
	}
	if found := errorsOf(t, `{"parents":[`+strings.Repeat("1,", 99)+`1]}`, &pb.CommitMeta{}); len(found.Fields) != MaxErrors {
		t.Errorf("%d errors, want %d", len(found.Fields), MaxErrors)
	}
}

// TestMaxObjects checks that decoding stops at the limit of objects.
func TestMaxObjects(t *testing.T) {
	t.Parallel()
	list := `{"txns":[` + strings.Repeat("{},", maxItems-1) + `{}]}`
	text := `{"chunks":[` + strings.Repeat(list+",", 3) + list + `]}`
	found := errorsOf(t, text, &pb.Block{})
	if len(found.Fields) != 1 || found.Fields[0].Message != "the document has more than 131072 objects" {
		t.Error(found)
	}
}
