package settlement

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	devpb "makechain/gen/makechain/dev"
	"makechain/gen/makechain/dev/devpbconnect"
	"makechain/internal/ident"
	"makechain/message"
)

// Limits of a faucet. Those of an account apply to each hour.
const (
	// MaxFaucetUnits is the maximum number of storage units per call, and of an account.
	MaxFaucetUnits = 1_000
	// MaxFaucetClaims is the maximum number of claims of an account.
	MaxFaucetClaims = 10

	// faucetPeriod is the time after which the claims of all accounts are forgotten.
	faucetPeriod = time.Hour
	// maxFaucetAccounts is the number of accounts whose claims are remembered. When there are more, all are forgotten
	// early: the limit of one account must not keep others from the faucet.
	maxFaucetAccounts = 100_000
)

// Faucet grants storage on a development chain: it signs claims for payments that were not made.
type Faucet struct {
	Attester *Attester
	// Domain returns what attestations are valid for now.
	Domain func() (message.SettlementDomain, error)
	// Submit submits a message to the mempool.
	Submit func(ctx context.Context, m *message.Envelope) (*message.Refusal, error)
	Now    func() time.Time
	Random io.Reader

	mu      sync.Mutex
	granted map[ident.Address]grants // since start; guarded by mu, like start
	start   time.Time
}

// grants is what an account has claimed.
type grants struct{ claims, units uint32 }

var _ devpbconnect.FaucetServiceHandler = (*Faucet)(nil)

// Claim submits a storage claim for an account and returns the hash of its message.
func (f *Faucet) Claim(ctx context.Context, req *connect.Request[devpb.ClaimRequest]) (*connect.Response[devpb.ClaimResponse], error) {
	owner, ok := ident.AddressFrom(req.Msg.GetOwnerAddress())
	if !ok {
		return nil, invalid("owner_address: %d bytes, want %d", len(req.Msg.GetOwnerAddress()), ident.AddressSize)
	}
	units := max(req.Msg.GetUnits(), 1)
	if units > MaxFaucetUnits {
		return nil, invalid("units: %d, at most %d", units, MaxFaucetUnits)
	}
	if err := f.reserve(owner, units); err != nil {
		return nil, err
	}
	hash, err := f.submit(ctx, owner, units)
	if err != nil {
		f.release(owner, units)
		return nil, err
	}
	return connect.NewResponse(&devpb.ClaimResponse{Hash: hash[:]}), nil
}

// submit submits a claim and returns its hash.
func (f *Faucet) submit(ctx context.Context, owner ident.Address, units uint32) (hash ident.Hash, err error) {
	claim, err := f.claim(owner, units)
	if err != nil {
		return hash, err
	}
	refusal, err := f.Submit(ctx, claim)
	if err != nil {
		return hash, err
	}
	if refusal != nil && refusal.Code == message.CodeUnavailable {
		return hash, connect.NewError(connect.CodeUnavailable, refusal)
	}
	if refusal != nil {
		return hash, connect.NewError(connect.CodeFailedPrecondition, refusal)
	}
	return claim.Hash, nil
}

// reserve adds a claim to those of an account, unless it exceeds a limit.
func (f *Faucet) reserve(owner ident.Address, units uint32) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.Now()
	end := f.start.Add(faucetPeriod)
	if !now.Before(end) || len(f.granted) == maxFaucetAccounts {
		f.granted, f.start, end = make(map[ident.Address]grants), now, now.Add(faucetPeriod)
	}
	g := f.granted[owner]
	if g.claims == MaxFaucetClaims || g.units+units > MaxFaucetUnits {
		return connect.NewError(connect.CodeResourceExhausted, fmt.Errorf(
			"account %s has %d units from %d claims, and the faucet grants an account at most %d units and %d claims per hour: "+
				"claim fewer units, or again in %v",
			owner, g.units, g.claims, MaxFaucetUnits, MaxFaucetClaims, end.Sub(now).Round(time.Second)))
	}
	f.granted[owner] = grants{claims: g.claims + 1, units: g.units + units}
	return nil
}

// release removes a claim that was not submitted from those of an account.
func (f *Faucet) release(owner ident.Address, units uint32) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if g, ok := f.granted[owner]; ok && g.claims > 0 && g.units >= units {
		f.granted[owner] = grants{claims: g.claims - 1, units: g.units - units}
	}
}

// claim returns a claim for a random payment. The envelope of a claim may be signed by any key (P3.3).
func (f *Faucet) claim(owner ident.Address, units uint32) (*message.Envelope, error) {
	now := f.Now().Unix()
	payment := message.Settlement{Units: units, Actor: owner, Timestamp: uint64(now)}
	if _, err := io.ReadFull(f.Random, payment.TxHash[:]); err != nil {
		return nil, fmt.Errorf("generate a payment: %w", err)
	}
	domain, err := f.Domain()
	if err != nil {
		return nil, fmt.Errorf("read the settlement: %w", err)
	}
	author := message.NewAuthor(f.Attester.seed, pb.Network_NETWORK_DEVNET, owner)
	return author.StorageClaim(uint32(now), domain, payment, f.Attester.seed)
}

func invalid(format string, args ...any) error {
	return connect.NewError(connect.CodeInvalidArgument, fmt.Errorf(format, args...))
}
