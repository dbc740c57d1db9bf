package custody_test

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	pb "makechain/gen/makechain"
	"makechain/internal/custody"
	"makechain/internal/ident"
)

// signed is a signature and the results expected from it.
type signed struct {
	digest  [32]byte
	wallet  keyedWallet
	account ident.Address
	wrapped bool
	sig     []byte
}

func drawArray(rt *rapid.T, label string) [32]byte {
	return [32]byte(rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(rt, label))
}

func drawSigned(rt *rapid.T) signed {
	kind := rapid.SampledFrom(signatureTypes).Draw(rt, "type")
	secret := drawArray(rt, "secret")
	// This keeps the secret in the range of both curves without a bias towards small numbers.
	secret[0], secret[31] = secret[0]&0x7f, secret[31]|1
	s := signed{digest: drawArray(rt, "digest"), wallet: newWallet(rt, kind, secret)}
	var signer custody.Wallet = s.wallet
	if s.wrapped = rapid.Bool().Draw(rt, "wrapped"); s.wrapped {
		s.account = ident.Address(rapid.SliceOfN(rapid.Byte(), 20, 20).Draw(rt, "account"))
		signer = custody.WrappedWallet{Wallet: s.wallet, Account: s.account}
	}
	if signer.KeyID() != s.wallet.KeyID() {
		rt.Fatalf("wrapping changes the key id")
	}
	s.sig = sign(rt, signer, s.digest)
	return s
}

// TestSignParseRecover signs random digests with random wallets and recovers their keys.
//
// Rules: P4.2, P4.3.
func TestSignParseRecover(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		s := drawSigned(rt)
		parsed, id, err := parseAndRecover(s.sig, s.digest)
		if err != nil {
			rt.Fatalf("%x: %v", s.sig, err)
		}
		if id != s.wallet.KeyID() || parsed.Type() != s.wallet.Type() {
			rt.Fatalf("key id %s of type %v, want %s of %v", id, parsed.Type(), s.wallet.KeyID(), s.wallet.Type())
		}
		if account, wrapped := parsed.Account(); wrapped != s.wrapped || account != s.account {
			rt.Fatalf("account %s (%t), want %s (%t)", account, wrapped, s.account, s.wrapped)
		}
		if !bytes.Equal(parsed.Bytes(), s.sig) {
			rt.Fatalf("encodes to %x, want %x", parsed.Bytes(), s.sig)
		}
	})
}

// TestParseKeepsNoReference checks that a parsed signature does not change with its input.
//
// Rules: P4.2.
func TestParseKeepsNoReference(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		s := drawSigned(rt)
		parsed, err := custody.Parse(s.sig)
		if err != nil {
			rt.Fatalf("%x: %v", s.sig, err)
		}
		clear(s.sig)
		if id, err := parsed.Recover(s.digest); err != nil || id != s.wallet.KeyID() {
			rt.Fatalf("key id %s (%v) after the input changed, want %s", id, err, s.wallet.KeyID())
		}
	})
}

// TestOtherDigestIsRefused checks that a signature does not verify for another digest.
//
// Rules: P4.2, P4.3.
func TestOtherDigestIsRefused(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		s := drawSigned(rt)
		other := drawArray(rt, "other")
		if other == s.digest {
			rt.Skip("the same digest was drawn twice")
		}
		if _, id, err := parseAndRecover(s.sig, other); err == nil && id == s.wallet.KeyID() {
			rt.Fatalf("the signature over %x also holds for %x", s.digest, other)
		}
	})
}

// TestChangedByteIsRefused checks that a signature with one changed byte does not verify. Two changes are allowed:
// the other notation of v, and the wrapper's account, which P4.4 compares with the owner and which must be returned changed.
//
// Rules: P4.2, P4.3.
func TestChangedByteIsRefused(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		s := drawSigned(rt)
		at := rapid.IntRange(0, len(s.sig)-1).Draw(rt, "at")
		mask := rapid.ByteRange(1, 255).Draw(rt, "mask")
		changed := with(s.sig, at, s.sig[at]^mask)
		parsed, id, err := parseAndRecover(changed, s.digest)
		if err != nil || id != s.wallet.KeyID() {
			return
		}
		account, _ := parsed.Account()
		isRecoveryByte := s.wallet.Type() == pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_SECP256K1 && at == len(s.sig)-1
		switch {
		case isRecoveryByte && changed[at]%27 == s.sig[at]%27:
		case s.wrapped && at >= 1 && at <= ident.AddressSize && account != s.account:
		default:
			rt.Fatalf("byte %d changed from 0x%02x to 0x%02x recovers the same key", at, s.sig[at], changed[at])
		}
	})
}

// TestEveryByteIsCovered checks every position, where the property above draws some.
//
// Rules: P4.2, P4.3.
func TestEveryByteIsCovered(t *testing.T) {
	t.Parallel()
	for _, kind := range signatureTypes {
		sig := fixedSignature(t, kind)
		_, want, err := parseAndRecover(sig, digest)
		if err != nil {
			t.Fatal(err)
		}
		for at := range sig {
			_, id, err := parseAndRecover(with(sig, at, sig[at]^0x01), digest)
			if err == nil && id == want {
				t.Errorf("%v: byte %d can change", kind, at)
			}
		}
		for cut := range sig {
			if _, id, err := parseAndRecover(sig[:cut], digest); err == nil && id == want {
				t.Errorf("%v: the first %d bytes suffice", kind, cut)
			}
		}
	}
}

// TestWalletsAreDeterministic checks that two wallets of one secret make the same signatures.
//
// Rules: P4.2.
func TestWalletsAreDeterministic(t *testing.T) {
	t.Parallel()
	for _, kind := range signatureTypes {
		if a, b := fixedSignature(t, kind), fixedSignature(t, kind); !bytes.Equal(a, b) {
			t.Errorf("%v: signatures %x and %x", kind, a, b)
		}
	}
}
