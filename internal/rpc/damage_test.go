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

// damage says what is wrong with the rows under a prefix.
type damage struct {
	name   string
	prefix byte
	key    func([]byte) []byte
	value  func([]byte) []byte
}

// damaged is a snapshot with such rows.
type damaged struct {
	rpc.Snapshot
	damage
}

func (d damaged) Get(key []byte) ([]byte, error) {
	value, err := d.Snapshot.Get(key)
	if value != nil && key[0] == d.prefix && d.value != nil {
		value = d.value(value)
	}
	return value, err
}

func (d damaged) Scan(lower, upper []byte, visit func(key, value []byte) bool) error {
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

// damages are ways to break rows under a prefix.
func damages(prefix byte) []damage {
	return []damage{
		{name: "no row", prefix: prefix, value: func([]byte) []byte { return bytes.Repeat([]byte{0xFF}, 9) }},
		{name: "short ids", prefix: prefix, value: func([]byte) []byte { return []byte("\x0a\x03abc") }},
		{name: "long ids", prefix: prefix, value: func([]byte) []byte { return append([]byte{0x0a, 40}, make([]byte, 40)...) }},
		{name: "short keys", prefix: prefix, key: func(key []byte) []byte { return key[:len(key)-1] }},
	}
}

// call asks without a network, so that a panic is one of the test.
func (n *node) call(method string, req proto.Message) (status int, body string, panicked any) {
	n.Helper()
	encoded, err := proto.Marshal(req)
	if err != nil {
		n.Fatal(err)
	}
	request := httptest.NewRequestWithContext(n.Context(), http.MethodPost, "/makechain.MakechainService/"+method, bytes.NewReader(encoded))
	request.Header.Set("Content-Type", "application/proto")
	answer := httptest.NewRecorder()
	defer func() { panicked = recover() }()
	n.handler.ServeHTTP(answer, request)
	return answer.Code, answer.Body.String(), nil
}

// TestDamagedRows asks everything of a state in which the rows of one kind are damaged. No question makes the
// service panic, none is blamed on the client, and a row that cannot be decoded is never left out in silence.
//
// Rules: I10.
func TestDamagedRows(t *testing.T) {
	t.Parallel()
	s := tell(t)
	wrong := damage{}
	whole := s.service.Latest
	s.service.Latest = func() rpc.Snapshot { return damaged{whole(), wrong} }
	questions := slices.DeleteFunc(s.questions(), func(q question) bool { // these read nothing through the service's snapshot
		return strings.HasPrefix(q.method, "Subscribe") || strings.Contains(q.method, "Submit") || q.method == "DryRunMessage"
	})
	sound := map[string]string{}
	for _, q := range questions {
		_, sound[q.key()], _ = s.call(q.method, q.req)
	}
	for prefix := range byte(lastIndexPrefix + 1) {
		for _, wrong = range damages(prefix) {
			noticed := false
			for _, q := range questions {
				status, body, panicked := s.call(q.method, q.req)
				switch {
				case panicked != nil:
					t.Errorf("%02x with %s: %s panics: %v", prefix, wrong.name, q.method, panicked)
				case status == http.StatusInternalServerError:
					noticed = true
				case status != http.StatusOK && status != http.StatusNotFound:
					t.Errorf("%02x with %s: %s answers %d: %s", prefix, wrong.name, q.method, status, body)
				case wrong.name == "no row" && body != sound[q.key()] && !strings.Contains(q.method, "Proof"):
					t.Errorf("%02x with %s: %s answers as if nothing were wrong: %q", prefix, wrong.name, q.method, body)
				}
			}
			if mustBeRead(prefix) && wrong.name == "no row" && !noticed {
				t.Errorf("%02x with %s: nobody noticed", prefix, wrong.name)
			}
		}
	}
}

// lastIndexPrefix begins the last rows of the indexes.
const lastIndexPrefix = 0x88

// key tells questions apart.
func (q question) key() string { return fmt.Sprint(q.method, q.req) }

// mustBeRead says whether some answer needs the rows under a prefix.
func mustBeRead(prefix byte) bool {
	switch schema.Prefix(prefix) {
	case schema.PrefixTombstone, schema.PrefixPruneMarker, schema.PrefixStorageGrant: // proofs; grants when one has ended
		return false
	case schema.PrefixClaim, schema.PrefixForkParent, schema.PrefixAge, schema.PrefixMergeRequestPair: // the ledger's own
		return false
	case schema.PrefixValidators: // proofs
		return false
	default:
		return schema.Prefix(prefix).Merkleized()
	}
}
