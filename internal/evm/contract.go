package evm

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"golang.org/x/crypto/sha3"

	"makechain/internal/ident"
)

const (
	// MaxRents is the maximum number of Rented events of a block. A block with more is refused. A transaction spends more than
	// 10,000 gas for each, so a block of a hundred million gas has fewer.
	MaxRents = 10_000

	// wordSize is the size of a value in the encoding of contracts.
	wordSize = 32
	// rentTopics is the number of topics of a Rented event: its signature and the two indexed parameters.
	rentTopics = 3
)

// A Rent is one Rented event: a payment for storage.
type Rent struct {
	TxHash    ident.Hash
	LogIndex  uint32
	Owner     ident.Address // the account that receives the storage
	Actor     ident.Address // the payer
	Units     uint32
	Timestamp uint64 // Unix seconds
}

// keccak256 returns the Keccak-256 hash of bytes.
func keccak256(b []byte) (digest ident.Hash) {
	h := sha3.NewLegacyKeccak256()
	_, _ = h.Write(b) // it never fails
	h.Sum(digest[:0])
	return digest
}

// rentedTopic is the first topic of a Rented event.
func rentedTopic() ident.Hash { return keccak256([]byte("Rented(address,address,uint32,uint64)")) }

// selector returns the first bytes of a call of a function.
func selector(signature string) []byte {
	digest := keccak256([]byte(signature))
	return digest[:4]
}

// RentCall returns the data of a transaction that rents units of storage for an account.
func RentCall(owner ident.Address, units uint32) []byte {
	call := append(selector("rent(address,uint32)"), make([]byte, wordSize-len(owner))...)
	call = append(append(call, owner[:]...), make([]byte, wordSize-4)...)
	return binary.BigEndian.AppendUint32(call, units)
}

type logDocument struct {
	Address     address   `json:"address"`
	Topics      []hash    `json:"topics"`
	Data        data      `json:"data"`
	BlockNumber *quantity `json:"blockNumber"`
	BlockHash   *hash     `json:"blockHash"`
	TxHash      *hash     `json:"transactionHash"`
	LogIndex    *quantity `json:"logIndex"`
	Removed     bool      `json:"removed"`
}

// A logList is the events of a block, at most MaxRents.
type logList []logDocument

// UnmarshalJSON decodes one event at a time, so that the limit applies before memory is allocated.
func (l *logList) UnmarshalJSON(encoded []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	if opening, err := decoder.Token(); err != nil || opening != json.Delim('[') {
		return errors.New("the events are not a list")
	}
	for decoder.More() {
		if len(*l) == MaxRents {
			return fmt.Errorf("a block has more than %d events", MaxRents)
		}
		var one logDocument
		if err := decoder.Decode(&one); err != nil {
			return err
		}
		*l = append(*l, one)
	}
	return nil
}

// rents checks the events of a block against what was asked for.
func (l logList) rents(contract ident.Address, block Block) ([]Rent, error) {
	var rents []Rent
	for _, one := range l {
		rent, err := one.rent(contract, block)
		if err != nil {
			return nil, err
		}
		if len(rents) > 0 && rent.LogIndex <= rents[len(rents)-1].LogIndex {
			return nil, fmt.Errorf("event %d follows event %d", rent.LogIndex, rents[len(rents)-1].LogIndex)
		}
		rents = append(rents, rent)
	}
	return rents, nil
}

func (d *logDocument) rent(contract ident.Address, block Block) (Rent, error) {
	switch {
	case d.BlockNumber == nil || d.BlockHash == nil || d.TxHash == nil || d.LogIndex == nil:
		return Rent{}, errors.New("an event without its place in the chain")
	case d.Removed || uint64(*d.BlockNumber) != block.Number || ident.Hash(*d.BlockHash) != block.Hash:
		return Rent{}, fmt.Errorf("an event of block %d %x", *d.BlockNumber, *d.BlockHash)
	case ident.Address(d.Address) != contract || len(d.Topics) != rentTopics || ident.Hash(d.Topics[0]) != rentedTopic():
		return Rent{}, fmt.Errorf("an event of contract %x, which was not asked for", d.Address)
	case len(d.Data) != 2*wordSize || uint64(*d.LogIndex) > math.MaxUint32:
		return Rent{}, fmt.Errorf("event %d has %d bytes of data", *d.LogIndex, len(d.Data))
	}
	owner, ownerErr := word(d.Topics[1]).address()
	actor, actorErr := word(d.Topics[2]).address()
	units, unitsErr := word(d.Data[:wordSize]).uint64()
	timestamp, timeErr := word(d.Data[wordSize:]).uint64()
	if err := errors.Join(ownerErr, actorErr, unitsErr, timeErr); err != nil {
		return Rent{}, err
	}
	if units == 0 || units > math.MaxUint32 || timestamp != block.Timestamp {
		return Rent{}, fmt.Errorf("event %d has %d units and the time %d in a block of %d", *d.LogIndex, units, timestamp, block.Timestamp)
	}
	return Rent{
		TxHash: ident.Hash(*d.TxHash), LogIndex: uint32(*d.LogIndex), Owner: owner, Actor: actor, Units: uint32(units), Timestamp: timestamp,
	}, nil
}

// A word is a value in the encoding of contracts.
type word [wordSize]byte

func (w word) address() (a ident.Address, err error) {
	if !isZero(w[:wordSize-len(a)]) {
		return a, fmt.Errorf("%x is not an address", w)
	}
	return ident.Address(w[wordSize-len(a):]), nil
}

func (w word) uint64() (uint64, error) {
	if !isZero(w[:wordSize-8]) {
		return 0, fmt.Errorf("%x is not an integer of 64 bits", w)
	}
	return binary.BigEndian.Uint64(w[wordSize-8:]), nil
}

func isZero(b []byte) bool { return len(bytes.TrimLeft(b, "\x00")) == 0 }
