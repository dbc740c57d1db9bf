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

// TestDelegatedKeyLimit checks the maximum number of delegated keys, and that removing one allows another.
//
// Rules: P4.8.
func TestDelegatedKeyLimit(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("fills a limit")
	}
	w := ledgertest.New(t)
	a := w.Actor("alice")
	add := func(i int) *message.Envelope {
		grant := message.SignerGrant{Key: a.With(fmt.Sprintf("key-%d", i)).Key(), Scope: pb.KeyScope_KEY_SCOPE_AGENT}
		return made(a.SignerAdd(w.Now(), grant, w.Permit(a.Address), a.Root, a.Root))
	}
	for i := range ledger.MaxDelegatedKeys {
		w.Must(add(i))
	}
	w.MustRefuse(add(ledger.MaxDelegatedKeys), message.CodeQuotaExceeded)
	w.Must(made(a.SignerRemove(w.Now(), a.With("key-7").Key(), w.Permit(a.Address), a.Root)))
	w.Must(add(ledger.MaxDelegatedKeys))
	var row pb.AccountRow
	if w.Load(schema.AccountKey(a.Address), &row); row.GetKeyCount() != ledger.MaxDelegatedKeys {
		t.Errorf("%d keys", row.GetKeyCount())
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
