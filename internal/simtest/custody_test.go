package simtest

import (
	pb "makechain/gen/makechain"
	"makechain/internal/custody"
	"makechain/internal/ident"
	"makechain/internal/schema"
	"makechain/message"
)

// permit returns the validity period and nonce of a custody signature, mostly valid ones.
func (s *sim) permit(p *user) message.Permit {
	permit := message.Permit{
		Nonce:      s.account(p).GetCustodyNonce(),
		ValidAfter: s.block.Time - 60, ValidBefore: s.block.Time + 600,
	}
	switch s.rng.IntN(40) {
	case 0:
		permit.Nonce++
	case 1:
		permit.ValidBefore = s.block.Time - 1
	case 2:
		permit.ValidAfter = s.block.Time + 1
	case 3:
		permit.Witness = []byte("witness")
	}
	return permit
}

// custodian returns a wallet that signs for an account: the root or an active admin key, rarely another.
func (s *sim) custodian(p *user) message.Wallet {
	switch n := s.rng.IntN(100); {
	case n < 3:
		return pick(s, s.users).Root
	case n < 6:
		return pick(s, p.wallets) // not wrapped
	case n < 10:
		return custody.WrappedWallet{Wallet: pick(s, p.wallets), Account: p.Address}
	case n < 12:
		return custody.WrappedWallet{Wallet: pick(s, p.twins), Account: p.Address}
	case n < 14:
		return custody.WrappedWallet{Wallet: pick(s, p.wallets), Account: pick(s, s.users).Address}
	case n < 18:
		return wrongDigest{p.Root}
	case n < 60:
		return p.Root
	}
	var admins []message.Wallet
	for _, wallet := range p.wallets {
		row := load[pb.CustodyKeyRow](s, schema.CustodyKeyKey(p.Address, wallet.KeyID()))
		if row.GetAdmin() && row.GetStatus() == pb.CustodyKeyStatus_CUSTODY_KEY_STATUS_ACTIVE {
			admins = append(admins, custody.WrappedWallet{Wallet: wallet, Account: p.Address})
		}
	}
	if len(admins) == 0 {
		return p.Root
	}
	return pick(s, admins)
}

func (s *sim) signerAdd(p *user) {
	s.Helper()
	i := s.rng.IntN(len(p.authors))
	grant := message.SignerGrant{Key: p.authors[i].Key(), Scope: pb.KeyScope(i % 3)}
	if grant.Scope == pb.KeyScope_KEY_SCOPE_AGENT && i > 2 && len(s.projects) > 0 {
		grant.AllowedProjects = []ident.Hash{pick(s, s.projects)}
	}
	if s.chance(5) {
		grant.Key = pick(s, pick(s, s.users).authors).Key()
	}
	requester := p
	if s.chance(20) {
		requester = pick(s, s.users)
		grant.Requester = requester.Address
	}
	s.send(pick(s, p.authors).SignerAdd(s.timestamp(), grant, s.permit(p), s.custodian(p), s.custodian(requester)))
}

func (s *sim) signerRemove(p *user) {
	s.Helper()
	// The first key is rarely removed, so that the user can act.
	key := p.authors[1+s.rng.IntN(len(p.authors)-1)]
	if s.chance(10) {
		key = p.authors[0]
	}
	s.send(pick(s, p.authors).SignerRemove(s.timestamp(), key.Key(), s.permit(p), s.custodian(p)))
}

func (s *sim) keychainAuthorize(p *user) {
	s.Helper()
	wallet := pick(s, p.wallets)
	key := message.CustodyKey{Type: wallet.Type(), PublicKey: wallet.PublicKey(), Admin: s.chance(75)}
	if !key.Admin && s.chance(50) {
		key.ExpiresAt = s.block.Time + 1_000
	}
	s.send(pick(s, p.authors).KeychainAuthorize(s.timestamp(), key, s.permit(p), s.custodian(p)))
}

func (s *sim) keychainRevoke(p *user) {
	s.Helper()
	s.send(pick(s, p.authors).KeychainRevoke(s.timestamp(), pick(s, p.wallets).KeyID(), s.permit(p), s.custodian(p)))
}

// wrongDigest signs another digest than the given one.
type wrongDigest struct{ message.Wallet }

func (l wrongDigest) Sign(digest [32]byte) ([]byte, error) {
	digest[0] ^= 1
	return l.Wallet.Sign(digest)
}
