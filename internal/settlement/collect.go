package settlement

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	pb "makechain/gen/makechain"
	"makechain/internal/custody"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/message"
)

const (
	// collectTimeout is how long one attester may take.
	collectTimeout = 15 * time.Second
	// maxAttestationBytes is the maximum size of an attester's answer.
	maxAttestationBytes = 16 << 10
	// maxReason is how much of an attester's problem document an error contains.
	maxReason = 300
)

// Payment names a payment on the settlement chain.
type Payment struct {
	Tx ident.Hash
	// LogIndex is the index of the log in its block. Without it, the transaction must contain one payment only.
	LogIndex *uint32
}

// Claimable is a payment that enough attesters have signed.
type Claimable struct {
	Owner ident.Address
	Claim *pb.StorageClaimBody
}

// CollectError is returned when too few attesters have signed a payment.
type CollectError struct {
	Valid, Required int
	// Reasons has a line for each attester whose signature does not count.
	Reasons []string
}

// Error returns the numbers and the reasons.
func (e *CollectError) Error() string {
	return fmt.Sprintf("%d of %d required attestations:\n  %s", e.Valid, e.Required, strings.Join(e.Reasons, "\n  "))
}

// Collect requests a payment's attestations from all attesters at once, verifies every signature, and returns the claim once the
// threshold is reached. Answers are limited in size and time, and redirects are not followed. It returns a *CollectError if there
// are too few valid signatures.
func Collect(ctx context.Context, domain custody.SettlementDomain, settlement *ledger.Settlement, payment Payment) (*Claimable, error) {
	if settlement.Threshold < 1 || len(settlement.Attesters) == 0 {
		return nil, errors.New("this chain has no attesters, so no storage can be claimed")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // the answers of other attesters are not needed any more
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true, DisableCompression: true}
	caller := &http.Client{
		Transport: transport, Timeout: collectTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	answers := make(chan answer, len(settlement.Attesters))
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel() // before the wait
	for _, attester := range settlement.Attesters {
		running.Go(func() { answers <- ask(ctx, caller, domain, attester, payment) })
	}
	failed := &CollectError{Required: settlement.Threshold}
	payments := map[ident.Hash]*Claimable{} // by the digest that was signed
	for range settlement.Attesters {
		a := <-answers
		if a.err != nil {
			failed.Reasons = append(failed.Reasons, fmt.Sprintf("%s: %v", a.from(), a.err))
			continue
		}
		found := payments[a.digest]
		if found == nil {
			found = &Claimable{Owner: a.owner, Claim: a.payment.Claim(domain)}
			payments[a.digest] = found
		}
		found.Claim.Attestations = append(found.Claim.Attestations, a.attestation)
		failed.Valid = max(failed.Valid, len(found.Claim.GetAttestations()))
		if len(found.Claim.GetAttestations()) == settlement.Threshold {
			return found, nil
		}
	}
	if len(payments) > 1 {
		failed.Reasons = append(failed.Reasons, "the attesters have signed different payments; name one with its log index")
	}
	slices.Sort(failed.Reasons)
	return nil, failed
}

// answer is what an attester has signed.
type answer struct {
	attester    ledger.Attester
	owner       ident.Address
	payment     message.Settlement
	digest      ident.Hash
	attestation *pb.SettlementAttestation
	err         error
}

// from returns how errors name the attester.
func (a *answer) from() string { return cmp.Or(a.attester.URL, "attester "+a.attester.Key.String()) }

// ask requests an attestation from one attester and verifies it.
func ask(ctx context.Context, caller *http.Client, domain custody.SettlementDomain, attester ledger.Attester, payment Payment) answer {
	a := answer{attester: attester}
	if attester.URL == "" {
		a.err = errors.New("has no URL")
		return a
	}
	address := strings.TrimSuffix(attester.URL, "/") + "/attestations/0x" + payment.Tx.String()
	if payment.LogIndex != nil {
		address += fmt.Sprintf("/%d", *payment.LogIndex)
	}
	var body []byte
	if body, a.err = get(ctx, caller, address); a.err == nil {
		a.err = a.verify(body, domain, payment)
	}
	return a
}

// get returns the body of a URL, or an error with the reason that the attester gives.
func get(ctx context.Context, caller *http.Client, address string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/json")
	response, err := caller.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAttestationBytes+1))
	switch {
	case err != nil:
		return nil, err
	case len(body) > maxAttestationBytes:
		return nil, fmt.Errorf("the answer has more than %d bytes", maxAttestationBytes)
	case response.StatusCode == http.StatusOK:
		return body, nil
	}
	var problem struct {
		Title  string `json:"title"`
		Detail string `json:"detail"`
	}
	_ = json.Unmarshal(body, &problem) // the status is known without it
	reason := cmp.Or(problem.Detail, problem.Title)
	return nil, fmt.Errorf("status %d %.*q", response.StatusCode, maxReason, reason)
}

// verify decodes an attestation and checks that it is for the payment and signed by the attester.
func (a *answer) verify(body []byte, domain custody.SettlementDomain, payment Payment) error {
	var document struct {
		Tx        string `json:"tx"`
		LogIndex  uint32 `json:"log_index"`
		Owner     string `json:"owner"`
		Actor     string `json:"actor"`
		Units     uint32 `json:"units"`
		Timestamp uint64 `json:"timestamp"`
		Signature string `json:"signature"`
	}
	if err := json.Unmarshal(body, &document); err != nil {
		return fmt.Errorf("the answer is not an attestation: %w", err)
	}
	tx, err := ident.ParseHash(strings.TrimPrefix(document.Tx, "0x"))
	if err != nil || tx != payment.Tx || payment.LogIndex != nil && document.LogIndex != *payment.LogIndex {
		return errors.New("the answer is for another payment")
	}
	if a.owner, err = ident.ParseAddress(document.Owner); err != nil {
		return fmt.Errorf("owner: %w", err)
	}
	a.payment = message.Settlement{Units: document.Units, TxHash: tx, LogIndex: document.LogIndex, Timestamp: document.Timestamp}
	if a.payment.Actor, err = ident.ParseAddress(document.Actor); err != nil {
		return fmt.Errorf("actor: %w", err)
	}
	signature, err := hex.DecodeString(strings.TrimPrefix(document.Signature, "0x"))
	if err != nil {
		return errors.New("the signature is not hex")
	}
	a.digest = a.payment.Digest(domain, a.owner)
	if err := custody.VerifyAttestation(a.digest, a.attester.Key, signature); err != nil {
		return fmt.Errorf("signed with another key, or for another chain, contract, owner or number of units: %w", err)
	}
	a.attestation = &pb.SettlementAttestation{Attester: a.attester.Key[:], Signature: signature}
	return nil
}
