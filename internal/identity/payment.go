package identity

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"time"

	"makechain/internal/ident"
	"makechain/internal/keystore"
)

// ErrNoPayment is returned when a wallet has no unfinished payment.
var ErrNoPayment = errors.New("no unfinished payment")

// Payment is a signed transaction of the settlement chain that pays for storage. It is stored before it is sent and removed when the
// command that sends it is complete, so that a command that was killed in between sends the same transaction again and not another
// one. A wallet has at most one per settlement chain.
type Payment struct {
	From              ident.Address // the wallet
	SettlementChainID uint64
	Contract          ident.Address
	Owner             ident.Address // the account that receives the storage
	Units             uint32
	Value             *big.Int // in wei
	Nonce             uint64
	Hash              ident.Hash // of the transaction
	Raw               []byte     // the signed transaction
	CreatedAt         time.Time
}

// paymentJSON is the JSON form of a payment.
type paymentJSON struct {
	From              string    `json:"from"`
	SettlementChainID uint64    `json:"settlement_chain_id"`
	Contract          string    `json:"contract"`
	Owner             string    `json:"owner"`
	Units             uint32    `json:"units"`
	Value             string    `json:"value"`
	Nonce             uint64    `json:"nonce"`
	Hash              string    `json:"hash"`
	Raw               string    `json:"raw"`
	CreatedAt         time.Time `json:"created_at"`
}

// MarshalJSON is part of json.Marshaler.
func (p *Payment) MarshalJSON() ([]byte, error) {
	return json.Marshal(paymentJSON{
		From: p.From.String(), SettlementChainID: p.SettlementChainID, Contract: p.Contract.String(), Owner: p.Owner.String(), Units: p.Units,
		Value: p.Value.String(), Nonce: p.Nonce, Hash: p.Hash.String(), Raw: hex.EncodeToString(p.Raw), CreatedAt: p.CreatedAt,
	})
}

// UnmarshalJSON is part of json.Unmarshaler.
func (p *Payment) UnmarshalJSON(data []byte) error {
	var decoded paymentJSON
	if err := json.Unmarshal(data, &decoded); err != nil {
		return fmt.Errorf("not a payment: %w", err)
	}
	p.SettlementChainID, p.Units, p.Nonce, p.CreatedAt = decoded.SettlementChainID, decoded.Units, decoded.Nonce, decoded.CreatedAt
	var errs [6]error
	var isNumber bool
	if p.Value, isNumber = new(big.Int).SetString(decoded.Value, 10); !isNumber {
		errs[5] = fmt.Errorf("%.80q is not a value in wei", decoded.Value)
	}
	p.From, errs[0] = ident.ParseAddress(decoded.From)
	p.Contract, errs[1] = ident.ParseAddress(decoded.Contract)
	p.Owner, errs[2] = ident.ParseAddress(decoded.Owner)
	p.Hash, errs[3] = ident.ParseHash(decoded.Hash)
	p.Raw, errs[4] = hex.DecodeString(decoded.Raw)
	return errors.Join(errs[:]...)
}

func paymentName(from ident.Address, settlementChainID uint64) string {
	return fmt.Sprintf("%x-%d", from[:], settlementChainID)
}

// Payment returns the unfinished payment of a wallet, or ErrNoPayment.
func (s *Store) Payment(from ident.Address, settlementChainID uint64) (*Payment, error) {
	return s.payment(paymentName(from, settlementChainID))
}

func (s *Store) payment(name string) (*Payment, error) {
	data, err := s.payments.Read(name)
	if errors.Is(err, keystore.ErrNotFound) {
		return nil, ErrNoPayment
	}
	if err != nil {
		return nil, err
	}
	payment := new(Payment)
	if err := json.Unmarshal(data, payment); err != nil {
		return nil, fmt.Errorf("%s: %w", s.payments.Path(name), err)
	}
	return payment, nil
}

// AddPayment stores a payment durably. It returns keystore.ErrExists if the wallet has an unfinished one, also when another process stores
// it at the same time.
func (s *Store) AddPayment(payment *Payment) error {
	data, err := encode(payment)
	if err != nil {
		return err
	}
	return s.payments.Create(paymentName(payment.From, payment.SettlementChainID), data)
}

// RemovePayment removes a payment.
func (s *Store) RemovePayment(payment *Payment) error {
	return s.payments.Remove(paymentName(payment.From, payment.SettlementChainID))
}

// RemovePaymentOf removes the payment with the hash of a transaction, if there is one.
func (s *Store) RemovePaymentOf(tx ident.Hash) error {
	names, err := s.payments.Names()
	if err != nil {
		return err
	}
	for _, name := range names {
		if payment, err := s.payment(name); err == nil && payment.Hash == tx {
			return s.RemovePayment(payment)
		}
	}
	return nil
}
