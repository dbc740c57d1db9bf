package client_test

import (
	"errors"
	"testing"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/custody"
	"makechain/internal/node/nodetest"
	"makechain/message"
)

// TestAlreadyApplied checks custody messages whose body somebody else submits first in another message.
//
// Rules: P4.9.
func TestAlreadyApplied(t *testing.T) {
	t.Parallel()
	n := newChain(t)
	alice, key := n.alice, message.NewAuthor(nodetest.Random(t), pb.Network_NETWORK_DEVNET, n.alice.Address()).Key()
	wallet, err := custody.NewP256Wallet(nodetest.Random(t))
	if err != nil {
		t.Fatal(err)
	}
	grant := message.SignerGrant{Key: key, Scope: pb.KeyScope_KEY_SCOPE_SIGNING}
	admin := message.CustodyKey{Type: wallet.Type(), PublicKey: wallet.PublicKey(), Admin: true}
	now, used := alice.Now(), alice.Permit()
	n.frontRun(t, alice.Must(alice.SignerAdd(now, grant, used, alice.Root, alice.Root)))
	grant.Scope = pb.KeyScope_KEY_SCOPE_OWNER
	n.refuseAfter(t, "another scope", alice.Must(alice.SignerAdd(now, grant, used, alice.Root, alice.Root)))
	n.frontRun(t, alice.Must(alice.SignerRemove(now, key, alice.Permit(), alice.Root)))
	n.refuseAfter(t, "a key that is still there", alice.Must(alice.SignerRemove(now, alice.Key(), used, alice.Root)))
	n.frontRun(t, alice.Must(alice.KeychainAuthorize(now, admin, alice.Permit(), alice.Root)))
	n.refuseAfter(t, "an active key", alice.Must(alice.KeychainRevoke(now, wallet.KeyID(), used, alice.Root)))
	admin.Admin = false
	n.refuseAfter(t, "other rights", alice.Must(alice.KeychainAuthorize(now, admin, used, alice.Root)))
	n.frontRun(t, alice.Must(alice.KeychainRevoke(now, wallet.KeyID(), alice.Permit(), alice.Root)))
	n.refuseAfter(t, "a revoked key", alice.Must(alice.KeychainAuthorize(now, admin, used, alice.Root)))
}

// frontRun submits the body of a message in a message of another signer, and then the message itself.
func (n *chain) frontRun(t *testing.T, m *message.Envelope) {
	t.Helper()
	ctx, trusting := t.Context(), dial(t, n.GRPCAddr(), client.WithTrust(n.trust))
	nonceUsed := &client.RefusedError{Code: message.CodeCustodyNonceMismatch}
	if applied, err := trusting.AlreadyApplied(ctx, m, nonceUsed); applied || err != nil {
		t.Errorf("%s before the copy: %t, %v", m.Type(), applied, err)
	}
	stranger := message.NewAuthor(nodetest.Random(t), pb.Network_NETWORK_DEVNET, m.Owner)
	again := n.alice.Must(stranger.Sign(m.Data.GetTimestamp()-1, m.Data))
	n.Submit(t, again)
	block, err := trusting.AwaitCommitted(ctx, again.Hash)
	if err != nil {
		t.Fatal(err)
	}
	nodetest.Await(t, "the block of the copy", func() bool {
		return nodetest.Call(t, n.GetNodeStatus, &pb.GetNodeStatusRequest{}).GetCurrentBlock() >= block
	})
	refused := (*client.RefusedError)(nil)
	if err = trusting.Submit(ctx, m); !errors.As(err, &refused) || refused.Code != message.CodeCustodyNonceMismatch {
		t.Fatalf("%s after the copy: %v", m.Type(), err)
	}
	for name, c := range map[string]*client.Client{"with trust": trusting, "without trust": dial(t, n.GRPCAddr())} {
		if applied, err := c.AlreadyApplied(ctx, m, err); !applied || err != nil {
			t.Errorf("%s after the copy, %s: %t, %v", m.Type(), name, applied, err)
		}
	}
	for _, unrelated := range []error{nil, errors.ErrUnsupported, &client.RefusedError{Code: message.CodeMempoolFull}} {
		if applied, err := trusting.AlreadyApplied(ctx, m, unrelated); applied || err != nil {
			t.Errorf("%s after %v: %t, %v", m.Type(), unrelated, applied, err)
		}
	}
}

// refuseAfter submits a message with a used nonce that asks for something else than the state contains.
func (n *chain) refuseAfter(t *testing.T, name string, m *message.Envelope) {
	t.Helper()
	c := dial(t, n.GRPCAddr(), client.WithTrust(n.trust))
	err := c.Submit(t.Context(), m)
	if refused := (*client.RefusedError)(nil); !errors.As(err, &refused) || refused.Code != message.CodeCustodyNonceMismatch {
		t.Fatalf("%s: %v", name, err)
	}
	if applied, err := c.AlreadyApplied(t.Context(), m, err); applied || err != nil {
		t.Errorf("%s: %t, %v", name, applied, err)
	}
}
