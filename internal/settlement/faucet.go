package settlement

import (
	"context"
	"fmt"
	"io"
	"time"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	devpb "makechain/gen/makechain/dev"
	"makechain/gen/makechain/dev/devpbconnect"
	"makechain/internal/ident"
	"makechain/message"
)

// MaxFaucetUnits is the maximum number of storage units per call.
const MaxFaucetUnits = 1_000

// Faucet grants storage on a development chain: it signs claims for payments that were not made.
type Faucet struct {
	Attester *Attester
	// Submit submits a message to the mempool.
	Submit func(ctx context.Context, m *message.Envelope) (*message.Refusal, error)
	Now    func() time.Time
	Random io.Reader
}

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
	claim, err := f.claim(owner, units)
	if err != nil {
		return nil, err
	}
	refusal, err := f.Submit(ctx, claim)
	if err != nil {
		return nil, err
	}
	if refusal != nil && refusal.Code == message.CodeUnavailable {
		return nil, connect.NewError(connect.CodeUnavailable, refusal)
	}
	if refusal != nil {
		return nil, connect.NewError(connect.CodeFailedPrecondition, refusal)
	}
	return connect.NewResponse(&devpb.ClaimResponse{Hash: claim.Hash[:]}), nil
}

// claim returns a claim for a random payment. The envelope of a claim may be signed by any key (P3.3).
func (f *Faucet) claim(owner ident.Address, units uint32) (*message.Envelope, error) {
	now := f.Now().Unix()
	payment := message.Settlement{Units: units, Actor: owner, Timestamp: uint64(now)}
	if _, err := io.ReadFull(f.Random, payment.TxHash[:]); err != nil {
		return nil, fmt.Errorf("generate a payment: %w", err)
	}
	author := message.NewAuthor(f.Attester.seed, pb.Network_NETWORK_DEVNET, owner)
	return author.StorageClaim(uint32(now), payment, f.Attester.seed)
}

func invalid(format string, args ...any) error {
	return connect.NewError(connect.CodeInvalidArgument, fmt.Errorf(format, args...))
}
