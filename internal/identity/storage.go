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
	"makechain/internal/backoff"
	"makechain/internal/ident"
	"makechain/message"
)

// ErrNoFaucet is returned when the chain has no faucet.
var ErrNoFaucet = errors.New("this node has no faucet")

// claimPoll is the time between two requests for pending claims.
const claimPoll = 50 * time.Millisecond

// getStorage submits the storage claim, or requests the missing units from the faucet.
func (c *Creation) getStorage(ctx context.Context, state *pb.GetAccountResponse) error {
	has := state.GetStorageUnits()
	if c.Claim != nil {
		return c.claim(ctx, has)
	}
	if has >= c.Units {
		return c.done(StepStorage, unitsText(has)+", held")
	}
	owner, missing := c.Account.Owner, c.Units-has
	if err := c.saveSent(&sentMessage{Step: StepStorage}); err != nil {
		return err
	}
	answer, err := client.Call(ctx, c.Client.Faucet.Claim, &devpb.ClaimRequest{OwnerAddress: owner[:], Units: missing})
	if err != nil {
		return c.faucetFailed(err)
	}
	hash, ok := ident.HashFrom(answer.GetHash())
	if !ok {
		return fmt.Errorf("the faucet returned a hash of %d bytes", len(answer.GetHash()))
	}
	if err := c.saveSent(&sentMessage{Step: StepStorage, Hash: hash.String()}); err != nil {
		return err
	}
	return c.await(ctx, StepStorage, hash, unitsText(missing)+" from the faucet")
}

// faucetFailed removes the request to the faucet from the file if the faucet responded, and returns the error.
func (c *Creation) faucetFailed(err error) error {
	absent := connect.CodeOf(err) == connect.CodeUnimplemented
	if !absent && !connect.IsWireError(err) {
		return err
	}
	if absent {
		err = ErrNoFaucet
	}
	return errors.Join(err, c.saveSent(nil))
}

// claim submits the storage claim. It is signed again, which any key may do (P3.3), because an old timestamp would be
// refused (P6.4).
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

// awaitClaims waits until no storage claim is pending, because one of them may be that of a faucet whose response was
// lost. Another request at once could grant storage twice.
func (c *Creation) awaitClaims(ctx context.Context) error {
	for {
		pending, err := client.Call(ctx, c.Client.GetMempoolInfo, &pb.GetMempoolInfoRequest{})
		if err != nil || !hasClaims(pending) {
			return err
		}
		if err := backoff.Sleep(ctx, claimPoll); err != nil {
			return fmt.Errorf("storage claims are still pending: %w", err)
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
