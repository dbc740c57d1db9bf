package message

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	pb "makechain/gen/makechain"
	"makechain/internal/custody"
)

// TestAccountDataBounds checks the field limits of ACCOUNT_DATA.
//
// Rules: P5/ACCOUNT_DATA.
func TestAccountDataBounds(t *testing.T) {
	t.Parallel()
	type body = *pb.AccountDataBody
	set := func(field pb.AccountDataType, value string) func(body) {
		return func(b body) { b.Field, b.Value = field, value }
	}
	checkBounds(t, func() *pb.MessageData { return AccountData(1, "Ada") }, (*pb.MessageData).GetAccountData, []bound[body]{
		{"no field", set(0, "x"), "account_data.field: not set"},
		{"unknown field", set(5, "x"), "account_data.field: 5 is not a known value"},
		{"empty value", set(1, ""), ""},
		{"longest display name", set(1, zeros(32)), ""},
		{"display name too long", set(1, zeros(33)), "account_data.value: 33 bytes, at most 32"},
		{"display name counts bytes", set(1, strings.Repeat("é", 17)), "account_data.value: 34 bytes, at most 32"},
		{"longest avatar", set(2, zeros(500)), ""},
		{"avatar too long", set(2, zeros(501)), "account_data.value: 501 bytes, at most 500"},
		{"longest bio", set(3, zeros(500)), ""},
		{"bio too long", set(3, zeros(501)), "account_data.value: 501 bytes, at most 500"},
		{"longest website", set(4, zeros(500)), ""},
		{"website too long", set(4, zeros(501)), "account_data.value: 501 bytes, at most 500"},
	})
}

// TestUsernames checks the username rules of USERNAME_CREATE and USERNAME_UPDATE.
//
// Rules: P5/USERNAME_CREATE, P5/USERNAME_UPDATE.
func TestUsernames(t *testing.T) {
	t.Parallel()
	only := ", only a-z, 0-9 and inner hyphens"
	for _, c := range []struct{ username, refused string }{
		{"ada", ""},
		{"0-0", ""},
		{"a--b", ""},
		{"a" + zeros(31), ""},
		{"", "0 bytes, at least 3"},
		{"ab", "2 bytes, at least 3"},
		{"a" + zeros(32), "33 bytes, at most 32"},
		{"Ada", "byte 'A' at 0" + only},
		{"adA", "byte 'A' at 2" + only},
		{"-ada", "byte '-' at 0" + only},
		{"ada-", "byte '-' at 3" + only},
		{"a_a", "byte '_' at 1" + only},
		{"a.a", "byte '.' at 1" + only},
		{"a a", "byte ' ' at 1" + only},
		{"ada\n", "byte '\\n' at 3" + only},
		{"adé", "byte 'Ã' at 2" + only},
		{"a`a", "byte '`' at 1" + only},
		{"a:a", "byte ':' at 1" + only},
	} {
		for _, data := range []*pb.MessageData{UsernameCreate(c.username), UsernameUpdate(c.username)} {
			refusal := mustSign(t, data).Validate()
			if c.refused == "" {
				if refusal != nil {
					t.Errorf("%q: %v", c.username, refusal)
				}
				continue
			}
			field := bodyName(data.GetType()) + ".username"
			wantRefusal(t, refusal, Validation, CodeInvalidField, field, field+": "+c.refused)
		}
	}
}

// TestUsernameRegexp compares the username check with the regular expression of the specification.
//
// Rules: P5/USERNAME_CREATE, P5/USERNAME_UPDATE.
func TestUsernameRegexp(t *testing.T) {
	t.Parallel()
	expression := regexp.MustCompile(`^[a-z0-9][a-z0-9-]{1,30}[a-z0-9]$`)
	author := testAuthor(t)
	rapid.Check(t, func(t *rapid.T) {
		username := rapid.OneOf(rapid.StringMatching(`[a-z0-9-]{0,36}`), rapid.StringMatching(`[a-cA-C0-2_.é-]{2,5}`)).Draw(t, "username")
		e, err := author.Sign(testTime, UsernameCreate(username))
		if err != nil {
			t.Fatal(err)
		}
		if refusal := e.Validate(); (refusal == nil) != expression.MatchString(username) {
			t.Fatalf("%q: %v", username, refusal)
		}
	})
}

// TestEthVerificationBounds checks the field limits of VERIFICATION_ADD for Ethereum addresses.
//
// Rules: P5/VERIFICATION_ADD.
func TestEthVerificationBounds(t *testing.T) {
	t.Parallel()
	type body = *pb.VerificationAddBody
	good := func() *pb.MessageData { return must(testAuthor(t).EthVerification(testTime, rootWallet(t)))(t).Data }
	chain := func(id string) func(body) { return func(b body) { b.ChainId = []byte(id) } }
	sign := func(wallet Wallet) func(body) {
		return func(b body) {
			signature, err := wallet.Sign([32]byte{1})
			if err != nil {
				t.Error(err)
			}
			b.ClaimSignature = signature
		}
	}
	checkBounds(t, good, (*pb.MessageData).GetVerificationAdd, []bound[body]{
		{"no type", func(b body) { b.VerificationType = 0 }, "verification_add.verification_type: not set"},
		{"unknown type", func(b body) { b.VerificationType = 3 }, "verification_add.verification_type: 3 is not a known value"},
		{"no address", func(b body) { b.Address = nil }, "verification_add.address: 0 bytes, want 20"},
		{"long address", func(b body) { b.Address = make([]byte, 32) }, "verification_add.address: 32 bytes, want 20"},
		{"no chain", chain(""), "verification_add.chain_id: 0x, want 0xa5bf"},
		{"other chain", chain("\x10\x79"), "verification_add.chain_id: 0x1079, want 0xa5bf"},
		{"chain with a leading zero", chain("\x00\xa5\xbf"), "verification_add.chain_id: 0x00a5bf, want 0xa5bf"},
		{"no signature", func(b body) { b.ClaimSignature = nil }, "verification_add.claim_signature: 0 bytes, at least 1"},
		{"signature too long", func(b body) { b.ClaimSignature = make([]byte, 16_385) }, "verification_add.claim_signature: 16385 bytes, at most 16384"},
		{"signature of an unknown form", func(b body) { b.ClaimSignature = []byte{9, 9} }, "verification_add.claim_signature: unknown signature form 0x09 of 2 bytes"},
		{"webauthn", sign(passkey(t)), ""},
		{
			"wrapped", sign(custody.WrappedWallet{Wallet: rootWallet(t), Account: stranger}),
			"verification_add.claim_signature: in a keychain wrapper, want a direct signature",
		},
	})
}

// TestEthVerificationOnMainnet checks that the chain id must be that of the message's network.
//
// Rules: P5/VERIFICATION_ADD.
func TestEthVerificationOnMainnet(t *testing.T) {
	t.Parallel()
	author := NewAuthor(Seed{1}, pb.Network_NETWORK_MAINNET, stranger)
	e := must(author.EthVerification(testTime, rootWallet(t)))(t)
	if got := string(e.Data.GetVerificationAdd().GetChainId()); got != "\x10\x79" {
		t.Errorf("chain id %x, want 1079", got)
	}
	if refusal := e.Validate(); refusal != nil {
		t.Error(refusal)
	}
}

// TestSolVerificationBounds checks the field limits of VERIFICATION_ADD for Solana addresses.
//
// Rules: P5/VERIFICATION_ADD.
func TestSolVerificationBounds(t *testing.T) {
	t.Parallel()
	type body = *pb.VerificationAddBody
	good := func() *pb.MessageData { return must(testAuthor(t).SolVerification(testTime, Seed{8}))(t).Data }
	checkBounds(t, good, (*pb.MessageData).GetVerificationAdd, append([]bound[body]{
		{"short address", func(b body) { b.Address = stranger[:] }, "verification_add.address: 20 bytes, want 32"},
		{"short signature", func(b body) { b.ClaimSignature = b.ClaimSignature[1:] }, "verification_add.claim_signature: 63 bytes, want 64"},
		{"long signature", func(b body) { b.ClaimSignature = make([]byte, 65) }, "verification_add.claim_signature: 65 bytes, want 64"},
		{"a chain", func(b body) { b.ChainId = []byte{1} }, "verification_add.chain_id: 1 bytes, at most 0"},
	}, smallOrderBounds(t, "verification_add.address", func(b body, key []byte) { b.Address = key })...))
}

// TestVerificationRemoveBounds checks the field limits of VERIFICATION_REMOVE.
//
// Rules: P5/VERIFICATION_REMOVE.
func TestVerificationRemoveBounds(t *testing.T) {
	t.Parallel()
	type body = *pb.VerificationRemoveBody
	address := func(n int) func(body) { return func(b body) { b.Address = make([]byte, n) } }
	checkBounds(t, func() *pb.MessageData { return VerificationRemove(stranger[:]) }, (*pb.MessageData).GetVerificationRemove, []bound[body]{
		{"one byte", address(1), ""},
		{"longest", address(128), ""},
		{"none", address(0), "verification_remove.address: 0 bytes, at least 1"},
		{"too long", address(129), "verification_remove.address: 129 bytes, at most 128"},
	})
}
