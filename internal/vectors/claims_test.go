package vectors

import (
	"crypto/ed25519"
	"slices"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/custody"
	"makechain/internal/ident"
	"makechain/message"
)

type ethClaimVector struct {
	Name      string   `json:"name"`
	Network   string   `json:"network"`
	ChainID   uint64   `json:"chain_id"`
	Owner     hexBytes `json:"owner"`
	Address   hexBytes `json:"address"`
	Digest    hexBytes `json:"digest"`
	Signature hexBytes `json:"signature"`
	Valid     bool     `json:"valid"`
}

type solClaimVector struct {
	Name      string   `json:"name"`
	Network   string   `json:"network"`
	Owner     hexBytes `json:"owner"`
	Text      string   `json:"text"`
	Address   hexBytes `json:"address"`
	Signature hexBytes `json:"signature"`
	Valid     bool     `json:"valid"`
}

type settlementVector struct {
	Name                string     `json:"name"`
	Network             pb.Network `json:"network"`
	ChainID             string     `json:"chain_id"`
	SettlementChainID   uint64     `json:"settlement_chain_id"`
	Contract            hexBytes   `json:"contract"`
	TxHash              hexBytes   `json:"tx_hash"`
	LogIndex            uint32     `json:"log_index"`
	ClaimID             hexBytes   `json:"claim_id"`
	Owner               hexBytes   `json:"owner"`
	Actor               hexBytes   `json:"actor"`
	Units               uint32     `json:"units"`
	SettlementTimestamp uint64     `json:"settlement_timestamp"`
	Digest              hexBytes   `json:"digest"`
	Attester            hexBytes   `json:"attester"`
	Signature           hexBytes   `json:"signature"`
	Valid               bool       `json:"valid"`
}

// namedNetworks returns the networks with their names in claims.
func namedNetworks() []struct {
	name    string
	network pb.Network
} {
	return []struct {
		name    string
		network pb.Network
	}{
		{"mainnet", pb.Network_NETWORK_MAINNET}, {"testnet", pb.Network_NETWORK_TESTNET}, {"devnet", pb.Network_NETWORK_DEVNET},
	}
}

func ethClaims(t *testing.T) []ethClaimVector {
	t.Helper()
	owner, stranger := someAddress("an owner"), someAddress("a stranger")
	wallets := []struct {
		name string
		custody.Wallet
	}{
		{"secp256k1", secp256k1Wallet(t, "a wallet")}, {"p256", p256Wallet(t, "a platform key")}, {"webauthn", webAuthnWallet(t, "a platform key")},
	}
	var list []ethClaimVector
	for _, n := range namedNetworks() {
		claim := func(name string, address ident.Address, signature []byte, valid bool) {
			digest := must[[32]byte](t)(custody.EthClaimDigest(n.network, owner, address))
			if err := custody.VerifyEthClaim(n.network, owner, address, signature); (err == nil) != valid {
				t.Errorf("eth claim %s on %s: %v", name, n.name, err)
			}
			list = append(list, ethClaimVector{
				name + " on " + n.name, n.name, custody.HostChainID(n.network), owner[:], address[:], digest[:], signature, valid,
			})
		}
		sign := func(w custody.Wallet, network pb.Network, owner, address ident.Address) []byte {
			digest := must[[32]byte](t)(custody.EthClaimDigest(network, owner, address))
			return must[[]byte](t)(w.Sign(digest))
		}
		for _, w := range wallets {
			good := sign(w, n.network, owner, w.KeyID())
			claim(w.name, w.KeyID(), good, true)
			claim(w.name+" in a wrapper", w.KeyID(), custody.Wrap(w.KeyID(), good), false)
			claim(w.name+" for another owner", w.KeyID(), sign(w, n.network, stranger, w.KeyID()), false)
			claim(w.name+" claiming the address of another", stranger, sign(w, n.network, owner, stranger), false)
			claim(w.name+" signed for another network", w.KeyID(), sign(w, n.network%3+1, owner, w.KeyID()), false)
		}
	}
	return list
}

func solClaims(t *testing.T) []solClaimVector {
	t.Helper()
	owner := someAddress("an owner")
	seed := secret("a solana key")
	key := ed25519.NewKeyFromSeed(seed[:])
	address := ident.PublicKey(key[32:])
	var list []solClaimVector
	for _, n := range namedNetworks() {
		text := custody.SolClaimText(n.network, owner)
		good := ed25519.Sign(key, []byte(text))
		flipped := slices.Clone(good)
		flipped[0] ^= 1
		for _, c := range []struct {
			name      string
			signature []byte
			valid     bool
		}{
			{"good", good, true},
			{"one bit flipped", flipped, false},
			{"over another network", ed25519.Sign(key, []byte(custody.SolClaimText(n.network%3+1, owner))), false},
			{"over an address with 0x", ed25519.Sign(key, []byte("makechain:verify:"+n.name+":"+owner.String())), false},
			{"cut off", good[:63], false},
		} {
			if err := custody.VerifySolClaim(n.network, owner, address, c.signature); (err == nil) != c.valid {
				t.Errorf("sol claim %s on %s: %v", c.name, n.name, err)
			}
			list = append(list, solClaimVector{c.name + " on " + n.name, n.name, owner[:], text, address[:], c.signature, c.valid})
		}
	}
	return list
}

// settlementDomain is what the attestations of the vectors are valid for.
func settlementDomain(network pb.Network) message.SettlementDomain {
	return message.SettlementDomain{Network: network, ChainID: "vectors-1", SettlementChainID: 31_337, Contract: someAddress("the contract")}
}

func settlements(t *testing.T) []settlementVector {
	t.Helper()
	owner, stranger := someAddress("an owner"), someAddress("a stranger")
	attester := secret("an attester")
	var list []settlementVector
	for _, n := range namedNetworks() {
		domain := settlementDomain(n.network)
		small := message.Settlement{Units: 1, TxHash: someHash("a payment"), Actor: stranger, Timestamp: now}
		large := message.Settlement{Units: 1<<32 - 1, TxHash: someHash("a payment"), LogIndex: 1<<32 - 1, Actor: stranger, Timestamp: 1 << 40}
		list = append(list,
			settlement(t, "smallest on "+n.name, domain, small, owner, small.Attest(attester, domain, owner), true),
			settlement(t, "largest on "+n.name, domain, large, owner, large.Attest(attester, domain, owner), true),
			settlement(t, "attested for another owner on "+n.name, domain, small, owner, small.Attest(attester, domain, stranger), false),
			settlement(t, "attested for other units on "+n.name, domain, small, owner, large.Attest(attester, domain, owner), false),
		)
		for _, other := range []struct {
			name   string
			change func(*message.SettlementDomain)
		}{
			{"network", func(d *message.SettlementDomain) { d.Network = n.network%3 + 1 }},
			{"chain id", func(d *message.SettlementDomain) { d.ChainID = "vectors-2" }},
			{"settlement chain", func(d *message.SettlementDomain) { d.SettlementChainID = 1 }},
			{"contract", func(d *message.SettlementDomain) { d.Contract = someAddress("another contract") }},
			{"version of the digest", func(d *message.SettlementDomain) { d.V1 = true }},
		} {
			elsewhere := domain
			other.change(&elsewhere)
			list = append(list,
				settlement(t, "attested for another "+other.name+" than on "+n.name, domain, small, owner, small.Attest(attester, elsewhere, owner), false))
		}
	}
	return list
}

func settlement(
	t *testing.T, name string, domain message.SettlementDomain, s message.Settlement, owner ident.Address, a *pb.SettlementAttestation, valid bool,
) settlementVector {
	t.Helper()
	id, digest := s.ClaimID(domain), s.Digest(domain, owner)
	if err := custody.VerifyAttestation(digest, ident.PublicKey(a.GetAttester()), a.GetSignature()); (err == nil) != valid {
		t.Errorf("settlement %s: %v", name, err)
	}
	return settlementVector{
		name, domain.Network, domain.ChainID, domain.SettlementChainID, domain.Contract[:], s.TxHash[:], s.LogIndex, id[:],
		owner[:], s.Actor[:], s.Units, s.Timestamp, digest[:], a.GetAttester(), a.GetSignature(), valid,
	}
}
