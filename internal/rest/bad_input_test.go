package rest_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/gen/makechain/makechainpbconnect"
)

const (
	anAddress = "0x00112233445566778899aabbccddeeff00112233"
	anID      = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
	jsonType  = "application/json"
)

// foreign is a service that rejects every cursor and implements no other method.
type foreign struct {
	makechainpbconnect.UnimplementedMakechainServiceHandler
}

func (foreign) ListAccounts(context.Context, *connect.Request[pb.ListAccountsRequest]) (*connect.Response[pb.ListAccountsResponse], error) {
	return nil, connect.NewError(connect.CodeInvalidArgument, errors.New("cursor: not a cursor of this list"))
}

// badRequest is an invalid request and the expected problem.
type badRequest struct {
	name, method, url, mediaType, body string

	status   int
	code     string
	location string
}

// TestBadInput checks that invalid requests are rejected with the location of the error, before a call is made and without
// log lines.
//
// Rules: REST.
//
//nolint:paralleltest,tparallel // they share a log, which is checked last
func TestBadInput(t *testing.T) {
	t.Parallel()
	g := newLocalGateway(t, foreign{})
	for _, bad := range append(badParameters(), badBodies()...) {
		t.Run(bad.name, func(t *testing.T) {
			header := http.Header{}
			if bad.mediaType != "" {
				header.Set("Content-Type", bad.mediaType)
			}
			answer := g.do(t, bad.method, bad.url, []byte(bad.body), header)
			answer.wantProblem(t, bad.status, bad.code)
			answer.wantFieldError(t, bad.location)
		})
	}
	if log := g.log.String(); log != "" {
		t.Errorf("logged: %s", log)
	}
}

func badParameters() []badRequest {
	get := http.MethodGet
	account, project := "/v1/accounts/"+anAddress, "/v1/projects/"+anID
	schema := func(name, url, location string) badRequest {
		return badRequest{name: name, method: get, url: url, status: http.StatusUnprocessableEntity, code: "schema", location: location}
	}
	return []badRequest{
		schema("address that is not hex", "/v1/accounts/0x0011223344556677889900112233445566778zzz", "path.ownerAddress"),
		schema("address that is short", "/v1/accounts/0x0011", "path.ownerAddress"),
		schema("address that is long", "/v1/accounts/"+anAddress+"00", "path.ownerAddress"),
		schema("id that is short", "/v1/projects/0011", "path.projectId"),
		schema("id that is not hex", "/v1/projects/"+strings.Repeat("xy", 32), "path.projectId"),
		schema("hash that is short", project+"/commits/00", "path.hash"),
		schema("key id of another length", account+"/custody-keys/"+anID, "path.key_id"),
		schema("ref name that is not hex", project+"/refs/main", "path.refNameHex"),
		schema("ref name of half a byte", project+"/refs/abc", "path.refNameHex"),
		schema("state key that is not hex", "/v1/proofs/operation/0xq0", "path.keyHex"),
		schema("unknown word", "/v1/links?link_type=hate&target_owner_address="+anAddress, "query.link_type"),
		schema("unknown type of message", project+"/activity?types=ref_update,key_add", "query.types[1]"),
		schema("type of message that is none", project+"/activity?types=none", "query.types[0]"),
		schema("limit 0", "/v1/projects?limit=0", "query.limit"),
		schema("limit 201", "/v1/projects?limit=201", "query.limit"),
		schema("limit below 0", "/v1/projects?limit=-1", "query.limit"),
		schema("limit that is not a number", "/v1/projects?limit=ten", "query.limit"),
		schema("limit beyond every number", "/v1/projects?limit=99999999999999999999", "query.limit"),
		schema("limit that wraps around", "/v1/projects?limit=4294967297", "query.limit"),
		schema("cursor that is not hex", "/v1/accounts?cursor=zz", "query.cursor"),
		schema("parameter that is not known", "/v1/projects?owner="+anAddress, "query.owner"),
		schema("parameter of a route without any", "/v1/node/status?verbose=true", "query.verbose"),
		schema("parameter that is given twice", "/v1/projects?limit=1&limit=2", "query.limit"),
		schema("parameter that is missing", "/v1/projects/search", "query.query"),
		schema("text that is not UTF-8", "/v1/projects/search?query=%ff", "query.query"),
		schema("name that is not UTF-8", "/v1/projects/by-name/"+anAddress+"/%ff", "path.name"),
		schema("no target", "/v1/links?link_type=follow", "query.target_owner_address"),
		schema("wrong target", "/v1/links?link_type=star&target_owner_address="+anAddress, "query.target_owner_address"),
		schema("two targets", "/v1/links?link_type=star&target_owner_address="+anAddress+"&target_project_id="+anID, "query.target_owner_address"),
		schema("block that is not a number", "/v1/blocks/first", "path.number"),
		schema("block with a sign", "/v1/blocks/-1", "path.number"),
		schema("block with a zero before it", "/v1/blocks/007", "path.number"),
		schema("block beyond 64 bits", "/v1/blocks/18446744073709551616", "path.number"),
		schema("range that is not a number", "/v1/messages?start_block=one", "query.start_block"),
		schema("time that is not a number", account+"/storage-quota-proof?as_of_unix_time=now", "query.as_of_unix_time"),
		schema("time beyond 32 bits", account+"/storage-quota-proof?as_of_unix_time=4294967296", "query.as_of_unix_time"),
		{
			name: "foreign cursor", method: get, url: "/v1/accounts?cursor=00ff",
			status: http.StatusUnprocessableEntity, code: "invalid_argument", location: "query.cursor",
		},
	}
}

func badBodies() []badRequest {
	post := func(name, body, location string) badRequest {
		return badRequest{
			name: name, method: http.MethodPost, url: "/v1/messages", mediaType: jsonType, body: body,
			status: http.StatusUnprocessableEntity, code: "schema", location: location,
		}
	}
	syntax := func(name, body, location string) badRequest {
		bad := post(name, body, location)
		bad.status, bad.code = http.StatusBadRequest, "invalid_argument"
		return bad
	}
	message := func(data, hash string) string {
		return `{"data":` + data + `,"hash":"` + hash + `","signature":"` + anID + anID + `","signer":"` + anID + `"}`
	}
	data := func(body string) string {
		return `{"type":"ref_delete","timestamp":1,"network":"devnet","owner_address":"` + anAddress + `","body":` + body + `}`
	}
	deep := strings.Repeat(`[`, 100_000) + strings.Repeat(`]`, 100_000)
	bad := []badRequest{
		syntax("broken JSON", `{"data":`, "body.data"),
		syntax("no body", ``, "body"),
		syntax("text behind the body", message(data(`{}`), anID)+`!`, "body"),
		syntax("deep nesting", `{"data":`+deep+`}`, "body.data"),
		syntax("text that is not UTF-8", "{\"data\":{\"type\":\"\xff\"}}", "body.data.type"),
		post("not an object", `[]`, "body"),
		post("key that is given twice", `{"hash":"`+anID+`","hash":"`+anID+`"}`, "body.hash"),
		post("key that is not known", message(data(`{"name":"x"}`), anID), "body.data.body.name"),
		post("unknown type", message(`{"type":"key_add","timestamp":1,"network":"devnet","owner_address":"`+anAddress+`","body":{}}`, anID), "body.data.type"),
		post("unknown network", message(`{"type":"ref_delete","network":"moon","body":{}}`, anID), "body.data.network"),
		post("hash that is not hex", message(data(`{}`), strings.Repeat("xy", 32)), "body.hash"),
		post("hash that is short", message(data(`{}`), "00"), "body.hash"),
		post("project that is short", message(data(`{"project_id":"00"}`), anID), "body.data.body.project_id"),
		post("number for a 64-bit integer", message(data(`{"nonce":1}`), anID), "body.data.body.nonce"),
		post("text for a 32-bit integer", message(`{"type":"ref_delete","timestamp":"1","body":{}}`, anID), "body.data.timestamp"),
		post("no signature", `{"data":`+data(`{}`)+`,"hash":"`+anID+`","signer":"`+anID+`"}`, "body"),
	}
	wrong := post("wrong content type", message(data(`{}`), anID), "header.Content-Type")
	wrong.mediaType, wrong.status, wrong.code = "text/plain", http.StatusUnsupportedMediaType, "unsupported_media_type"
	form := wrong
	form.name, form.mediaType = "content type of a form", "application/x-www-form-urlencoded"
	senseless := wrong
	senseless.name, senseless.mediaType = "content type without sense", "a/b/c;;"
	onlyJSON := wrong
	onlyJSON.name, onlyJSON.url, onlyJSON.mediaType = "protobuf where it is not taken", "/v1/proofs/verify/operation", "application/x-protobuf"
	large := post("5 MiB", `{"data":"`+strings.Repeat("a", 5<<20)+`"}`, "body")
	large.status, large.code = http.StatusRequestEntityTooLarge, "body_too_large"
	encoded := syntax("broken protobuf", "\xff\xff", "body")
	encoded.mediaType = "application/x-protobuf"
	batch := post("empty batch", `{"messages":[]}`, "body.messages")
	batch.url = "/v1/messages/batch"
	many := batch
	many.location = "body.messages[100]"
	many.name, many.body = "batch of 101", `{"messages":[`+strings.Repeat(`{},`, 100)+`{}]}`
	waits := post("unknown way to wait", message(data(`{}`), anID), "query.wait")
	waits.url = "/v1/messages?wait=forever"
	verify := post("proof that is not hex", `{"proof":"zz","key":"00"}`, "body.proof")
	verify.url = "/v1/proofs/verify/exclusion"
	return append(bad, wrong, form, senseless, onlyJSON, large, encoded, batch, many, waits, verify)
}
