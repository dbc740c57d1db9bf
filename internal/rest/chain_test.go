package rest_test

import (
	"context"
	"encoding/hex"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/jsonform"
	"makechain/internal/node/nodetest"
	"makechain/internal/schema"
	"makechain/message"
)

const immutable = "public, max-age=31536000, immutable"

// TestGateway checks a gateway in front of a node whose chain has objects of every kind.
//
// Rules: REST.
//
//nolint:paralleltest,tparallel // later subtests write to the chain
func TestGateway(t *testing.T) {
	t.Parallel()
	s := newFixture(t)
	t.Run("every route returns the response of the service", s.everyRoute)
	t.Run("caching", s.caching)
	t.Run("git ids", s.gitIDs)
	t.Run("custody", s.custody)
	t.Run("absent", s.absent)
	t.Run("ref names", s.refNames)
	t.Run("verifiers", s.verifiers)
	t.Run("cursors", s.cursors)
	t.Run("writes", s.writes)
	t.Run("conflicts", s.conflicts)
	t.Run("another chain", s.anotherChain)
	t.Run("paging", s.paging)
	if log := s.gateway.log.String(); log != "" {
		t.Errorf("logged: %s", log)
	}
}

// cursors checks that the lists of history have the same items in pages of two as in one page.
func (s *fixture) cursors(t *testing.T) {
	hello, last := s.project(s.hello), s.commits[commitCount-1].Hash
	latest := nodetest.Call(t, s.GetHealth, &pb.GetHealthRequest{}).GetCurrentBlock()
	for url, items := range map[string]string{
		fmt.Sprintf("/v1/messages?start_block=1&end_block=%d", latest):                                "messages",
		fmt.Sprintf("/v1/messages?start_block=1&end_block=%d&types=commit_bundle,ref_update", latest): "messages",
		fmt.Sprintf("/v1/blocks?start=%d", min(latest, 20)):                                           "blocks",
		hello + "/activity?types=commit_bundle,ref_update,ref_delete":                                 "messages",
		s.account(s.alice) + "/activity?":                                                             "messages",
		hello + "/commits/" + last.String() + "/ancestors?":                                           "commits",
		hello + "/refs/" + hexOf("refs/heads/main") + "/log?":                                         "entries",
	} {
		whole, _ := s.gateway.get(t, url+"&limit=200").at(items).([]any)
		var paged []any
		for cursor := ""; ; {
			page := s.gateway.get(t, url+"&limit=2&cursor="+cursor)
			some, _ := page.at(items).([]any)
			paged = append(paged, some...)
			if cursor, _ = page.at("next_cursor").(string); cursor == "" {
				break
			}
		}
		if len(whole) < 2 || !reflect.DeepEqual(paged, whole) {
			t.Errorf("%s: %d items in pages of two, %d in one page", url, len(paged), len(whole))
		}
	}
	s.gateway.get(t, hello+"/activity?cursor="+anID).wantProblem(t, http.StatusUnprocessableEntity, "invalid_argument")
}

// gitIDs checks that routes of a commit accept its SHA-1 id.
func (s *fixture) gitIDs(t *testing.T) {
	long := s.commits[1].Hash.String()
	for _, route := range []string{"", "/ancestors", "/reactions"} {
		path := s.project(s.hello) + "/commits/"
		want := s.gateway.get(t, path+long+route)
		for _, id := range []string{long[:40], "0x" + strings.ToUpper(long[:40])} {
			got := s.gateway.get(t, path+id+route)
			if got.Code != http.StatusOK || !reflect.DeepEqual(got.value, want.value) {
				t.Errorf("%s%s: %d %v, want %v", id, route, got.Code, got.value, want.value)
			}
		}
		s.gateway.get(t, path+long[:42]+route).wantProblem(t, http.StatusUnprocessableEntity, "schema")
	}
}

// onTestnet is a node whose chain is not a development chain.
type onTestnet struct{ *nodetest.Client }

func (n onTestnet) GetNodeStatus(ctx context.Context, req *connect.Request[pb.GetNodeStatusRequest]) (*connect.Response[pb.GetNodeStatusResponse], error) {
	answer, err := n.Client.GetNodeStatus(ctx, req)
	if err == nil {
		answer.Msg.Network = pb.Network_NETWORK_TESTNET
	}
	return answer, err
}

// caching checks that only immutable responses may be cached, and none on a development chain.
func (s *fixture) caching(t *testing.T) {
	testnet := newRemoteGateway(t, onTestnet{s.Client})
	hello := s.project(s.hello)
	latest := nodetest.Call(t, s.GetHealth, &pb.GetHealthRequest{}).GetCurrentBlock()
	for path, want := range map[string]string{
		block(0):                              immutable,
		block(1):                              immutable,
		block(latest - 1):                     immutable,
		block(latest):                         "no-store",
		"/v1/blocks/latest":                   "no-store",
		"/v1/blocks":                          "no-store",
		block(1) + "/finalized-root":          "no-store",
		block(latest + 100):                   "no-store",
		"/v1/messages/" + s.odd.Hash.String(): immutable,
		"/v1/messages/" + s.odd.Hash.String() + "/status": "no-store",
		"/v1/messages/" + s.hello.String() + "/status":    "no-store",
		"/v1/messages/" + anID:                            "no-store",
		hello + "/commits/" + s.commits[0].Hash.String():  immutable,
		hello + "/commits/" + anID:                        "no-store",
		hello:                                             "no-store",
		s.account(s.alice):                                "no-store",
		"/v1/node/status":                                 "no-store",
		"/v1/messages/" + anID + "/status":                "no-store",
	} {
		if got := testnet.get(t, path).Header().Values("Cache-Control"); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
		if got := s.gateway.get(t, path).Header().Values("Cache-Control"); !slices.Equal(got, []string{"no-store"}) {
			t.Errorf("%s on a development chain: %q", path, got)
		}
	}
}

// custody checks the fields of custody keys of the published API.
func (s *fixture) custody(t *testing.T) {
	account := s.gateway.get(t, s.account(s.alice))
	if account.at("custody_nonce") != "2" {
		t.Errorf("custody_nonce %v", account.at("custody_nonce"))
	}
	keys, _ := account.at("custody_keys").([]any)
	if len(keys) != 1 {
		t.Fatalf("custody_keys %v", keys)
	}
	id := s.custodyKey.KeyID().String()
	key, _ := s.gateway.get(t, s.account(s.alice)+"/custody-keys/"+id).value.(map[string]any)
	want := map[string]any{
		"key_id": id, "signature_type": float64(1), "public_key": fmt.Sprintf("0x%x", s.custodyKey.PublicKey()), "admin": true,
		"expires_at": "0", "added_at": key["added_at"], "revoked_at": float64(0), "status": "active",
	}
	for name, value := range want {
		if key[name] != value {
			t.Errorf("%s is %v, want %v", name, key[name], value)
		}
	}
	if added, _ := key["added_at"].(float64); len(key) != len(want) || added == 0 {
		t.Errorf("custody key: %v", key)
	}
}

// absent checks the responses for objects that do not exist.
func (s *fixture) absent(t *testing.T) {
	account, project := s.account(s.alice), s.project(s.hello)
	for _, path := range []string{
		account + "/custody-keys/" + anAddress, account + "/keys/" + anID, "/v1/accounts/by-key/" + anID,
		"/v1/projects/" + anID, "/v1/projects/by-name/" + s.alice.Address().String() + "/nothing",
		project + "/refs/" + hexOf("nothing"), project + "/refs/by-name?name=nothing", project + "/commits/" + anID, project + "/merge-requests/" + anID,
		"/v1/messages/" + anID, block(math.MaxInt64), "/v1/proofs/operation/" + hex.EncodeToString(schema.RefKey(s.hello, []byte("v2"))),
	} {
		s.gateway.get(t, path).wantProblem(t, http.StatusNotFound, "not_found")
	}
	present := hex.EncodeToString(schema.RefKey(s.hello, []byte("v1")))
	s.gateway.get(t, "/v1/proofs/exclusion/"+present).wantProblem(t, http.StatusConflict, "failed_precondition")
	s.gateway.get(t, "/v1/proofs/operation/ff").wantProblem(t, http.StatusBadRequest, "invalid_argument")
	s.gateway.get(t, "/v1/messages?start_block=1000000").wantProblem(t, http.StatusBadRequest, "out_of_range")
	zero := s.gateway.get(t, project+"/refs/00")
	zero.wantProblem(t, http.StatusBadRequest, "invalid_argument")
	zero.wantFieldError(t, "path.refNameHex")
	backwards := s.gateway.get(t, "/v1/messages?start_block=2&end_block=1")
	backwards.wantProblem(t, http.StatusBadRequest, "invalid_argument")
	backwards.wantFieldError(t, "query.end_block")
	if status := s.gateway.get(t, "/v1/messages/"+anID+"/status"); status.at("state") != "unknown" && status.at("state") != nil {
		t.Errorf("status of no message: %s", status.Body)
	}
}

// refNames reads a ref whose name is not text in all possible ways.
func (s *fixture) refNames(t *testing.T) {
	project := s.project(s.hello)
	byHex := s.gateway.get(t, project+"/refs/"+hexOf(oddRef))
	byName := s.gateway.get(t, project+"/refs/by-name?name="+url.QueryEscape(oddRef))
	if byHex.at("ref_name") != nil || byHex.at("ref_name_hex") != hexOf(oddRef) || byHex.Body.String() != byName.Body.String() {
		t.Errorf("by hex %s\nby name %s", byHex.Body, byName.Body)
	}
	plain := s.gateway.get(t, project+"/refs/by-name?name=refs%2Fheads%2Fmain")
	if plain.at("ref_name") != "refs/heads/main" || plain.at("ref_name_hex") != hexOf("refs/heads/main") {
		t.Errorf("by name %s", plain.Body)
	}
	request := s.gateway.get(t, project+"/merge-requests/"+s.request.String())
	if request.at("source_ref") != hexOf(oddRef) || request.at("source_ref_text") != nil ||
		request.at("target_ref") != hexOf("refs/heads/main") || request.at("target_ref_text") != "refs/heads/main" {
		t.Errorf("merge request %s", request.Body)
	}
	var read pb.Message
	if err := jsonform.Unmarshal(s.gateway.get(t, "/v1/messages/"+s.odd.Hash.String()).Body.Bytes(), &read); err != nil {
		t.Fatal(err)
	}
	if string(read.GetData().GetRefUpdate().GetRefName()) != oddRef {
		t.Errorf("the message names %q", read.GetData().GetRefUpdate().GetRefName())
	}
}

// verifiers checks that invalid proofs are not verified.
func (s *fixture) verifiers(t *testing.T) {
	key := hex.EncodeToString(schema.RefKey(s.hello, []byte("v1")))
	for name, edit := range map[string]map[string]any{
		"good":         {"key": key},
		"another root": {"key": key, "root": anID},
		"another row":  {"key": hex.EncodeToString(schema.RefKey(s.hello, []byte("v2")))},
		"early block":  {"key": key, "block_number": "1", "root": nil},
	} {
		result := s.gateway.post(t, "/v1/proofs/verify/operation", s.edited(t, "/v1/proofs/operation/"+key, edit))
		if result.at("valid") != (name == "good") || (result.at("error") == nil) != (name == "good") {
			t.Errorf("%s: %s", name, result.Body)
		}
	}
	s.gateway.post(t, "/v1/proofs/verify/operation", s.edited(t, "/v1/proofs/operation/"+key, map[string]any{"key": key, "block_number": "99999999"})).
		wantProblem(t, http.StatusNotFound, "not_found")
	misspelt := s.gateway.post(t, "/v1/proofs/verify/storage-quota", []byte(`{"quota_proof":{}}`))
	misspelt.wantProblem(t, http.StatusUnprocessableEntity, "schema")
}

// writes submits messages as JSON and as protobuf, single and in a batch, and waits for one.
func (s *fixture) writes(t *testing.T) {
	asJSON := func(m *message.Envelope) []byte {
		written, err := jsonform.Marshal(m.Proto())
		if err != nil {
			t.Fatal(err)
		}
		return written
	}
	first := s.alice.Sign(message.RefUpdate(s.hello, "one", message.RefMove{New: s.commits[0].Hash, Nonce: 1}))
	second := s.alice.Sign(message.RefUpdate(s.hello, "two", message.RefMove{New: s.commits[0].Hash, Nonce: 1}))
	if dry := s.gateway.post(t, "/v1/messages/dry-run", asJSON(first)); dry.Code != http.StatusOK || dry.at("would_accept") != true {
		t.Errorf("dry run: %s", dry.Body)
	}
	waited := s.gateway.post(t, "/v1/messages?wait=committed&timeout_ms=30000", asJSON(first))
	if waited.Code != http.StatusOK || waited.at("accepted") != true || waited.at("hash") != first.Hash.String() || waited.at("block_number") == "0" {
		t.Errorf("waited: %s", waited.Body)
	}
	if read := s.gateway.get(t, "/v1/messages/"+first.Hash.String()); read.at("block_number") != waited.at("block_number") {
		t.Errorf("read %s\nwaited %s", read.Body, waited.Body)
	}
	protobuf := http.Header{"Content-Type": {"application/x-protobuf"}}
	encoded, err := proto.Marshal(second.Proto())
	if err != nil {
		t.Fatal(err)
	}
	if raw := s.gateway.do(t, http.MethodPost, "/v1/messages", encoded, protobuf); raw.at("accepted") != true || raw.at("hash") != second.Hash.String() {
		t.Errorf("protobuf: %s", raw.Body)
	}
	third := s.alice.Sign(message.RefUpdate(s.hello, "three", message.RefMove{New: s.commits[0].Hash, Nonce: 1}))
	fourth := s.alice.Sign(message.RefUpdate(s.hello, "four", message.RefMove{New: s.commits[0].Hash, Nonce: 1}))
	refused := s.alice.Sign(message.RefDelete(s.hello, "none", ident.Hash{}, 1))
	batch, err := proto.Marshal(&pb.BatchSubmitRequest{Messages: []*pb.Message{fourth.Proto(), refused.Proto()}})
	if err != nil {
		t.Fatal(err)
	}
	for name, answer := range map[string]*answer{
		"JSON": s.gateway.post(t, "/v1/messages/batch", []byte(`{"messages":[`+string(asJSON(third))+`,`+string(asJSON(refused))+`]}`)),
		"raw":  s.gateway.do(t, http.MethodPost, "/v1/messages/batch", batch, protobuf),
	} {
		if answer.at("accepted_count") != float64(1) || answer.at("rejected_count") != float64(1) {
			t.Errorf("batch of %s: %s", name, answer.Body)
		}
	}
	s.MustCommit(t, second, third, fourth)
}

// conflicts checks compare-and-swap conflicts, with and without strict.
func (s *fixture) conflicts(t *testing.T) {
	stale := s.alice.Sign(message.RefUpdate(s.hello, "v1", message.RefMove{Type: pb.RefType_REF_TYPE_TAG, New: s.commits[0].Hash, Nonce: 1}))
	moved := s.alice.Sign(message.RefUpdate(s.hello, "v1", message.RefMove{
		Type: pb.RefType_REF_TYPE_TAG, Old: s.commits[0].Hash, New: s.commits[1].Hash, Nonce: 2,
	}))
	absent := s.alice.Sign(message.RefDelete(s.hello, "none", ident.Hash{}, 1))
	for _, c := range []struct {
		m      *message.Envelope
		code   string
		status int
	}{
		{stale, "ref_nonce_mismatch", http.StatusConflict},
		{moved, "ref_hash_mismatch", http.StatusConflict},
		{absent, "not_found", http.StatusOK},
	} {
		body, err := jsonform.Marshal(c.m.Proto())
		if err != nil {
			t.Fatal(err)
		}
		lenient := s.gateway.post(t, "/v1/messages", body)
		if lenient.Code != http.StatusOK || lenient.at("accepted") != false || lenient.at("code") != c.code {
			t.Errorf("%s: %d %s", c.code, lenient.Code, lenient.Body)
		}
		strict := s.gateway.post(t, "/v1/messages?strict=true", body)
		if c.status == http.StatusConflict {
			strict.wantProblem(t, http.StatusConflict, c.code)
		} else if strict.Body.String() != lenient.Body.String() {
			t.Errorf("%s, strictly: %s", c.code, strict.Body)
		}
	}
}

// anotherChain submits a message of one chain to another one of the same network, where it has the same hash.
func (s *fixture) anotherChain(t *testing.T) {
	read := s.gateway.get(t, "/v1/messages/"+s.key.Hash.String()).Body.Bytes()
	other := nodetest.Start(t, t.TempDir())
	answer := newRemoteGateway(t, other.Client).post(t, "/v1/messages?wait=committed", read)
	if answer.at("accepted") != true || answer.at("hash") != s.key.Hash.String() {
		t.Errorf("on another chain: %s", answer.Body)
	}
}

// paging reads all pages of a list while it grows.
func (s *fixture) paging(t *testing.T) {
	const items, pageSize = 1_000, 37
	project := s.send(t, s.bob, message.ProjectCreate("long", pb.Visibility_VISIBILITY_PUBLIC, "", "")).Hash
	wanted := newCommits(t, items, s.bob.Address())
	for begin := 0; begin < items; begin += 100 {
		s.send(t, s.bob, message.CommitBundle(project, message.Content{}, wanted[begin:begin+100]...))
	}
	seen, cursor := map[string]int{}, ""
	for pages := 0; ; pages++ {
		page := s.gateway.get(t, fmt.Sprintf("%s/commits?limit=%d&cursor=%s", s.project(project), pageSize, cursor))
		commits, _ := page.at("commits").([]any)
		for _, commit := range commits {
			seen[(&answer{value: commit}).at("commit", "hash").(string)]++
		}
		if cursor, _ = page.at("next_cursor").(string); cursor == "" {
			break
		}
		if pages%5 == 0 {
			s.send(t, s.bob, message.CommitBundle(project, message.Content{}, newCommits(t, 3, s.bob.Address())...))
		}
	}
	for _, commit := range wanted {
		if seen[commit.Hash.String()] != 1 {
			t.Errorf("commit %s was listed %d times", commit.Hash, seen[commit.Hash.String()])
		}
	}
	for hash, times := range seen {
		if times != 1 {
			t.Errorf("%s was listed %d times", hash, times)
		}
	}
}
