package rpc_test

import (
	"bytes"
	"context"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	pb "makechain/gen/makechain"
	"makechain/internal/ledgertest"
	"makechain/message"
)

// notLists returns the methods with a repeated message in their response that is not a list, each with the reason.
func notLists() map[string]string {
	return map[string]string{
		"BatchSubmitMessages":  "one result per message of the request",
		"GetAccount":           "ListKeys, ListCustodyKeys and ListVerifications are the lists",
		"GetAccountByKey":      "as GetAccount",
		"GetMempoolInfo":       "one count per message type",
		"GetStorageQuotaProof": "one proof of all active grants",
	}
}

// TestListsHaveCursors checks that every unary method whose response has a repeated message is a list with a limit and
// cursors, and that TestEveryList reads it.
//
// Rules: P10.8.
func TestListsHaveCursors(t *testing.T) {
	t.Parallel()
	read := map[string]bool{}
	for _, l := range (&large{node: newNode(t, setup{}), alice: new(ledgertest.Actor)}).lists() {
		read[l.method] = true
	}
	exceptions := notLists()
	for i := range methods().Len() {
		m := methods().Get(i)
		name := string(m.Name())
		if m.IsStreamingServer() || !hasRepeatedMessage(m.Output()) {
			continue
		}
		if _, isException := exceptions[name]; isException {
			delete(exceptions, name)
			continue
		}
		for field, in := range map[protoreflect.Name]protoreflect.MessageDescriptor{
			"limit": m.Input(), "cursor": m.Input(), "next_cursor": m.Output(),
		} {
			if in.Fields().ByName(field) == nil {
				t.Errorf("%s is a list, but %s has no field %s", name, in.Name(), field)
			}
		}
		if !read[name] {
			t.Errorf("TestEveryList does not read %s", name)
		}
	}
	for name := range exceptions {
		t.Errorf("%s is not a method with a repeated message", name)
	}
}

func hasRepeatedMessage(m protoreflect.MessageDescriptor) bool {
	for i := range m.Fields().Len() {
		if fd := m.Fields().Get(i); fd.IsList() && fd.Message() != nil {
			return true
		}
	}
	return false
}

// TestEveryList reads every list of the service with several limits while items are added between the pages. Each item
// that existed at the start must be returned exactly once.
//
// Rules: P10.8.
func TestEveryList(t *testing.T) {
	t.Parallel()
	c := newLarge(t)
	for _, l := range c.lists() {
		c.walk(t, l.method, l.req, l.total)
	}
	limits := []uint32{1, 2, 7, 200}
	if testing.Short() {
		limits = []uint32{7, 200}
	}
	for _, l := range c.lists() {
		for _, requested := range limits {
			req := with(l.req, "limit", requested)
			start := c.pages(t, l.method, with(l.req, "limit", uint32(200)), nil)
			end := c.pages(t, l.method, req, c.addItems)
			returned := map[string]int{}
			for _, item := range end {
				returned[item]++
			}
			for _, item := range start {
				if returned[item] != 1 {
					t.Errorf("%s(%v) returns an item %d times", l.method, req, returned[item])
				}
				delete(returned, item)
			}
			for _, count := range returned { // items that were added
				if count != 1 {
					t.Errorf("%s(%v) returns a new item %d times", l.method, req, count)
				}
			}
		}
	}
}

// walk reads all pages of a list and checks that there is no duplicate, that the total matches, and that the last page is
// not empty.
func (n *node) walk(t *testing.T, method string, req proto.Message, total int) {
	t.Helper()
	all := n.pages(t, method, req, nil)
	if distinct := len(slices.Compact(slices.Sorted(slices.Values(all)))); len(all) != total || distinct != total {
		t.Errorf("%s(%v) returns %d items, %d different ones, want %d", method, req, len(all), distinct, total)
	}
}

// pages returns the identities of all items of a list. It calls between, if set, after the first page.
func (n *node) pages(t *testing.T, method string, req proto.Message, between func()) []string {
	t.Helper()
	var all []string
	call := reflect.ValueOf(n.service).MethodByName(method)
	request := reflect.New(call.Type().In(1).Elem())
	for {
		request.Elem().FieldByName("Msg").Set(reflect.ValueOf(req))
		results := call.Call([]reflect.Value{reflect.ValueOf(context.Background()), request})
		if err, failed := reflect.TypeAssert[error](results[1]); failed {
			t.Fatalf("%s(%v): %v", method, req, err)
		}
		answer := results[0].Elem().FieldByName("Msg").Interface().(proto.Message)
		page := items(answer)
		for _, item := range page {
			all = append(all, identity(t, item))
		}
		if len(page) == 0 {
			t.Fatalf("%s(%v) returns an empty page", method, req)
		}
		next := nextCursor(answer)
		if len(next) == 0 {
			return all
		}
		if between != nil {
			between()
			between = nil
		}
		req = with(req, "cursor", bytes.Clone(next))
	}
}

// identity returns the part of an item that does not change while other items are added.
func identity(t *testing.T, item proto.Message) string {
	t.Helper()
	switch item := item.(type) {
	case *pb.GetProjectResponse:
		return string(item.GetProjectId())
	case *pb.GetRefResponse:
		return string(item.GetRefName())
	case *pb.RefLogEntry:
		return strconv.FormatUint(item.GetNonce(), 10)
	case *pb.AccountSummary:
		return string(item.GetOwnerAddress())
	case *pb.GetBlockResponse:
		return string(item.GetBlock().GetHash())
	case *pb.RangeProofEntry:
		return string(item.GetKey())
	}
	encoded, err := proto.MarshalOptions{Deterministic: true}.Marshal(item)
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded)
}

// count returns the number of committed messages that match.
func (c *large) count(matches func(*message.Envelope) bool) (count int) {
	c.Helper()
	for _, txs := range c.blocks.txs {
		for _, tx := range txs {
			m, refusal := message.Decode(tx)
			if refusal != nil {
				c.Fatal(refusal)
			}
			if matches(m) {
				count++
			}
		}
	}
	return count
}

// addItems adds an item to every list except the refs, of which the project has the maximum.
func (c *large) addItems() {
	c.Helper()
	c.added++
	name := fmt.Sprintf("more-%03d", c.added)
	person, commit := c.actor("person-"+name), ledgertest.Hash("commit "+name)
	wallet, err := ledgertest.NewWallet(pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_SECP256K1, name)
	if err != nil {
		c.Fatal(err)
	}
	grant := message.SignerGrant{Key: c.alice.With(name).Key(), Scope: pb.KeyScope_KEY_SCOPE_SIGNING}
	key := message.CustodyKey{Type: wallet.Type(), PublicKey: wallet.PublicKey()}
	closed := c.request("closed " + name)
	c.must(append(c.join(person, 1),
		c.sign(person, message.Follow(c.alice.Address)), c.sign(person, message.Star(c.project)), c.sign(person, message.Like(c.project, c.first)),
		c.sign(c.alice, message.Follow(person.Address)),
		c.sign(c.alice, message.CollaboratorAdd(c.project, person.Address, pb.Permission_PERMISSION_READ)),
		c.made(c.alice.SignerAdd(c.stamp(), grant, c.permit(c.alice), c.alice.Root, c.alice.Root)),
		c.made(c.alice.KeychainAuthorize(c.stamp(), key, c.permit(c.alice), c.alice.Root)),
		c.made(c.alice.EthVerification(c.stamp(), wallet)),
		c.create(c.alice, "project-"+name),
		c.sign(c.alice, message.CommitBundle(c.project, message.Content{}, ledgertest.NewCommit(commit, c.first))),
		c.sign(c.alice, message.RefUpdate(c.project, "busy", message.RefMove{New: c.first, Nonce: uint64(many + c.added), Force: true})),
		c.request(name), closed,
	)...)
	c.must(c.sign(c.alice, message.Like(c.project, commit)), c.sign(c.alice, message.MergeRequestRemove(c.project, closed.Hash)))
}
