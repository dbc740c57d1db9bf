package custody_test

import (
	"bytes"
	stded25519 "crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/custody"
	"makechain/internal/ident"
)

var networks = []pb.Network{
	pb.Network_NETWORK_MAINNET, pb.Network_NETWORK_TESTNET, pb.Network_NETWORK_DEVNET,
}

// TestHostChains checks the chain ids and their shortest encoding.
//
// Rules: P9.10, P5/VERIFICATION_ADD.
func TestHostChains(t *testing.T) {
	t.Parallel()
	cases := []struct {
		network pb.Network
		id      uint64
		bytes   string
	}{
		{pb.Network_NETWORK_NONE, 0, ""},
		{pb.Network_NETWORK_MAINNET, 4217, "1079"},
		{pb.Network_NETWORK_TESTNET, 42431, "a5bf"},
		{pb.Network_NETWORK_DEVNET, 42431, "a5bf"},
		{99, 0, ""},
	}
	for _, c := range cases {
		if got := custody.HostChainID(c.network); got != c.id {
			t.Errorf("%v: chain id %d, want %d", c.network, got, c.id)
		}
		if got := hex.EncodeToString(custody.HostChainIDBytes(c.network)); got != c.bytes {
			t.Errorf("%v: chain id bytes %s, want %s", c.network, got, c.bytes)
		}
	}
}

// TestEthClaimInEveryDirectForm claims the address of each kind of key.
//
// Rules: P9.10.
func TestEthClaimInEveryDirectForm(t *testing.T) {
	t.Parallel()
	owner := ident.Address{1}
	for _, network := range networks {
		for _, kind := range signatureTypes {
			w := newWallet(t, kind, sha256.Sum256([]byte("claimed")))
			claim, err := custody.EthClaimDigest(network, owner, w.KeyID())
			if err != nil {
				t.Fatal(err)
			}
			if err := custody.VerifyEthClaim(network, owner, w.KeyID(), sign(t, w, claim)); err != nil {
				t.Errorf("%v, %v: %v", network, kind, err)
			}
		}
	}
}

// TestEthClaimErrors checks that a good claim is refused for another network, owner or address.
//
// Rules: P9.10, P5/VERIFICATION_ADD.
func TestEthClaimErrors(t *testing.T) {
	t.Parallel()
	const devnet = pb.Network_NETWORK_DEVNET
	w := newWallet(t, pb.CustodySignatureType_CUSTODY_SIGNATURE_TYPE_SECP256K1, sha256.Sum256([]byte("claimed")))
	owner, address := ident.Address{1}, w.KeyID()
	claim, err := custody.EthClaimDigest(devnet, owner, address)
	if err != nil {
		t.Fatal(err)
	}
	good := sign(t, w, claim)
	cases := []struct {
		name           string
		network        pb.Network
		owner, address ident.Address
		sig            []byte
		want           string
	}{
		{"no network", 0, owner, address, good, "has no name"},
		{"unknown network", 4, owner, address, good, "has no name"},
		{"same host chain, other network", pb.Network_NETWORK_TESTNET, owner, address, good, "was signed by"},
		{"other owner", devnet, ident.Address{2}, address, good, "was signed by"},
		{"other address", devnet, owner, ident.Address{2}, good, "was signed by"},
		{"owner and address swapped", devnet, address, owner, good, "was signed by"},
		{"wrapped", devnet, owner, address, custody.Wrap(owner, good), "keychain wrapper"},
		{"no signature", devnet, owner, address, nil, "empty"},
		{"does not recover", devnet, owner, address, with(good, 0, append(make([]byte, 31), 5)...), "no key recovers"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			err := custody.VerifyEthClaim(c.network, c.owner, c.address, c.sig)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

// TestSolClaim signs with the standard library and checks the claim for other networks, owners and addresses.
//
// Rules: P9.10.
func TestSolClaim(t *testing.T) {
	t.Parallel()
	const testnet = pb.Network_NETWORK_TESTNET
	seed := sha256.Sum256([]byte("solana"))
	key := stded25519.NewKeyFromSeed(seed[:])
	address := ident.PublicKey(key.Public().(stded25519.PublicKey))
	owner := ident.Address{0xAB, 0xCD}
	const text = "makechain:verify:testnet:abcd000000000000000000000000000000000000"
	if got := custody.SolClaimText(testnet, owner); got != text {
		t.Fatalf("text %q, want %q", got, text)
	}
	if got := custody.SolClaimText(pb.Network_NETWORK_NONE, owner); got != "" {
		t.Errorf("a network without a name has the text %q", got)
	}
	good := stded25519.Sign(key, []byte(text))
	cases := []struct {
		name    string
		network pb.Network
		owner   ident.Address
		address ident.PublicKey
		sig     []byte
		ok      bool
	}{
		{"good", testnet, owner, address, good, true},
		{"no network", 0, owner, address, stded25519.Sign(key, nil), false},
		{"other network", pb.Network_NETWORK_DEVNET, owner, address, good, false},
		{"other owner", testnet, ident.Address{1}, address, good, false},
		{"other address", testnet, owner, ident.PublicKey(seed), good, false},
		{"changed", testnet, owner, address, flipped(good), false},
		{"short", testnet, owner, address, good[:63], false},
		{"long", testnet, owner, address, append(bytes.Clone(good), 0), false},
		{"empty", testnet, owner, address, nil, false},
	}
	for _, c := range cases {
		if err := custody.VerifySolClaim(c.network, c.owner, c.address, c.sig); (err == nil) != c.ok {
			t.Errorf("%s: error %v, want success %t", c.name, err, c.ok)
		}
	}
}

// TestEd25519FollowsZIP215 checks a signature on which definitions of Ed25519 differ: key and R are the neutral point, R
// in an encoding that is not reduced. ZIP-215 accepts it for every message.
//
// Rules: P2.4, P8.2, P9.10.
func TestEd25519FollowsZIP215(t *testing.T) {
	t.Parallel()
	neutral := ident.PublicKey{0: 1}
	unreduced := append([]byte{0xee}, bytes.Repeat([]byte{0xff}, 30)...)
	sig := append(append(unreduced, 0x7f), make([]byte, 32)...)
	text := custody.SolClaimText(pb.Network_NETWORK_DEVNET, ident.Address{})
	if stded25519.Verify(neutral[:], []byte(text), sig) {
		t.Fatal("the standard library accepts the signature too, so it tests nothing")
	}
	if err := custody.VerifySolClaim(pb.Network_NETWORK_DEVNET, ident.Address{}, neutral, sig); err != nil {
		t.Error(err)
	}
	if err := custody.VerifyAttestation(ident.Hash{}, neutral, sig); err != nil {
		t.Error(err)
	}
}
