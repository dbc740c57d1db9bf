package storage

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"time"

	"makechain/client"
	"makechain/internal/backoff"
	"makechain/internal/cli/submit"
	"makechain/internal/cli/usage"
	"makechain/internal/evm"
	"makechain/internal/ident"
	"makechain/internal/identity"
	"makechain/internal/keystore"
	"makechain/internal/settlement"
	"makechain/internal/term"
	"makechain/message"
)

const (
	// pollInitial and pollMaximum are the delays between two requests for the state of a payment.
	pollInitial, pollMaximum = 500 * time.Millisecond, 10 * time.Second
	// resendAfter is the time after which a transaction that is in no block is sent again: providers may forget it.
	resendAfter = time.Minute
)

// offer reads the price, and checks that the contract is the one of the chain and sells storage now.
func (s *session) offer() (*evm.Offer, error) {
	offer, err := s.provider.Offer(s.q.Context(), s.chain.Settlement.Contract)
	if errors.Is(err, evm.ErrNoContract) {
		return nil, usage.Advise(providerError(err), "--rpc with a provider of chain %d", s.chain.Settlement.ChainID)
	}
	if err != nil {
		return nil, providerError(err)
	}
	switch {
	case offer.ChainID != s.chain.Settlement.ChainID:
		return nil, s.wrongChain(offer.ChainID)
	case offer.Paused:
		return nil, errors.New("the contract does not sell storage now: its operator has paused new rents")
	case s.limits.price != nil && offer.Price.Cmp(s.limits.price) > 0:
		return nil, fmt.Errorf("a unit costs %s ether, more than --max-price %s", formatEther(offer.Price), s.maxPrice)
	}
	return offer, nil
}

func (s *session) wrongChain(id uint64) error {
	return usage.Advise(fmt.Errorf("the provider of --rpc serves chain %d, and storage is paid for on chain %d", id, s.chain.Settlement.ChainID),
		"--rpc with a provider of chain %d", s.chain.Settlement.ChainID)
}

// prepare returns the transaction that pays, if the wallet has the money for it.
func (s *session) prepare(from ident.Address) (*evm.Transaction, error) {
	offer, err := s.offer()
	if err != nil {
		return nil, err
	}
	balance, err := s.provider.Balance(s.q.Context(), from)
	if err != nil {
		return nil, providerError(err)
	}
	value := offer.Value(s.units)
	if err := checkBalance(from, balance, value, new(big.Int)); err != nil {
		return nil, err
	}
	t, err := s.provider.PrepareRent(s.q.Context(), s.chain.Settlement.Contract, from, s.owner, s.units)
	if err != nil {
		return nil, providerError(err)
	}
	// The provider is asked twice, and may return something else.
	if t.ChainID != s.chain.Settlement.ChainID {
		return nil, s.wrongChain(t.ChainID)
	}
	if t.Value.Cmp(value) != 0 {
		return nil, usage.Advise(errors.New("the price has changed"), "the same command again")
	}
	if t.MaxFee().Cmp(s.limits.fee) > 0 {
		return nil, usage.Advise(fmt.Errorf("the transaction fee may be %s ether, more than --max-fee %s", formatEther(t.MaxFee()), s.maxFee),
			"--max-fee with a higher fee, or later")
	}
	return t, checkBalance(from, balance, value, t.MaxFee())
}

func checkBalance(from ident.Address, balance, value, fee *big.Int) error {
	if needed := new(big.Int).Add(value, fee); balance.Cmp(needed) < 0 {
		return fmt.Errorf("wallet %s has %s ether on the settlement chain, the payment needs %s with the fee", from,
			formatEther(balance), formatEther(needed))
	}
	return nil
}

// pay makes the payment, or continues with an unfinished one.
func (s *session) pay() (*purchase, error) {
	container, from, err := s.payer()
	if err != nil {
		return nil, err
	}
	if s.store, err = s.q.ConfigDir().Store(); err != nil {
		return nil, err
	}
	payment, err := s.unfinished(from)
	isResumed := err == nil
	if errors.Is(err, identity.ErrNoPayment) {
		payment, err = s.sign(container, from)
	}
	if err != nil {
		return nil, err
	}
	s.payment = payment
	p := s.describe(payment.Value)
	p.From, p.Transaction, p.Resumed = from.String(), "0x"+payment.Hash.String(), isResumed
	ctx, cancel := context.WithTimeoutCause(s.q.Context(), s.timeout, submit.ErrTimeout)
	defer cancel()
	if err := s.complete(ctx, p); err != nil {
		return nil, s.advise(err)
	}
	return p, nil
}

// unfinished returns the unfinished payment of the wallet, which must be the one that the command line asks for, or ErrNoPayment.
// With --again it is forgotten.
func (s *session) unfinished(from ident.Address) (*identity.Payment, error) {
	payment, err := s.store.Payment(from, s.chain.Settlement.ChainID)
	switch {
	case err != nil:
		return nil, err
	case s.again:
		return nil, errors.Join(identity.ErrNoPayment, s.store.RemovePayment(payment))
	case payment.Contract == s.chain.Settlement.Contract && payment.Owner == s.owner && payment.Units == s.units:
		return payment, nil
	}
	return nil, usage.Advise(fmt.Errorf("wallet %s has not completed another payment: transaction 0x%s for %s of storage for %s", s.wallet, payment.Hash,
		term.Count(uint64(payment.Units), "unit"), payment.Owner),
		"makechain storage claim 0x%s; or --units %d --owner %s, which continues with it; or --again, if that transaction is not wanted any more",
		payment.Hash, payment.Units, payment.Owner)
}

// sign signs a payment and stores it.
func (s *session) sign(container *keystore.Container, from ident.Address) (*identity.Payment, error) {
	transaction, err := s.prepare(from)
	if err != nil {
		return nil, err
	}
	key, err := s.passphrases.Unlock(s.q.Command, "wallet "+s.wallet, container)
	if err != nil {
		return nil, err
	}
	wallet, err := key.Wallet()
	if err != nil {
		return nil, err
	}
	if wallet.KeyID() != from {
		return nil, fmt.Errorf("wallet %s holds the key of %s, not of %s", s.wallet, wallet.KeyID(), from)
	}
	raw, hash, err := transaction.Sign(wallet)
	if err != nil {
		return nil, err
	}
	payment := &identity.Payment{
		From: from, SettlementChainID: transaction.ChainID, Contract: transaction.To, Owner: s.owner, Units: s.units, Value: transaction.Value,
		Nonce: transaction.Nonce, Hash: hash, Raw: raw, CreatedAt: time.Now().UTC(),
	}
	err = s.store.AddPayment(payment)
	if errors.Is(err, keystore.ErrExists) {
		return nil, usage.Advise(fmt.Errorf("another command pays with wallet %s", s.wallet), "the same command again when that one has ended")
	}
	return payment, err
}

// complete sends the payment, waits for it, and claims the storage if that is asked for.
func (s *session) complete(ctx context.Context, p *purchase) error {
	s.note("transaction %s pays %s ether for %s of storage for %s", p.Transaction, p.Ether, term.Count(uint64(p.Units), "unit"), p.OwnerAddress)
	if id, err := s.provider.ChainID(ctx); err != nil {
		return providerError(err)
	} else if id != s.chain.Settlement.ChainID {
		return s.wrongChain(id)
	}
	receipt, err := s.awaitReceipt(ctx)
	if err != nil {
		return err
	}
	s.note("in block %d", receipt.BlockNumber)
	if s.wait || s.claim {
		if receipt, err = s.awaitFinal(ctx, receipt); err != nil {
			return err
		}
		p.Final = true
		s.note("final")
	}
	p.BlockNumber = receipt.BlockNumber
	if s.claim {
		p.Claim, err = s.claimStorage(ctx)
	}
	return err
}

// errReverted is returned for a payment that is in a block and was refused by the contract.
var errReverted = errors.New("the contract has refused the payment, for example because the price has changed; only the fee was paid")

// awaitReceipt sends the transaction unless it is in a block, and waits until it is.
func (s *session) awaitReceipt(ctx context.Context) (evm.Receipt, error) {
	poll := backoff.New(pollInitial, pollMaximum)
	var sent time.Time
	for {
		receipt, err := s.provider.Receipt(ctx, s.payment.Hash)
		switch {
		case err == nil && receipt.Succeeded:
			return receipt, nil
		case err == nil:
			return receipt, errors.Join(errReverted, s.store.RemovePayment(s.payment))
		case errors.Is(err, evm.ErrNotFound) && time.Since(sent) > resendAfter:
			if err = s.sendPayment(ctx); err == nil {
				sent = time.Now()
			} else if _, isRefused := errors.AsType[*evm.RPCError](err); isRefused {
				return receipt, s.adviseRefused(ctx, err)
			}
		}
		if waitErr := poll.Wait(ctx); waitErr != nil {
			return receipt, notInTime(waitErr, "it is in no block yet", err)
		}
	}
}

// sendPayment sends the transaction. That the provider has it already is not an error.
func (s *session) sendPayment(ctx context.Context) error {
	err := s.provider.Send(ctx, s.payment.Raw)
	refused, isRefused := errors.AsType[*evm.RPCError](err)
	if isRefused && (strings.Contains(strings.ToLower(refused.Message), "known") || strings.Contains(refused.Message, "already")) {
		return nil
	}
	return err
}

// adviseRefused describes a transaction that the provider does not accept.
func (s *session) adviseRefused(ctx context.Context, err error) error {
	if receipt, receiptErr := s.provider.Receipt(ctx, s.payment.Hash); receiptErr == nil && receipt.Succeeded {
		return usage.Advise(errors.New("it is in a block now"), "the same command again")
	}
	if nonce, nonceErr := s.provider.Nonce(ctx, s.payment.From); nonceErr == nil && nonce > s.payment.Nonce {
		return usage.Advise(fmt.Errorf("another transaction of the wallet has taken its place: %w", providerError(err)),
			"an explorer of the settlement chain; if the transaction is not in a block there, --again pays with another one")
	}
	return usage.Advise(fmt.Errorf("the provider does not accept it: %w", providerError(err)),
		"the same command again, which sends the same transaction; or --again to pay with another one")
}

// awaitFinal waits until the block of the payment is final.
func (s *session) awaitFinal(ctx context.Context, receipt evm.Receipt) (evm.Receipt, error) {
	poll := backoff.New(pollInitial, pollMaximum)
	for {
		finalized, err := s.provider.Finalized(ctx)
		if err == nil && finalized.Number >= receipt.BlockNumber {
			// The block may have been replaced before it was final.
			was := receipt.BlockHash
			if receipt, err = s.awaitReceipt(ctx); err != nil {
				return receipt, err
			}
			if receipt.BlockHash == was {
				return receipt, nil
			}
		}
		if waitErr := poll.Wait(ctx); waitErr != nil {
			return receipt, notInTime(waitErr, fmt.Sprintf("block %d is not final yet", receipt.BlockNumber), err)
		}
	}
}

// claimStorage claims the storage when the attesters have signed the payment.
func (s *session) claimStorage(ctx context.Context) (*result, error) {
	poll := backoff.New(pollInitial, pollMaximum)
	for {
		claimable, err := s.q.CollectClaim(settlement.Payment{Tx: s.payment.Hash})
		if err == nil {
			return s.submitClaim(claimable)
		}
		if missing := (*settlement.CollectError)(nil); !errors.As(err, &missing) {
			return nil, err
		}
		if waitErr := poll.Wait(ctx); waitErr != nil {
			return nil, notInTime(waitErr, "it is paid but not attested", err)
		}
	}
}

func (s *session) submitClaim(claimable *settlement.Claimable) (*result, error) {
	claimed, err := claim(s.q, claimable, &submit.WaitFlags{Wait: true, Timeout: s.timeout})
	refused := (*client.RefusedError)(nil)
	if errors.As(err, &refused) && refused.Code == message.CodeClaimUsed {
		return &result{OwnerAddress: claimable.Owner.String(), Units: claimable.Claim.GetUnits(), Hash: refused.Hash.String(), Used: true}, nil
	}
	return claimed, err
}

// notInTime returns the error of a wait that has ended: an interruption, or --timeout with what is missing.
func notInTime(waitErr error, missing string, last error) error {
	if !errors.Is(waitErr, submit.ErrTimeout) {
		return waitErr
	}
	if last != nil && !errors.Is(last, evm.ErrNotFound) {
		missing += ": " + term.Text(last.Error())
	}
	return fmt.Errorf("%w: %s", waitErr, missing)
}

// advise adds the transaction to an error after it was signed, and how to continue.
func (s *session) advise(err error) error {
	if errors.Is(err, errReverted) {
		return usage.Advise(fmt.Errorf("transaction 0x%s: %w", s.payment.Hash, err), "the same command again, which pays with another transaction")
	}
	next := "the same command again, which continues and does not pay again"
	if usage.IsAdvised(err) {
		next = usage.Advice(err)
	}
	return usage.Advise(fmt.Errorf("transaction 0x%s: %w", s.payment.Hash, err),
		"%s. When the payment is final, makechain storage claim 0x%s --genesis %s claims it", next, s.payment.Hash, s.Connection.Genesis)
}

// note prints a step to standard error.
func (s *session) note(format string, args ...any) {
	_, _ = fmt.Fprintf(s.q.Command.ErrOrStderr(), format+"\n", args...) // an error shows up when the result is printed
}

// providerError describes an error of the provider, which is not one of the node. Its text may be the provider's.
func providerError(err error) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	return errors.New("--rpc: " + term.Text(err.Error()))
}
