package identity

import (
	"context"
	"errors"
	"fmt"
	"time"

	"connectrpc.com/connect"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/keystore"
	"makechain/internal/term"
	"makechain/message"
)

// Step is a part of putting an account on a chain.
type Step string

// The steps, in their order. The wallet and the account's file come before them.
const (
	StepKey      Step = "key"
	StepStorage  Step = "storage"
	StepUsername Step = "username"
)

// Creation puts an account of this machine on a chain: its delegated key, storage, a username. It can be run again
// after it broke off anywhere.
type Creation struct {
	Store   *Store
	Account *Account
	Client  *client.Client

	// Unlock opens the wallet that signs for the account. It is called only when the key is not registered yet.
	Unlock func() (keystore.Key, error)
	// Signer is the account's own key, open.
	Signer keystore.Key
	// Username is the one to take; empty keeps what the account has, or else takes the name of the account.
	Username string
	// Units is how much storage the account shall have at least.
	Units uint32
	// Claim is a settlement to claim; nil asks the faucet.
	Claim *pb.StorageClaimBody

	Now func() time.Time
	// Note tells what a step came to.
	Report func(step Step, text string)

	author *message.Author
}

// Run takes the steps that the chain does not show as done.
func (c *Creation) Run(ctx context.Context) error {
	c.author = c.Account.Author(c.Signer)
	for _, step := range []struct {
		name Step
		run  func(context.Context, *pb.GetAccountResponse) error
	}{
		{StepKey, c.registerKey},
		{StepStorage, c.getStorage},
		{StepUsername, c.takeUsername},
	} {
		if err := c.resume(ctx, step.name); err != nil {
			return stepFailed(step.name, err)
		}
		owner := c.Account.Owner
		state, err := client.Call(ctx, c.Client.GetAccount, &pb.GetAccountRequest{OwnerAddress: owner[:]})
		if err != nil {
			return stepFailed(step.name, err)
		}
		if err := step.run(ctx, state); err != nil {
			return stepFailed(step.name, err)
		}
	}
	return nil
}

func stepFailed(step Step, err error) error { return fmt.Errorf("%s: %w", step, err) }

// resume waits for the message that an earlier run sent. Whatever became of it, the chain shows what is left to do.
func (c *Creation) resume(ctx context.Context, step Step) error {
	sent := c.Account.sent
	if sent == nil || sent.Step != step {
		return nil
	}
	if sent.Hash == "" {
		return c.awaitClaims(ctx)
	}
	hash, err := ident.ParseHash(sent.Hash)
	if err != nil {
		return err
	}
	_, err = c.Client.AwaitCommitted(ctx, hash)
	if refused := (*client.RefusedError)(nil); errors.As(err, &refused) || errors.Is(err, client.ErrUnknownMessage) {
		return nil
	}
	return err
}

// registerKey lets the wallet register the account's key. The envelope of that may be signed by any key (P3.3), so
// it is signed by the new one.
func (c *Creation) registerKey(ctx context.Context, state *pb.GetAccountResponse) error {
	owner, key := c.Account.Owner, c.Account.PublicKey()
	_, err := client.Call(ctx, c.Client.GetKey, &pb.GetKeyRequest{OwnerAddress: owner[:], Key: key[:]})
	if err == nil {
		return c.done(StepKey, shortKey(key)+", registered")
	}
	if connect.CodeOf(err) != connect.CodeNotFound {
		return err
	}
	wallet, err := c.Unlock()
	if err != nil {
		return err
	}
	custodian, err := CustodySigner(wallet, owner)
	if err != nil {
		return err
	}
	// Signing is all that messages ask for; what only a custody key may do needs the wallet anyway.
	grant := message.SignerGrant{Key: key, Scope: pb.KeyScope_KEY_SCOPE_SIGNING}
	now := c.Now()
	envelope, err := c.author.SignerAdd(uint32(now.Unix()), grant, Permit(now, state.GetCustodyNonce()), custodian, custodian)
	if err != nil {
		return err
	}
	return c.send(ctx, StepKey, envelope, shortKey(key))
}

// shortKey is a key as people write it.
func shortKey(key ident.PublicKey) string { return key.String()[:term.ShortDigits] }

// takeUsername takes the wanted name, if the account has none.
func (c *Creation) takeUsername(ctx context.Context, state *pb.GetAccountResponse) error {
	has, want := state.GetUsername(), c.Username
	switch {
	case has != "" && (want == "" || want == has):
		return c.done(StepUsername, has+", held")
	case has != "":
		return fmt.Errorf("the account is called %q already", has)
	case want == "":
		want = c.Account.Name
	}
	envelope, err := c.author.Sign(uint32(c.Now().Unix()), message.UsernameCreate(want))
	if err != nil {
		return err
	}
	return c.send(ctx, StepUsername, envelope, want)
}

// send writes down which message goes out, sends it, and waits for its block.
func (c *Creation) send(ctx context.Context, step Step, envelope *message.Envelope, what string) error {
	if err := c.remember(&sentMessage{Step: step, Hash: envelope.Hash.String()}); err != nil {
		return err
	}
	if err := c.Client.Submit(ctx, envelope); err != nil {
		return err
	}
	return c.await(ctx, step, envelope.Hash, what)
}

func (c *Creation) await(ctx context.Context, step Step, hash ident.Hash, what string) error {
	block, err := c.Client.AwaitCommitted(ctx, hash)
	if err != nil {
		return err
	}
	return c.done(step, fmt.Sprintf("%s, block %d", what, block))
}

// done tells what a step came to, and forgets what was under way. That of a later step is still to be waited for.
func (c *Creation) done(step Step, text string) error {
	c.Report(step, text)
	if c.Account.sent == nil || c.Account.sent.Step != step {
		return nil
	}
	return c.remember(nil)
}

func (c *Creation) remember(sent *sentMessage) error {
	c.Account.sent = sent
	return c.Store.update(c.Account)
}
