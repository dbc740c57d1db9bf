// Package submit builds commands that sign messages, submit them and wait for their blocks.
package submit

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/cli/connection"
	"makechain/internal/cli/query"
	"makechain/internal/cli/signing"
	"makechain/internal/cli/usage"
	"makechain/internal/identity"
	"makechain/internal/keystore"
	"makechain/internal/term"
	"makechain/message"
)

// DefaultTimeout is how long a command waits for a block.
const DefaultTimeout = 30 * time.Second

// maxBumps is by how many seconds a message may be dated ahead when another one that it follows has the same
// timestamp: the chain orders changes by their timestamps (P9.1, P9.2).
const maxBumps = 3

// ErrTimeout is the cause of a context that ended with --timeout.
var ErrTimeout = errors.New("--timeout has passed")

// WaitFlags are the flags of a command that waits for a block.
type WaitFlags struct {
	Wait    bool
	Timeout time.Duration
}

// Register adds the flags to a command.
func (f *WaitFlags) Register(flags *pflag.FlagSet) {
	flags.BoolVar(&f.Wait, "wait", true, "wait until the message is in a block")
	flags.DurationVar(&f.Timeout, "timeout", DefaultTimeout, "how long to wait")
}

// Flags are the flags of a command that signs and submits messages.
type Flags struct {
	query.Flags

	Signing signing.Flags
	WaitFlags
}

// Register adds the flags to a command.
func (f *Flags) Register(command *cobra.Command) {
	f.Flags.Register(command)
	f.Signing.Register(command)
	f.WaitFlags.Register(command.Flags())
}

// Author unlocks the key of the account that signs.
func (f *Flags) Author(q *query.Query) (*message.Author, error) {
	return f.Signing.Author(q.Command, q.ConfigDir(), q.Client)
}

// Plan is what a command line asks for: messages to submit in order, and the sentence to print when they are committed.
type Plan struct {
	Done     string
	Messages []*pb.MessageData
	Floor    uint32 // the earliest timestamp that the messages may have; 0 for any
}

// Command completes a command that submits messages. The plan is made before the key is unlocked, so that a wrong name
// fails before a passphrase is asked for.
func Command(command *cobra.Command, plan func(q *query.Query, args []string) (*Plan, error)) *cobra.Command {
	flags := new(Flags)
	command.RunE = func(command *cobra.Command, args []string) error {
		return flags.Run(command, func(q *query.Query) error {
			planned, err := plan(q, args)
			if err != nil {
				return err
			}
			author, err := flags.Author(q)
			if err != nil {
				return err
			}
			return flags.Send(q, author, planned)
		})
	}
	flags.Register(command)
	return command
}

// Receipt is a message that was submitted.
type Receipt struct {
	*message.Envelope

	Block uint64 // 0 for a message that was not waited for
}

// Send signs and submits messages, waits for their blocks unless --wait is off, and prints the result: the sentence
// for people, or the answers of SubmitMessage, one per line.
func (f *Flags) Send(q *query.Query, author *message.Author, plan *Plan) error {
	receipts, err := f.submit(q, author, plan.Floor, plan.Messages)
	if err != nil {
		return PrintRefusal(q, err)
	}
	return PrintReceipts(q, plan.Done, receipts)
}

// Submit signs and submits messages and waits for their blocks like Send, and prints nothing but refusals.
func (f *Flags) Submit(q *query.Query, author *message.Author, data ...*pb.MessageData) ([]Receipt, error) {
	receipts, err := f.submit(q, author, 0, data)
	return receipts, PrintRefusal(q, err)
}

// submit does what Submit does and prints nothing. No timestamp is earlier than floor.
func (f *Flags) submit(q *query.Query, author *message.Author, floor uint32, data []*pb.MessageData) ([]Receipt, error) {
	ctx, cancel := context.WithTimeoutCause(q.Context(), f.Timeout, ErrTimeout)
	defer cancel()
	progress := term.StartProgress(q.Command.ErrOrStderr(), "waiting for the node")
	defer progress.Stop()
	receipts := make([]Receipt, 0, len(data))
	for i, d := range data {
		progress.Set("sending", i, len(data))
		m, err := signAndSubmit(ctx, q.Client, author, floor, d)
		if err != nil && m != nil {
			err = adviseStatus(err, m.Hash)
		}
		if err != nil {
			return receipts, err
		}
		receipts = append(receipts, Receipt{Envelope: m})
	}
	for i := range receipts {
		if !f.Wait {
			break
		}
		progress.Set("waiting for a block", i, len(receipts))
		block, err := q.Client.AwaitCommitted(ctx, receipts[i].Hash)
		if err != nil {
			return receipts[:i], adviseStatus(err, receipts[i].Hash)
		}
		receipts[i].Block = block
	}
	return receipts, nil
}

// adviseStatus adds how to look up the status of a message that was submitted and not refused.
func adviseStatus(err error, hash message.Hash) error {
	if refused := (*client.RefusedError)(nil); errors.As(err, &refused) {
		return err
	}
	return usage.Advise(err, "makechain message status %s", hash)
}

// signAndSubmit signs a message with the current time, or with floor if that is later, and submits it. If the chain has a
// change with the same timestamp that the message must follow, or the same message, it is dated a second ahead: the refused
// one can never apply, and each command is a request of its own.
func signAndSubmit(ctx context.Context, c *client.Client, author *message.Author, floor uint32, data *pb.MessageData) (*message.Envelope, error) {
	now := max(uint32(time.Now().Unix()), floor)
	for bump := uint32(0); ; bump++ {
		m, err := author.Sign(now+bump, data)
		if err != nil {
			return nil, err
		}
		if refusal := m.Validate(); refusal != nil { // the node would refuse it for the same reason
			return nil, &client.RefusedError{Stage: refusal.Stage, Code: refusal.Code, Reason: refusal.Reason, Hash: m.Hash}
		}
		status, err := client.Call(ctx, c.GetMessageStatus, &pb.GetMessageStatusRequest{Hash: m.Hash[:]})
		if err != nil {
			return nil, err
		}
		if bump < maxBumps && status.GetState() != pb.MessageState_MESSAGE_STATE_UNKNOWN {
			continue
		}
		err = c.Submit(ctx, m)
		if refused := (*client.RefusedError)(nil); bump < maxBumps && errors.As(err, &refused) && refused.Code == message.CodeStaleWrite {
			continue
		}
		return m, err
	}
}

// PrintReceipts prints what was done.
func PrintReceipts(q *query.Query, done string, receipts []Receipt) error {
	if !q.JSON() {
		p := q.Printer()
		last := receipts[len(receipts)-1]
		if last.Block == 0 {
			p.Line("sent: %s is pending; makechain message status %s", p.ID(last.Hash[:]), last.Hash)
		} else {
			p.Line("%s %s", done, p.Style(term.Dim, fmt.Sprintf("(block %d)", last.Block)))
		}
		return p.Err()
	}
	for _, each := range receipts {
		answer := &pb.SubmitMessageResponse{Hash: each.Hash[:], Accepted: true, BlockNumber: each.Block}
		if err := q.Print(answer, nil); err != nil {
			return err
		}
	}
	return nil
}

// PrintRefusal prints a refusal as SubmitMessage answers it if --json was given, and returns the error. For people, the ids of
// accounts and projects in its reason are replaced by their names.
func PrintRefusal(q *query.Query, err error) error {
	refused := (*client.RefusedError)(nil)
	if !errors.As(err, &refused) {
		return err
	}
	err = adviseStorage(q, err, refused.Code)
	if !q.JSON() {
		refused.Reason = q.Printer().Names(refused.Reason)
		return err
	}
	return errors.Join(err, q.Print(refusedAnswer(refused), nil))
}

// adviseStorage adds how to get storage after a refusal for lack of it. Only development chains have a faucet.
func adviseStorage(q *query.Query, err error, code message.Code) error {
	if code != message.CodeNoUsableStorage && code != message.CodeQuotaExceeded || usage.IsAdvised(err) {
		return err
	}
	status, statusErr := client.Call(q.Context(), q.Client.GetNodeStatus, &pb.GetNodeStatusRequest{})
	if statusErr != nil || status.GetNetwork() == pb.Network_NETWORK_DEVNET {
		return err // the general advice names the faucet
	}
	return usage.Advise(err, "makechain storage show, which prints units and limits; makechain storage buy --units 1 --genesis <file> "+
		"--rpc <URL> pays for more, and makechain storage claim <transaction> --genesis <file> claims it")
}

func refusedAnswer(refused *client.RefusedError) *pb.SubmitMessageResponse {
	return &pb.SubmitMessageResponse{
		Hash: refused.Hash[:], Code: string(refused.Code), Stage: string(refused.Stage), Error: refused.Reason,
	}
}

// CustodyFlags are the flags of a command that changes the keys of an account. A wallet signs such changes, not a
// delegated key.
type CustodyFlags struct {
	Flags

	wallet string
}

// Register adds the flags to a command.
func (f *CustodyFlags) Register(command *cobra.Command) {
	f.Flags.Register(command)
	command.Flags().StringVar(&f.wallet, "wallet", "", "wallet that signs (default that of the account; another one must be an admin custody key)")
	connection.CompleteLocalFlag(command, "wallet", (*identity.Store).WalletNames)
}

// Custody is an account and an unlocked wallet that manages it.
type Custody struct {
	Account *identity.Account // without a key when the account is not on this machine; its wallet is the one that signs
	Wallet  message.Wallet
	Plain   bool // the wallet is stored in plaintext
	// Author signs the envelopes of custody messages with a key made for the purpose, because any key may sign them (P3.3).
	Author *message.Author

	nonce uint64
}

// Permit returns the permit for the wallet's next signature.
func (c *Custody) Permit() message.Permit { return identity.Permit(time.Now(), c.nonce) }

// Now returns the timestamp of an envelope.
func Now() uint32 { return uint32(time.Now().Unix()) }

// CustodyChange signs a change of an account's keys, and returns it with the sentence to print when it is committed.
type CustodyChange func(q *query.Query, of *Custody) (signed *message.Envelope, done string, err error)

// RunCustody unlocks the account's wallet and submits a change that it signs.
func (f *CustodyFlags) RunCustody(command *cobra.Command, change CustodyChange) error {
	return f.Run(command, func(q *query.Query) error {
		opened, err := f.open(q)
		if err != nil {
			return err
		}
		signed, done, err := change(q, opened)
		if err != nil {
			return err
		}
		receipts, err := f.submit(q, opened.Author, 0, []*pb.MessageData{signed.Data})
		if err == nil {
			return PrintReceipts(q, done, receipts)
		}
		applied, readErr := q.Client.AlreadyApplied(q.Context(), signed, err)
		if !applied {
			return errors.Join(PrintRefusal(q, err), readErr)
		}
		return printAlreadyApplied(q, done, err)
	})
}

// printAlreadyApplied prints that the keys are as requested, although the message was refused: with --json the refusal.
func printAlreadyApplied(q *query.Query, done string, err error) error {
	if refused := (*client.RefusedError)(nil); errors.As(err, &refused) && q.JSON() {
		return q.Print(refusedAnswer(refused), nil)
	}
	p := q.Printer()
	p.Line("%s %s", done, p.Style(term.Dim, "(already, by another message)"))
	return p.Err()
}

// CustodyCommand completes a command that changes the keys of an account.
func CustodyCommand(
	command *cobra.Command, change func(q *query.Query, of *Custody, args []string) (*message.Envelope, string, error),
) *cobra.Command {
	flags := new(CustodyFlags)
	command.RunE = func(command *cobra.Command, args []string) error {
		return flags.RunCustody(command, func(q *query.Query, of *Custody) (*message.Envelope, string, error) { return change(q, of, args) })
	}
	flags.Register(command)
	return command
}

// open finds the account and unlocks the wallet.
func (f *CustodyFlags) open(q *query.Query) (*Custody, error) {
	account, err := f.account(q)
	if err != nil {
		return nil, err
	}
	if f.wallet != "" {
		account.Wallet = f.wallet
	}
	container, err := signing.Wallet(q.ConfigDir(), account.Wallet)
	if err != nil {
		return nil, err
	}
	key, err := f.Signing.Unlock(q.Command, "wallet "+account.Wallet, container)
	if err != nil {
		return nil, err
	}
	wallet, err := identity.CustodySigner(key, account.Owner)
	if err != nil {
		return nil, err
	}
	envelopes, err := keystore.Generate(keystore.Ed25519)
	if err != nil {
		return nil, err
	}
	state, err := client.Call(q.Context(), q.Client.GetAccount, &pb.GetAccountRequest{OwnerAddress: account.Owner[:]})
	if err != nil {
		return nil, err
	}
	return &Custody{
		Account: account, Wallet: wallet, Plain: !container.Encrypted(), Author: account.Author(envelopes), nonce: state.GetCustodyNonce(),
	}, nil
}

// account finds the local account that --account names. With --wallet it may be any account of the chain: a custody key
// manages it from a machine that has nothing else of it.
func (f *CustodyFlags) account(q *query.Query) (*identity.Account, error) {
	account, err := signing.Account(q.ConfigDir(), f.Signing.Account)
	if err == nil {
		return account, signing.CheckChain(q.Context(), q.Client, account)
	}
	if f.wallet == "" || f.Signing.Account == "" || !errors.Is(err, identity.ErrNoAccount) {
		return nil, err
	}
	return chainAccount(q.Context(), q.Client, f.Signing.Account)
}

// chainAccount describes an account that is not on this machine.
func chainAccount(ctx context.Context, c *client.Client, name string) (*identity.Account, error) {
	owner, err := c.Account(ctx, name)
	if err != nil {
		return nil, err
	}
	status, err := client.Call(ctx, c.GetNodeStatus, &pb.GetNodeStatusRequest{})
	if err != nil {
		return nil, err
	}
	return &identity.Account{Name: name, Owner: owner, Network: status.GetNetwork(), ChainID: status.GetChainId()}, nil
}
