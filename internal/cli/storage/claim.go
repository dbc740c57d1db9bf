package storage

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/cli/output"
	"makechain/internal/cli/query"
	"makechain/internal/cli/submit"
	"makechain/internal/cli/usage"
	"makechain/internal/settlement"
	"makechain/internal/term"
	"makechain/message"
)

// result is a claim that was submitted.
type result struct {
	OwnerAddress string `json:"owner_address"`
	Units        uint32 `json:"units"`
	Hash         string `json:"hash"`
	BlockNumber  uint64 `json:"block_number,string"` // 0 if it was not waited for
	Used         bool   `json:"used,omitempty"`      // it was claimed before
}

func newClaimCommand() *cobra.Command {
	var flags query.Flags
	var wait submit.WaitFlags
	command := &cobra.Command{
		Use:   "claim <transaction>",
		Short: "Claim the storage of a payment on the settlement chain",
		Long: `The command requests the attestations of the payment from the attesters that --genesis lists,
verifies them, submits the claim, and waits until it is in a block. The storage is for the account
that was named in the payment. Anybody can claim it, and no account is needed on this machine.

If a transaction contains several payments, name one by the index of its log: <transaction>/<log>.`,
		Example: "  makechain storage claim 0x4e3a... --genesis genesis.json\n  makechain storage claim 0x4e3a.../7 --genesis genesis.json",
		Args:    usage.Args("<transaction>"),
		RunE: func(command *cobra.Command, args []string) error {
			payment, err := query.ParsePayment(args[0])
			if err != nil {
				return usage.Errorf(command, "%w", err)
			}
			return flags.Run(command, func(q *query.Query) error {
				claimable, err := q.CollectClaim(payment)
				if err != nil {
					return err
				}
				claimed, err := claim(q, claimable, &wait)
				if err != nil {
					return submit.PrintRefusal(q, adviseClaim(err, claimable))
				}
				if store, err := q.ConfigDir().Store(); err == nil {
					_ = store.RemovePaymentOf(payment.Tx) // storage buy would only report that it is claimed
				}
				return flags.Output.PrintValue(command, claimed, func(p *term.Printer) { claimed.write(p) })
			})
		},
	}
	flags.Register(command)
	wait.Register(command.Flags())
	return command
}

// claim submits a claim. Any key may sign its message (P3.3), so it is signed with a new one.
func claim(q *query.Query, claimable *settlement.Claimable, wait *submit.WaitFlags) (*result, error) {
	status, err := client.Call(q.Context(), q.Client.GetNodeStatus, &pb.GetNodeStatusRequest{})
	if err != nil {
		return nil, err
	}
	var seed message.Seed
	if _, err := rand.Read(seed[:]); err != nil {
		return nil, err
	}
	author := message.NewAuthor(seed, status.GetNetwork(), claimable.Owner)
	envelope, err := author.Sign(uint32(time.Now().Unix()), message.StorageClaim(claimable.Claim))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(q.Context(), wait.Timeout, submit.ErrTimeout)
	defer cancel()
	if err := q.Client.Submit(ctx, envelope); err != nil {
		return nil, err
	}
	done := &result{OwnerAddress: claimable.Owner.String(), Units: claimable.Claim.GetUnits(), Hash: envelope.Hash.String()}
	if wait.Wait {
		done.BlockNumber, err = q.Client.AwaitCommitted(ctx, envelope.Hash)
	}
	return done, err
}

// adviseClaim adds the next step after a claim that was refused.
func adviseClaim(err error, claimable *settlement.Claimable) error {
	refused := (*client.RefusedError)(nil)
	if errors.As(err, &refused) && refused.Code == message.CodeClaimUsed {
		return usage.Advise(err, "nothing: makechain storage show %s shows the grants of the account", claimable.Owner)
	}
	return err
}

func (r *result) write(p *term.Printer) {
	place := ", not in a block yet"
	switch {
	case r.Used:
		place = ", claimed before"
	case r.BlockNumber > 0:
		place = ", block " + output.Number(r.BlockNumber)
	}
	p.Line("%s", fmt.Sprintf("%s of storage for %s%s", term.Count(uint64(r.Units), "unit"), r.OwnerAddress, place))
}
