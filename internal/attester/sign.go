package attester

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"makechain/internal/custody"
	"makechain/internal/ident"
	"makechain/message"
)

// An Attestation is a signature over a payment, with everything that a claim of it contains.
type Attestation struct {
	ChainID           string `json:"chain_id"`
	SettlementChainID uint64 `json:"settlement_chain_id"`
	Contract          string `json:"contract"`
	Tx                string `json:"tx"`
	LogIndex          uint32 `json:"log_index"`
	BlockNumber       uint64 `json:"block_number"`
	BlockHash         string `json:"block_hash"`
	Owner             string `json:"owner"`
	Actor             string `json:"actor"`
	Units             uint32 `json:"units"`
	Timestamp         uint64 `json:"timestamp"`
	Attester          string `json:"attester"`
	Signature         string `json:"signature"`
}

// maxSignatures is the number of signatures that are remembered.
const maxSignatures = 10_000

// attest signs a payment under the settlement in force. Signatures are deterministic, so they are not stored. It returns a *HaltError if
// the key or the payment must not be used.
func (a *Attester) attest(ctx context.Context, settlement *Settlement, p *Payment) (*Attestation, error) {
	key := a.config.Signer.Key()
	if !settlement.has(key) {
		return nil, a.refuse(&HaltError{ReasonNotAttester, "", fmt.Sprintf("%s is not one of the attesters in force", key)})
	}
	payment := message.Settlement{Units: p.Units, TxHash: p.TxHash, LogIndex: p.LogIndex, Actor: p.Actor, Timestamp: p.Timestamp}
	digest := payment.Digest(settlement.Domain, p.Owner)
	a.mu.Lock()
	signature := a.signatures[digest]
	a.mu.Unlock()
	if signature == nil {
		var err error
		if signature, err = a.config.Signer.Sign(ctx, digest); err == nil {
			err = custody.VerifyAttestation(digest, key, signature)
		}
		if err != nil {
			return nil, a.refuse(&HaltError{ReasonSigner, "", err.Error()})
		}
		a.metrics.signed.Inc()
		a.mu.Lock()
		if len(a.signatures) == maxSignatures {
			clear(a.signatures)
		}
		a.signatures[digest] = signature
		a.mu.Unlock()
	}
	return &Attestation{
		ChainID: settlement.Domain.ChainID, SettlementChainID: settlement.Domain.SettlementChainID, Contract: settlement.Domain.Contract.String(),
		Tx: "0x" + p.TxHash.String(), LogIndex: p.LogIndex, BlockNumber: p.BlockNumber, BlockHash: "0x" + p.BlockHash.String(),
		Owner: p.Owner.String(), Actor: p.Actor.String(), Units: p.Units, Timestamp: p.Timestamp,
		Attester: key.String(), Signature: hex.EncodeToString(signature),
	}, nil
}

// refuse counts a payment that is not signed.
func (a *Attester) refuse(halted *HaltError) error {
	a.metrics.refused.WithLabelValues(string(halted.Reason)).Inc()
	return halted
}

const (
	// signerTimeout is how long an external signer may take for a signature.
	signerTimeout = 30 * time.Second
	// maxSignerOutput is the maximum size of what it prints, in bytes.
	maxSignerOutput = 4 << 10
)

// A CommandSigner runs a program for each signature. The program reads a line of JSON from its standard input, with the public key and the
// digest in hexadecimal digits, and prints the signature in 128 hexadecimal digits.
type CommandSigner struct {
	Command   string // a path or a name, without arguments
	PublicKey ident.PublicKey
}

// Key returns the public key.
func (s CommandSigner) Key() ident.PublicKey { return s.PublicKey }

// Sign runs the program.
func (s CommandSigner) Sign(ctx context.Context, digest ident.Hash) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, signerTimeout)
	defer cancel()
	request, err := json.Marshal(map[string]string{"public_key": s.PublicKey.String(), "digest": digest.String()})
	if err != nil {
		return nil, err
	}
	command := exec.CommandContext(ctx, s.Command) //nolint:gosec // the operator names the program
	output := &limitedBuffer{limit: maxSignerOutput}
	command.Stdin, command.Stdout, command.Stderr, command.WaitDelay = bytes.NewReader(append(request, '\n')), output, os.Stderr, time.Second
	if err := command.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w", s.Command, err)
	}
	signature, err := hex.DecodeString(strings.TrimSpace(output.written.String()))
	if err != nil || len(signature) != ed25519.SignatureSize {
		return nil, fmt.Errorf("%s did not print a signature of %d hexadecimal digits", s.Command, 2*ed25519.SignatureSize)
	}
	return signature, nil
}

// A limitedBuffer fails writes beyond a limit. The buffer is not embedded: io.Copy would use its ReadFrom, which has no limit.
type limitedBuffer struct {
	written bytes.Buffer
	limit   int
}

// Write appends to the buffer.
func (b *limitedBuffer) Write(p []byte) (int, error) {
	if b.written.Len()+len(p) > b.limit {
		return 0, errors.New("the program prints too much")
	}
	return b.written.Write(p)
}
