package rpc_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"makechain/internal/rpc"
	"makechain/internal/schema"
)

// corruption replaces the rows with a prefix.
type corruption struct {
	name   string
	prefix byte
	key    func([]byte) []byte
	value  func([]byte) []byte
}

// corrupted is a snapshot with a corruption.
type corrupted struct {
	rpc.Snapshot
	corruption
}

func (d corrupted) Get(key []byte) ([]byte, error) {
	value, err := d.Snapshot.Get(key)
	if value != nil && key[0] == d.prefix && d.value != nil {
		value = d.value(value)
	}
	return value, err
}

func (d corrupted) Scan(lower, upper []byte, visit func(key, value []byte) bool) error {
	return d.Snapshot.Scan(lower, upper, func(key, value []byte) bool {
		if key[0] == d.prefix && d.key != nil {
			key = d.key(key)
		}
		if key[0] == d.prefix && d.value != nil {
			value = d.value(value)
		}
		return visit(key, value)
	})
}

// corruptions returns corruptions of the rows with a prefix.
func corruptions(prefix byte) []corruption {
	return []corruption{
		{name: "not a row", prefix: prefix, value: func([]byte) []byte { return bytes.Repeat([]byte{0xFF}, 9) }},
		{name: "short ids", prefix: prefix, value: func([]byte) []byte { return []byte("\x0a\x03abc") }},
		{name: "long ids", prefix: prefix, value: func([]byte) []byte { return append([]byte{0x0a, 40}, make([]byte, 40)...) }},
		{name: "short keys", prefix: prefix, key: func(key []byte) []byte { return key[:len(key)-1] }},
	}
}

// serveDirectly calls a method without a server, so that the test observes panics.
func (n *node) serveDirectly(method string, req proto.Message) (status int, body string, panicked any) {
	n.Helper()
	encoded, err := proto.Marshal(req)
	if err != nil {
		n.Fatal(err)
	}
	request := httptest.NewRequestWithContext(n.Context(), http.MethodPost, "/makechain.MakechainService/"+method, bytes.NewReader(encoded))
	request.Header.Set("Content-Type", "application/proto")
	recorder := httptest.NewRecorder()
	defer func() { panicked = recover() }()
	n.handler.ServeHTTP(recorder, request)
	return recorder.Code, recorder.Body.String(), nil
}

// TestCorruptRows checks that with corrupt rows no call panics or blames the client, and that a row that cannot be decoded
// is not skipped.
//
// Rules: I10.
func TestCorruptRows(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("reads every method for every row")
	}
	s := newPopulated(t)
	wrong := corruption{}
	latest := s.service.Latest
	s.service.Latest = func() rpc.Snapshot { return corrupted{latest(), wrong} }
	examples := slices.DeleteFunc(s.examples(), func(q example) bool { // these read nothing through the service's snapshot
		return strings.HasPrefix(q.method, "Subscribe") || strings.Contains(q.method, "Submit") || q.method == "DryRunMessage"
	})
	intact := map[string]string{}
	for _, q := range examples {
		_, intact[q.key()], _ = s.serveDirectly(q.method, q.req)
	}
	for prefix := range byte(lastIndexPrefix + 1) {
		for _, wrong = range corruptions(prefix) {
			failed := false
			for _, q := range examples {
				status, body, panicked := s.serveDirectly(q.method, q.req)
				switch {
				case panicked != nil:
					t.Errorf("%02x with %s: %s panics: %v", prefix, wrong.name, q.method, panicked)
				case status == http.StatusInternalServerError:
					failed = true
				case status != http.StatusOK && status != http.StatusNotFound:
					t.Errorf("%02x with %s: %s returns %d: %s", prefix, wrong.name, q.method, status, body)
				case wrong.name == "not a row" && body != intact[q.key()] && !provesRows(q.method):
					t.Errorf("%02x with %s: %s returns a response: %q", prefix, wrong.name, q.method, body)
				}
			}
			if isRead(prefix) && wrong.name == "not a row" && !failed {
				t.Errorf("%02x with %s: no call fails", prefix, wrong.name)
			}
		}
	}
}

// provesRows reports whether a method returns rows as they are stored, with a proof that clients verify.
func provesRows(method string) bool {
	return strings.Contains(method, "Proof") || method == "ListContent"
}

// lastIndexPrefix is the prefix of the last rows of the index.
const lastIndexPrefix = 0x88

// key identifies an example.
func (q example) key() string { return fmt.Sprint(q.method, q.req) }

// isRead reports whether some response needs the rows with a prefix.
func isRead(prefix byte) bool {
	switch schema.Prefix(prefix) {
	case schema.PrefixTombstone, schema.PrefixPruneMarker, schema.PrefixStorageGrant: // proofs; grants when one has ended
		return false
	case schema.PrefixClaim, schema.PrefixForkParent, schema.PrefixAge, schema.PrefixMergeRequestPair: // the ledger's own
		return false
	case schema.PrefixValidators, schema.PrefixSettlement, schema.PrefixRules: // proofs
		return false
	default:
		return schema.Prefix(prefix).Merkleized()
	}
}
