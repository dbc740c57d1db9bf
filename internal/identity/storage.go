package identity

import (
	"context"
	"errors"
	"fmt"
	"time"

	"connectrpc.com/connect"

	"makechain/client"
	pb "makechain/gen/makechain"
	devpb "makechain/gen/makechain/dev"
	"makechain/internal/ident"
	"makechain/message"
)

// ErrNoFaucet says that the chain gives no storage away.
var ErrNoFaucet = errors.New("this node has no faucet")

// claimPoll is the pause between two looks at claims that are pending.
const claimPoll = 50 * time.Millisecond

// getStorage claims a settlement, or asks the faucet for what is missing.
func (c *Creation) getStorage(ctx context.Context, state *pb.GetAccountResponse) error {
	has := state.GetStorageUnits()
	if c.Claim != nil {
		return c.claim(ctx, has)
	}
	if has >= c.Units {
		return c.done(StepStorage, unitsText(has)+", held")
	}
	owner, missing := c.Account.Owner, c.Units-has
	if err := c.remember(&sentMessage{Step: StepStorage}); err != nil {
		return err
	}
	answer, err := client.Call(ctx, c.Client.Faucet.Claim, &devpb.ClaimRequest{OwnerAddress: owner[:], Units: missing})
	if err != nil {
		return c.faucetFailed(err)
	}
	hash, ok := ident.HashFrom(answer.GetHash())
	if !ok {
		return fmt.Errorf("the faucet answered a hash of %d bytes", len(answer.GetHash()))
	}
	if err := c.remember(&sentMessage{Step: StepStorage, Hash: hash.String()}); err != nil {
		return err
	}
	return c.await(ctx, StepStorage, hash, unitsText(missing)+" from the faucet")
}

// faucetFailed forgets that the faucet was asked, if it answered.
func (c *Creation) faucetFailed(err error) error {
	absent := connect.CodeOf(err) == connect.CodeUnimplemented
	if !absent && !connect.IsWireError(err) {
		return err
	}
	if absent {
		err = ErrNoFaucet
	}
	return errors.Join(err, c.remember(nil))
}

// claim sends a claim that was made elsewhere. It is signed anew, which any key may do (P3.3): a signature of
// yesterday would be too late (P6.4).
func (c *Creation) claim(ctx context.Context, has uint32) error {
	envelope, err := c.author.Sign(uint32(c.Now().Unix()), message.StorageClaim(c.Claim))
	if err != nil {
		return err
	}
	err = c.send(ctx, StepStorage, envelope, unitsText(c.Claim.GetUnits())+" claimed")
	refused := (*client.RefusedError)(nil)
	if errors.As(err, &refused) && refused.Code == message.CodeClaimUsed && has > 0 {
		return c.done(StepStorage, unitsText(has)+", claimed before")
	}
	return err
}

// awaitClaims waits until no storage claim is pending, because one of them may be that of a faucet whose answer was
// lost. Asking again at once could get storage twice.
func (c *Creation) awaitClaims(ctx context.Context) error {
	ticker := time.NewTicker(claimPoll)
	defer ticker.Stop()
	for {
		pending, err := client.Call(ctx, c.Client.GetMempoolInfo, &pb.GetMempoolInfoRequest{})
		if err != nil || !hasClaims(pending) {
			return err
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return fmt.Errorf("storage claims are still pending: %w", context.Cause(ctx))
		}
	}
}

func hasClaims(pending *pb.GetMempoolInfoResponse) bool {
	for _, entry := range pending.GetTypeBreakdown() {
		if entry.GetMessageType() == pb.MessageType_MESSAGE_TYPE_STORAGE_CLAIM && entry.GetCount() > 0 {
			return true
		}
	}
	return false
}

func unitsText(units uint32) string {
	if units == 1 {
		return "1 unit"
	}
	return fmt.Sprintf("%d units", units)
}
