package settlement_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"
	"time"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	devpb "makechain/gen/makechain/dev"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/ledgertest"
	"makechain/internal/schema"
	"makechain/internal/settlement"
	"makechain/message"
)

// TestFaucet checks that the ledger of a chain with this attester accepts every claim of the faucet.
//
// Rules: P8.2.
func TestFaucet(t *testing.T) {
	t.Parallel()
	attester, err := settlement.LoadAttester(filepath.Join(t.TempDir(), "attester_key"), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	world := ledgertest.NewWithParams(t, ledger.Params{
		Network: pb.Network_NETWORK_DEVNET, ChainID: "faucet-1", Settlement: settlement.FaucetSettlement(attester.Key()),
	})
	faucet := &settlement.Faucet{
		Attester: attester, Domain: func() (message.SettlementDomain, error) { return world.Params.Settlement.Domain(&world.Params), nil },
		Submit: func(_ context.Context, m *message.Envelope) (*message.Refusal, error) {
			_, refusal := world.Apply(m)
			return refusal, nil
		},
		Now:    func() time.Time { return time.Unix(int64(world.Block.Time), 0) },
		Random: rand.Reader,
	}
	owner := world.Actor("alice").Address
	for _, units := range []uint32{0, 3} {
		answer, err := faucet.Claim(t.Context(), connect.NewRequest(&devpb.ClaimRequest{OwnerAddress: owner[:], Units: units}))
		if err != nil {
			t.Fatal(err)
		}
		if len(answer.Msg.GetHash()) != ident.HashSize {
			t.Errorf("hash has %d bytes", len(answer.Msg.GetHash()))
		}
	}
	var row pb.AccountRow
	world.Load(schema.AccountKey(owner), &row)
	if row.GetStorageUnits() != 4 {
		t.Errorf("the account has %d units, want 1 and 3", row.GetStorageUnits())
	}
}

func TestFaucetRefuses(t *testing.T) {
	t.Parallel()
	faucet := &settlement.Faucet{}
	for _, req := range []*devpb.ClaimRequest{
		{},
		{OwnerAddress: make([]byte, 19)},
		{OwnerAddress: make([]byte, 20), Units: settlement.MaxFaucetUnits + 1},
	} {
		if _, err := faucet.Claim(t.Context(), connect.NewRequest(req)); connect.CodeOf(err) != connect.CodeInvalidArgument {
			t.Errorf("%v: %v, want invalid_argument", req, err)
		}
	}
}

// TestFaucetRefusals checks the errors when the node refuses the claim or cannot validate it yet.
func TestFaucetRefusals(t *testing.T) {
	t.Parallel()
	attester, err := settlement.LoadAttester(filepath.Join(t.TempDir(), "attester_key"), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for refused, want := range map[message.Code]connect.Code{
		message.CodeUnavailable:              connect.CodeUnavailable,
		message.CodeInsufficientAttestations: connect.CodeFailedPrecondition,
	} {
		faucet := &settlement.Faucet{
			Attester: attester, Domain: func() (message.SettlementDomain, error) { return ledgertest.Domain(), nil }, Now: time.Now, Random: rand.Reader,
			Submit: func(context.Context, *message.Envelope) (*message.Refusal, error) {
				return message.Refuse(message.StateTransition, refused, "no"), nil
			},
		}
		_, err := faucet.Claim(t.Context(), connect.NewRequest(&devpb.ClaimRequest{OwnerAddress: make([]byte, ident.AddressSize)}))
		if connect.CodeOf(err) != want {
			t.Errorf("%s is returned as %v, want %s", refused, err, want)
		}
	}
}

// TestFaucetLimits checks the limits of an account: they do not affect other accounts, end after an hour, and do not count
// claims that were not submitted.
func TestFaucetLimits(t *testing.T) {
	t.Parallel()
	attester, err := settlement.LoadAttester(filepath.Join(t.TempDir(), "attester_key"), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	now, refusal := time.Unix(1_800_000_000, 0), (*message.Refusal)(nil)
	faucet := &settlement.Faucet{
		Domain:   func() (message.SettlementDomain, error) { return ledgertest.Domain(), nil },
		Attester: attester, Random: rand.Reader,
		Now:    func() time.Time { return now },
		Submit: func(context.Context, *message.Envelope) (*message.Refusal, error) { return refusal, nil },
	}
	claim := func(account byte, units uint32, want connect.Code) {
		t.Helper()
		owner := ident.Address{account}
		_, err := faucet.Claim(t.Context(), connect.NewRequest(&devpb.ClaimRequest{OwnerAddress: owner[:], Units: units}))
		if (err != nil || want != 0) && connect.CodeOf(err) != want {
			t.Errorf("claim of %d units: %v, want code %d", units, err, want)
		}
	}
	refusal = message.Refuse(message.StateTransition, message.CodeUnavailable, "starting")
	for range settlement.MaxFaucetClaims + 1 {
		claim(1, settlement.MaxFaucetUnits, connect.CodeUnavailable)
	}
	refusal = nil
	for range settlement.MaxFaucetClaims {
		claim(1, 1, 0)
	}
	claim(1, 1, connect.CodeResourceExhausted)
	claim(2, settlement.MaxFaucetUnits-1, 0)
	claim(2, 2, connect.CodeResourceExhausted)
	claim(2, 1, 0)
	now = now.Add(time.Hour - time.Second)
	claim(1, 1, connect.CodeResourceExhausted)
	now = now.Add(time.Second)
	claim(1, settlement.MaxFaucetUnits, 0)
}

// TestFaucetMemory checks that claims of any number of accounts use a limited memory and do not exhaust the faucet.
func TestFaucetMemory(t *testing.T) {
	t.Parallel()
	faucet := &settlement.Faucet{Now: func() time.Time { return time.Unix(1_800_000_000, 0) }}
	const accounts = 250_000
	for i := range uint32(accounts) {
		if err := faucet.Reserve(ident.Address(binary.BigEndian.AppendUint32(make([]byte, 16), i)), 1); err != nil {
			t.Fatal(err)
		}
	}
	if remembered := faucet.Remembered(); remembered > 100_000 {
		t.Errorf("the claims of %d accounts are remembered, want at most 100,000", remembered)
	}
}

// TestAttesterKey checks that a generated key is stored with private permissions and loaded again.
func TestAttesterKey(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "attester_key")
	first, err := settlement.LoadAttester(path, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	second, err := settlement.LoadAttester(path, bytes.NewReader(nil))
	if err != nil {
		t.Fatal(err)
	}
	if first.Key() != second.Key() {
		t.Error("the second start has another key")
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the key's file has mode %o", info.Mode().Perm())
	}
	for _, text := range []string{"", "00", "zz"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := settlement.LoadAttester(path, rand.Reader); err == nil {
			t.Errorf("%q is accepted as a key", text)
		}
	}
}
