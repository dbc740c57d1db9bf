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

// Step is a step of Creation.
type Step string

// The steps in their order. The wallet and the file of the account are created before.
const (
	StepKey      Step = "key"
	StepStorage  Step = "storage"
	StepUsername Step = "username"
)

// Creation registers an account on a chain: its delegated key, storage and a username. It can be run again after an
// interruption at any point.
type Creation struct {
	Store   *Store
	Account *Account
	Client  *client.Client

	// Unlock returns the decrypted wallet of the account. It is called only when the key is not registered yet.
	Unlock func() (keystore.Key, error)
	// Signer is the decrypted key of the account.
	Signer keystore.Key
	// Username is the username to register. If it is empty the account keeps its username, or registers its file name.
	Username string
	// Units is the minimum of storage units that the account should have.
	Units uint32
	// Claim is the storage claim to submit; nil uses the faucet.
	Claim *pb.StorageClaimBody

	Now func() time.Time
	// Report is called with the result of each step.
	Report func(step Step, text string)

	author *message.Author
}

// Run executes the steps that are not done on the chain.
func (c *Creation) Run(ctx context.Context) error {
	c.author = c.Account.Author(c.Signer)
	for _, step := range []struct {
		name Step
		run  func(context.Context, *pb.GetAccountResponse) error
	}{
		{StepKey, c.registerKey},
		{StepStorage, c.getStorage},
		{StepUsername, c.registerUsername},
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

// resume waits for the message that an interrupted run sent. Afterwards the chain shows which steps remain.
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

// registerKey registers the account's key with a signature of the wallet. Any key may sign the envelope (P3.3), so the
// new key does.
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
	// The signing scope suffices for messages; operations of custody keys need the wallet anyway.
	grant := message.SignerGrant{Key: key, Scope: pb.KeyScope_KEY_SCOPE_SIGNING}
	now := c.Now()
	envelope, err := c.author.SignerAdd(uint32(now.Unix()), grant, Permit(now, state.GetCustodyNonce()), custodian, custodian)
	if err != nil {
		return err
	}
	return c.send(ctx, StepKey, envelope, shortKey(key))
}

// shortKey returns the abbreviated key.
func shortKey(key ident.PublicKey) string { return key.String()[:term.ShortDigits] }

// registerUsername registers the username, unless the account has one.
func (c *Creation) registerUsername(ctx context.Context, state *pb.GetAccountResponse) error {
	has, want := state.GetUsername(), c.Username
	switch {
	case has != "" && (want == "" || want == has):
		return c.done(StepUsername, has+", held")
	case has != "":
		return fmt.Errorf("the account already has the username %q", has)
	case want == "":
		want = c.Account.Name
	}
	envelope, err := c.author.Sign(uint32(c.Now().Unix()), message.UsernameCreate(want))
	if err != nil {
		return err
	}
	return c.send(ctx, StepUsername, envelope, want)
}

// send stores the hash of a message, submits it and waits until it is committed.
func (c *Creation) send(ctx context.Context, step Step, envelope *message.Envelope, description string) error {
	if err := c.saveSent(&sentMessage{Step: step, Hash: envelope.Hash.String()}); err != nil {
		return err
	}
	if err := c.Client.Submit(ctx, envelope); err != nil {
		return err
	}
	return c.await(ctx, step, envelope.Hash, description)
}

func (c *Creation) await(ctx context.Context, step Step, hash ident.Hash, description string) error {
	block, err := c.Client.AwaitCommitted(ctx, hash)
	if err != nil {
		return err
	}
	return c.done(step, fmt.Sprintf("%s, block %d", description, block))
}

// done reports the result of a step and removes its pending message from the file. That of a later step remains.
func (c *Creation) done(step Step, text string) error {
	c.Report(step, text)
	if c.Account.sent == nil || c.Account.sent.Step != step {
		return nil
	}
	return c.saveSent(nil)
}

// saveSent stores the pending message in the file of the account; nil removes it.
func (c *Creation) saveSent(sent *sentMessage) error {
	c.Account.sent = sent
	return c.Store.update(c.Account)
}
