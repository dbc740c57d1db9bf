package ledgertest

import (
	"strconv"

	"github.com/oasisprotocol/curve25519-voi/primitives/ed25519"

	pb "makechain/gen/makechain"
	"makechain/internal/custody"
	"makechain/message"
)

// custody returns a message that a custody key must sign.
func (s *scenario) custody(l *line, by *Actor, author *message.Author, at uint32) (*message.Envelope, error) {
	permit, custodian := s.permit(l, by), s.custodian(l, "by", by)
	switch l.verb {
	case "signer-add":
		return s.signerAdd(l, by, author, at, permit, custodian)
	case "signer-remove":
		return author.SignerRemove(at, by.With(l.need("key")).Key(), permit, custodian)
	}
	name := l.wallet("key")
	wallet, err := s.wallet(name, by)
	if err != nil {
		return nil, err
	}
	if l.verb == "keychain-revoke" {
		return author.KeychainRevoke(at, wallet.KeyID(), permit, custodian)
	}
	return author.KeychainAuthorize(at, message.CustodyKey{
		Type: name.kind, PublicKey: wallet.PublicKey(), Admin: l.has("admin"),
		ExpiresAt: l.time("expires", s.Block.Time, 0),
	}, permit, custodian)
}

func (s *scenario) signerAdd(
	l *line, by *Actor, author *message.Author, at uint32, permit message.Permit, custodian message.Wallet,
) (*message.Envelope, error) {
	keyOf := s.actor(l.text("key-of", by.Name))
	key := l.need("key")
	s.registerKey(keyOf, key)
	requester := s.actor(l.text("requester", by.Name))
	grant := message.SignerGrant{
		Key: keyOf.With(key).Key(), Scope: pb.KeyScope(l.enum("scope", "KEY_SCOPE_", pb.KeyScope_value)), Requester: requester.Address,
	}
	for _, project := range l.list("projects") {
		h, err := s.hash(project)
		if err != nil {
			return nil, err
		}
		grant.AllowedProjects = append(grant.AllowedProjects, h)
	}
	return author.SignerAdd(at, grant, permit, custodian, s.custodian(l, "request-by", requester))
}

// permit parses nonce and window, which are valid by default.
func (s *scenario) permit(l *line, by *Actor) message.Permit {
	permit := s.Permit(by.Address)
	permit.Nonce = l.number("nonce", permit.Nonce)
	permit.ValidAfter = l.time("after", s.Block.Time, permit.ValidAfter)
	permit.ValidBefore = l.time("before", s.Block.Time, permit.ValidBefore)
	permit.Witness = []byte(l.text("witness", ""))
	return permit
}

// custodian parses the key that signs for an account: its root, another account's root ("bob") or a custody key
// ("p256:phone"). By default a custody key signs in the account's wrapper and a root without one; "<argument>-for" names
// another account for the wrapper, or "none".
func (s *scenario) custodian(l *line, argument string, owner *Actor) message.Wallet {
	var wallet custody.Wallet = owner.Root
	account := nothing
	switch name := l.text(argument, ""); {
	case name == "":
	case s.isActor(name):
		wallet = s.actor(name).Root
	default:
		w, err := s.wallet(l.wallet(argument), owner)
		if err != nil {
			l.fail("%s: %v", argument, err)
			return wallet
		}
		wallet, account = w, owner.Name
	}
	if account = l.text(argument+"-for", account); account == nothing {
		return wallet
	}
	return custody.WrappedWallet{Wallet: wallet, Account: s.actor(account).Address}
}

func (s *scenario) isActor(name string) bool {
	_, ok := s.actors[name]
	return ok
}

// wallet returns the custody key of a name, or an actor's root.
func (s *scenario) wallet(w walletName, by *Actor) (CustodyWallet, error) {
	if w.name == "root" {
		return by.Root, nil
	}
	wallet, err := NewWallet(w.kind, w.name)
	if err != nil {
		return nil, err
	}
	id := wallet.KeyID()
	s.register(w.name, id[:])
	return wallet, nil
}

func (s *scenario) storageClaim(l *line, by *Actor, author *message.Author, at uint32) (*message.Envelope, error) {
	payment := l.need("payment")
	settlement := message.Settlement{
		Units: uint32(l.number("units", 1)), TxHash: Hash("payment:" + payment), LogIndex: uint32(l.number("log", 0)),
		Actor: by.Address, Timestamp: l.time("settled", s.Block.Time, s.Block.Time),
	}
	claimed := Domain()
	claimed.SettlementChainID = l.number("chain", claimed.SettlementChainID)
	claim := settlement.Claim(claimed)
	id := settlement.ClaimID(claimed)
	s.register("claim:"+payment, id[:])
	// The attested settlement may differ from the claimed one.
	seen := settlement
	seen.Units = uint32(l.number("attested-units", uint64(settlement.Units)))
	owner := s.actor(l.text("attested-owner", by.Name)).Address
	domain := s.attestedDomain(l, claimed)
	attesters := l.list("attesters")
	if attesters == nil {
		attesters = []string{"1", "2"}
	}
	for _, name := range attesters {
		seed := Secret("attester", name)
		if i, err := strconv.Atoi(name); err == nil && i >= 1 && i <= Attesters {
			seed = Attester(i - 1)
		}
		claim.Attestations = append(claim.Attestations, seen.Attest(seed, domain, owner))
	}
	return author.Sign(at, message.StorageClaim(claim))
}

// attestedDomain returns what the attestations of a claim are valid for, which may differ from what is claimed.
func (s *scenario) attestedDomain(l *line, claimed message.SettlementDomain) message.SettlementDomain {
	attested := claimed
	attested.Network = pb.Network(l.number("attested-network", uint64(claimed.Network)))
	attested.ChainID = l.text("attested-chain-id", claimed.ChainID)
	attested.SettlementChainID = l.number("attested-chain", claimed.SettlementChainID)
	if l.has("attested-contract") {
		attested.Contract = s.actor(l.text("attested-contract", "")).Address
	}
	return attested
}

func (s *scenario) outsideAddress(l *line) ([]byte, error) {
	if l.has("sol") {
		secret := Secret("sol", l.need("sol"))
		address := ed25519.NewKeyFromSeed(secret[:])[ed25519.SeedSize:]
		s.register("sol:"+l.need("sol"), address)
		return address, nil
	}
	wallet, err := s.wallet(l.wallet("eth"), s.actor(l.actor))
	if err != nil {
		return nil, err
	}
	id := wallet.KeyID()
	return id[:], nil
}

// verificationAdd claims an address. The claim may be for another account, or signed by another key.
func (s *scenario) verificationAdd(l *line, by *Actor) (*pb.MessageData, error) {
	address, err := s.outsideAddress(l)
	if err != nil {
		return nil, err
	}
	owner := s.actor(l.text("claim-for", by.Name)).Address
	body := &pb.VerificationAddBody{Address: address}
	if l.has("sol") {
		secret := Secret("sol", l.text("signed-by", l.need("sol")))
		body.VerificationType = pb.VerificationType_VERIFICATION_TYPE_SOL_ADDRESS
		body.ClaimSignature = ed25519.Sign(ed25519.NewKeyFromSeed(secret[:]), []byte(custody.SolClaimText(Network, owner)))
		return message.VerificationAdd(body), nil
	}
	argument := "eth"
	if l.has("signed-by") {
		argument = "signed-by"
	}
	wallet, err := s.wallet(l.wallet(argument), by)
	if err != nil {
		return nil, err
	}
	digest, err := custody.EthClaimDigest(Network, owner, [20]byte(address))
	if err != nil {
		return nil, err
	}
	body.VerificationType = pb.VerificationType_VERIFICATION_TYPE_ETH_ADDRESS
	body.ChainId = custody.HostChainIDBytes(Network)
	body.ClaimSignature, err = wallet.Sign(digest)
	return message.VerificationAdd(body), err
}
