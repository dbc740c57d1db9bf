package ledger_test

import (
	"fmt"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/custody"
	"makechain/internal/ledger"
	"makechain/internal/ledgertest"
	"makechain/internal/schema"
	"makechain/message"
)

// TestDelegatedKeyLimit checks the maximum numbers of delegated keys, without and with active storage, and that keys can be
// removed above the limit.
//
// Rules: P4.8.
func TestDelegatedKeyLimit(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("fills a limit")
	}
	w := ledgertest.New(t)
	a := w.Actor("alice")
	key := func(i int) message.PublicKey { return a.With(fmt.Sprintf("key-%d", i)).Key() }
	add := func(i int) *message.Envelope {
		grant := message.SignerGrant{Key: key(i), Scope: pb.KeyScope_KEY_SCOPE_AGENT}
		return made(a.SignerAdd(w.Now(), grant, w.Permit(a.Address), a.Root, a.Root))
	}
	remove := func(i int) *message.Envelope {
		return made(a.SignerRemove(w.Now(), key(i), w.Permit(a.Address), a.Root))
	}
	for i := range ledger.MaxKeysWithoutStorage {
		w.Must(add(i))
	}
	w.MustRefuse(add(ledger.MaxKeysWithoutStorage), message.CodeQuotaExceeded)
	w.Must(remove(7))
	w.Must(add(7))
	w.Fund(a, 1)
	for i := ledger.MaxKeysWithoutStorage; i < ledger.MaxKeys; i++ {
		w.Must(add(i))
	}
	w.MustRefuse(add(ledger.MaxKeys), message.CodeQuotaExceeded)
	w.Must(remove(7))
	w.Must(add(7))
	var row pb.AccountRow
	if w.Load(schema.AccountKey(a.Address), &row); row.GetKeyCount() != ledger.MaxKeys {
		t.Errorf("%d keys", row.GetKeyCount())
	}
	w.SkipTo(ledgertest.Start + message.StorageTerm + 1)
	w.Must(remove(7))
	w.MustRefuse(add(7), message.CodeQuotaExceeded)
	w.Check()
}

// TestCustodyKeyLimit checks the maximum numbers of custody keys, without and with active storage: revoked keys count, and
// keys can be revoked above the limit.
//
// Rules: P4.8, P1.4.
func TestCustodyKeyLimit(t *testing.T) {
	t.Parallel()
	w := ledgertest.New(t)
	a := w.Actor("alice")
	wallet := func(i int) ledgertest.CustodyWallet { return w.Actor(fmt.Sprintf("wallet-%d", i)).Root }
	add := func(i int) *message.Envelope {
		key := message.CustodyKey{Type: wallet(i).Type(), PublicKey: wallet(i).PublicKey(), Admin: true}
		return made(a.KeychainAuthorize(w.Now(), key, w.Permit(a.Address), a.Root))
	}
	revoke := func(i int) *message.Envelope {
		return made(a.KeychainRevoke(w.Now(), w.Actor(fmt.Sprintf("wallet-%d", i)).Address, w.Permit(a.Address), a.Root))
	}
	for i := range ledger.MaxKeysWithoutStorage {
		w.Must(add(i))
	}
	w.Must(revoke(0))
	w.MustRefuse(add(ledger.MaxKeysWithoutStorage), message.CodeQuotaExceeded)
	w.Fund(a, 1)
	w.Must(add(ledger.MaxKeysWithoutStorage))
	w.SkipTo(ledgertest.Start + message.StorageTerm + 1)
	w.MustRefuse(add(ledger.MaxKeysWithoutStorage+1), message.CodeQuotaExceeded)
	w.Must(revoke(ledger.MaxKeysWithoutStorage))
	var row pb.AccountRow
	if w.Load(schema.AccountKey(a.Address), &row); row.GetCustodyKeyCount() != ledger.MaxKeysWithoutStorage+1 {
		t.Errorf("%d custody keys", row.GetCustodyKeyCount())
	}
	// With as many rows as the limit allows, storage does not help.
	row.CustodyKeyCount = ledger.MaxKeys
	if err := w.Rows.Put(schema.AccountKey(a.Address), &row); err != nil {
		t.Fatal(err)
	}
	w.Fund(a, 1)
	w.MustRefuse(add(ledger.MaxKeysWithoutStorage+1), message.CodeQuotaExceeded)
}

// TestCustodyTimes checks that custody operations record the block time: their signatures do not cover the timestamp of the
// message, so anybody can send the body of a pending operation with another one.
//
// Rules: P4.9.
func TestCustodyTimes(t *testing.T) {
	t.Parallel()
	w := ledgertest.New(t)
	a, guest := w.Actor("alice"), w.Actor("guest")
	w.Next(10)
	early := w.Now() - 9
	w.Must(made(a.SignerAdd(early, message.SignerGrant{Key: a.Key()}, w.Permit(a.Address), a.Root, a.Root)))
	key := message.CustodyKey{Type: guest.Root.Type(), PublicKey: guest.Root.PublicKey(), Admin: true}
	w.Must(made(a.KeychainAuthorize(early, key, w.Permit(a.Address), a.Root)))
	added := w.Now()
	w.Next(10)
	w.Must(made(a.KeychainRevoke(early, guest.Address, w.Permit(a.Address), a.Root)))
	var delegated pb.DelegatedKeyRow
	var custodyKey pb.CustodyKeyRow
	w.Load(schema.DelegatedKeyKey(a.Address, a.Key()), &delegated)
	w.Load(schema.CustodyKeyKey(a.Address, guest.Address), &custodyKey)
	if delegated.GetAddedAt() != added || custodyKey.GetAddedAt() != added || custodyKey.GetRevokedAt() != w.Now() {
		t.Errorf("added at %d and %d, revoked at %d; want %d, %d", delegated.GetAddedAt(), custodyKey.GetAddedAt(), custodyKey.GetRevokedAt(), added, w.Now())
	}
}

// TestExpiredCustodyKey checks that an expired admin key is refused. No message can store one, so the test writes the row.
//
// Rules: P4.4.
func TestExpiredCustodyKey(t *testing.T) {
	t.Parallel()
	for distance, applies := range map[uint64]bool{0: false, 1: true} {
		w := ledgertest.New(t)
		a, guest := w.Actor("alice"), w.Actor("guest")
		row := &pb.CustodyKeyRow{
			SignatureType: guest.Root.Type(), PublicKey: guest.Root.PublicKey(), Admin: true,
			ExpiresAt: w.Block.Time + distance, AddedAt: 1, Status: pb.CustodyKeyStatus_CUSTODY_KEY_STATUS_ACTIVE,
		}
		if err := w.Rows.Put(schema.CustodyKeyKey(a.Address, guest.Address), row); err != nil {
			t.Fatal(err)
		}
		custodian := custody.WrappedWallet{Wallet: guest.Root, Account: a.Address}
		m := made(a.SignerAdd(w.Now(), message.SignerGrant{Key: a.Key()}, w.Permit(a.Address), custodian, a.Root))
		if applies {
			w.Must(m)
		} else {
			w.MustRefuse(m, message.CodeCustodyNotAuthorized)
		}
	}
}

// TestNonceGrowsByOne checks that exactly the four custody operations increment the custody nonce.
//
// Rules: P1.5, I5.
func TestNonceGrowsByOne(t *testing.T) {
	t.Parallel()
	base := newStage(t)
	for _, k := range kindsOfMessages() {
		s := base.branch(t)
		a := k.author(s)
		m := k.make(s, a, a.Author)
		before := s.Permit(a.Address).Nonce
		s.Must(m)
		grows := uint64(0)
		switch k.kind {
		case pb.MessageType_MESSAGE_TYPE_SIGNER_ADD, pb.MessageType_MESSAGE_TYPE_SIGNER_REMOVE,
			pb.MessageType_MESSAGE_TYPE_KEYCHAIN_AUTHORIZE, pb.MessageType_MESSAGE_TYPE_KEYCHAIN_REVOKE:
			grows = 1
		}
		if after := s.Permit(a.Address).Nonce; after != before+grows {
			t.Errorf("%s: nonce %d after %d", k.name, after, before)
		}
	}
}

// TestNoMessageChangesOwnership applies every type and checks that no row of another account names the author as its
// owner.
//
// Rules: P1.2.
func TestNoMessageChangesOwnership(t *testing.T) {
	t.Parallel()
	base := newStage(t)
	other := base.guests[roleRead].Address
	for _, k := range kindsOfMessages() {
		s := base.branch(t)
		a := k.author(s)
		before := s.Rows.Clone()
		s.Must(k.make(s, a, a.Author))
		s.Commit()
		err := before.Scan(nil, nil, func(key, value []byte) bool {
			parsed, err := schema.ParseKey(key)
			if err != nil || parsed.Owner != other {
				return true
			}
			after, _ := s.Rows.Get(key)
			if string(after) != string(value) {
				t.Errorf("%s changes row %x of another account", k.name, key)
			}
			return true
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// brokenWallet returns arbitrary bytes as a signature.
type brokenWallet []byte

func (brokenWallet) KeyID() message.Address            { return message.Address{} }
func (w brokenWallet) Sign(_ [32]byte) ([]byte, error) { return w, nil }

// TestBrokenCustodySignatures checks that signatures from which no key can be recovered are refused, also those that the
// stateless checks would have refused.
//
// Rules: P4.4.
func TestBrokenCustodySignatures(t *testing.T) {
	t.Parallel()
	w := ledgertest.New(t)
	a := w.Actor("alice")
	// No point of the curve has the x-coordinate 5; s is 1.
	noPoint := make([]byte, 65)
	noPoint[31], noPoint[63] = 5, 1
	for name, signature := range map[string][]byte{"no point": noPoint, "no form": {0xFF}} {
		m := made(a.SignerAdd(w.Now(), message.SignerGrant{Key: a.Key()}, w.Permit(a.Address), brokenWallet(signature), a.Root))
		_, refusal, err := w.Ledger.Begin(w.Rows, w.Block).Apply(m)
		if err != nil || refusal == nil || refusal.Code != message.CodeBadCustodySignature {
			t.Errorf("%s: %v, error %v", name, refusal, err)
		}
	}
}
