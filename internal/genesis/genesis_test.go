package genesis_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	pb "makechain/gen/makechain"
	"makechain/internal/genesis"
	"makechain/internal/ident"
	"makechain/internal/ledger"
)

func key(b byte) ident.PublicKey { return ident.PublicKey{31: b} }

func settlement() ledger.Settlement {
	return ledger.Settlement{
		ChainID: 31_337, Contract: ident.Address{5}, Threshold: 2,
		Attesters: []ledger.Attester{{Key: key(1), URL: "https://one.example"}, {Key: key(2)}},
	}
}

func example() *genesis.Genesis {
	return &genesis.Genesis{
		Rules:      ledger.RulesVersion,
		ChainID:    "makechain-test",
		Network:    pb.Network_NETWORK_DEVNET,
		Time:       time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC),
		Settlement: settlement(),
		Consensus:  genesis.DefaultConsensus(),
		Validators: []genesis.Validator{{PublicKey: key(3), Power: 10, Name: "first"}},
	}
}

func encode(t testing.TB, g *genesis.Genesis) string {
	t.Helper()
	encoded, err := genesis.Encode(g)
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded)
}

// TestRoundTrip checks that an encoded genesis parses to an equal one, with and without attesters.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	alone := example()
	alone.Settlement = ledger.Settlement{}
	for name, want := range map[string]*genesis.Genesis{"attesters": example(), "no attesters": alone} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := genesis.Parse([]byte(encode(t, want)))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("read back (-want +got):\n%s", diff)
			}
		})
	}
}

// TestParams checks that Params returns a copy of the parameters of the ledger.
//
// Rules: P8.2.
func TestParams(t *testing.T) {
	t.Parallel()
	g := example()
	params := g.Params()
	want := ledger.Params{Network: g.Network, ChainID: g.ChainID, Rules: ledger.RulesVersion, Settlement: settlement()}
	if diff := cmp.Diff(want, params); diff != "" {
		t.Errorf("params (-want +got):\n%s", diff)
	}
	params.Settlement.Attesters[0].Key = key(9)
	if g.Settlement.Attesters[0].Key != key(1) {
		t.Error("the ledger's params share memory with the genesis")
	}
}

// TestValidate checks that each invalid field is reported by its name.
func TestValidate(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*genesis.Genesis)
		field  string
	}{
		"no chain id":          {func(g *genesis.Genesis) { g.ChainID = "" }, "chain_id"},
		"long chain id":        {func(g *genesis.Genesis) { g.ChainID = strings.Repeat("a", 51) }, "chain_id"},
		"space in chain id":    {func(g *genesis.Genesis) { g.ChainID = "a b" }, "chain_id"},
		"no network":           {func(g *genesis.Genesis) { g.Network = pb.Network_NETWORK_NONE }, "network"},
		"unknown network":      {func(g *genesis.Genesis) { g.Network = 9 }, "network"},
		"no time":              {func(g *genesis.Genesis) { g.Time = time.Time{} }, "time"},
		"fraction of a second": {func(g *genesis.Genesis) { g.Time = g.Time.Add(time.Millisecond) }, "time"},
		"another time zone":    {func(g *genesis.Genesis) { g.Time = g.Time.In(time.FixedZone("", 3600)) }, "time"},
		"after 2106":           {func(g *genesis.Genesis) { g.Time = g.Time.AddDate(100, 0, 0) }, "time"},
		"no settlement chain":  {func(g *genesis.Genesis) { g.Settlement.ChainID = 0 }, "settlement.chain_id"},
		"settlement chain":     {func(g *genesis.Genesis) { g.Settlement.ChainID = 1 << 53 }, "settlement.chain_id"},
		"no contract": {func(g *genesis.Genesis) {
			g.Network, g.Settlement.Contract = pb.Network_NETWORK_TESTNET, ident.Address{}
		}, "settlement.contract"},
		"attester not set":      {func(g *genesis.Genesis) { g.Settlement.Attesters[1].Key = key(0) }, "settlement.attesters[1].public_key"},
		"attester small order":  {func(g *genesis.Genesis) { g.Settlement.Attesters[1].Key = ident.PublicKey{1} }, "settlement.attesters[1].public_key"},
		"attester twice":        {func(g *genesis.Genesis) { g.Settlement.Attesters[1].Key = key(1) }, "settlement.attesters[1].public_key"},
		"long attester URL":     {func(g *genesis.Genesis) { g.Settlement.Attesters[1].URL = "http://" + strings.Repeat("a", 250) }, "settlement.attesters[1].url"},
		"attester URL":          {func(g *genesis.Genesis) { g.Settlement.Attesters[1].URL = "ftp://a" }, "settlement.attesters[1].url"},
		"too many attesters":    {func(g *genesis.Genesis) { g.Settlement.Attesters = make([]ledger.Attester, 65) }, "settlement.attesters"},
		"threshold 0":           {func(g *genesis.Genesis) { g.Settlement.Threshold = 0 }, "settlement.threshold"},
		"threshold too high":    {func(g *genesis.Genesis) { g.Settlement.Threshold = 3 }, "settlement.threshold"},
		"threshold of nobody":   {func(g *genesis.Genesis) { g.Settlement.Attesters = nil }, "settlement.threshold"},
		"no validators":         {func(g *genesis.Genesis) { g.Validators = nil }, "validators"},
		"too many validators":   {func(g *genesis.Genesis) { g.Validators = make([]genesis.Validator, 1001) }, "validators"},
		"validator without key": {func(g *genesis.Genesis) { g.Validators[0].PublicKey = key(0) }, "validators[0].public_key"},
		"validator small order": {func(g *genesis.Genesis) { g.Validators[0].PublicKey = ident.PublicKey{31: 0x80} }, "validators[0].public_key"},
		"validator twice":       {func(g *genesis.Genesis) { g.Validators = append(g.Validators, g.Validators[0]) }, "validators[1].public_key"},
		"validator power 0":     {func(g *genesis.Genesis) { g.Validators[0].Power = 0 }, "validators[0].power"},
		"validator power":       {func(g *genesis.Genesis) { g.Validators[0].Power = genesis.MaxTotalPower + 1 }, "validators[0].power"},
		"sum of power": {func(g *genesis.Genesis) {
			g.Validators = append(g.Validators, genesis.Validator{PublicKey: key(4), Power: genesis.MaxTotalPower})
		}, "validators[1].power"},
		"validator name":      {func(g *genesis.Genesis) { g.Validators[0].Name = strings.Repeat("n", 65) }, "validators[0].name"},
		"validator name text": {func(g *genesis.Genesis) { g.Validators[0].Name = "\xff" }, "validators[0].name"},
		"no block bytes":      {func(g *genesis.Genesis) { g.Consensus.MaxBlockBytes = 0 }, "consensus.max_block_bytes"},
		"block without room":  {func(g *genesis.Genesis) { g.Consensus.MaxBlockBytes = ledger.MaxBlockBytes + 1<<16 }, "consensus.max_block_bytes"},
		"huge blocks":         {func(g *genesis.Genesis) { g.Consensus.MaxBlockBytes = 1 << 30 }, "consensus.max_block_bytes"},
		"evidence 0":          {func(g *genesis.Genesis) { g.Consensus.MaxEvidenceBytes = 0 }, "consensus.max_evidence_bytes"},
		"evidence fills block": {func(g *genesis.Genesis) {
			g.Consensus.MaxEvidenceBytes = g.Consensus.MaxBlockBytes
		}, "consensus.max_block_bytes"},
		"evidence blocks": {func(g *genesis.Genesis) { g.Consensus.EvidenceMaxAgeBlocks = 0 }, "consensus.evidence_max_age_blocks"},
		"evidence age":    {func(g *genesis.Genesis) { g.Consensus.EvidenceMaxAge = 0 }, "consensus.evidence_max_age_seconds"},
		"evidence half second": {func(g *genesis.Genesis) {
			g.Consensus.EvidenceMaxAge = 1500 * time.Millisecond
		}, "consensus.evidence_max_age_seconds"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := example()
			test.change(g)
			wantField(t, g.Validate(), test.field)
			_, err := genesis.Encode(g)
			wantField(t, err, test.field)
		})
	}
}

// TestDifference checks the name of the field in which two genesis differ.
func TestDifference(t *testing.T) {
	t.Parallel()
	if field := example().Difference(example()); field != "" {
		t.Errorf("%s of the same genesis differs", field)
	}
	for field, change := range map[string]func(*genesis.Genesis){
		"chain_id":   func(g *genesis.Genesis) { g.ChainID = "another" },
		"network":    func(g *genesis.Genesis) { g.Network = pb.Network_NETWORK_MAINNET },
		"time":       func(g *genesis.Genesis) { g.Time = g.Time.Add(time.Second) },
		"settlement": func(g *genesis.Genesis) { g.Settlement.Contract[19]++ },
		"consensus":  func(g *genesis.Genesis) { g.Consensus.EvidenceMaxAgeBlocks++ },
		"validators": func(g *genesis.Genesis) { g.Validators[0].Power++ },
	} {
		changed := example()
		change(changed)
		if got := example().Difference(changed); got != field {
			t.Errorf("%q differs, want %q", got, field)
		}
	}
}

// TestFullBlockFits checks the smallest block size for a number of validators.
//
// Rules: P6.5.
func TestFullBlockFits(t *testing.T) {
	t.Parallel()
	g := example()
	g.Consensus.MaxBlockBytes = ledger.MaxBlockBytes + 64<<10 + 4<<10 + g.Consensus.MaxEvidenceBytes
	if err := g.Validate(); err != nil {
		t.Error(err)
	}
	g.Consensus.MaxBlockBytes--
	wantField(t, g.Validate(), "consensus.max_block_bytes")
}

func wantField(t *testing.T, err error, field string) {
	t.Helper()
	wrong := new(genesis.FieldError)
	if !errors.As(err, &wrong) || wrong.Field != field {
		t.Errorf("got %v, want an error in %s", err, field)
	}
}

// TestParseStrictly checks that Parse refuses inputs that are not exactly a genesis.
func TestParseStrictly(t *testing.T) {
	t.Parallel()
	good := encode(t, example())
	for name, test := range map[string]struct{ old, with, want string }{
		"first rules":          {`"rules_version": 4,`, ``, "rules_version is 1"},
		"later rules":          {`"rules_version": 4`, `"rules_version": 5`, "rules_version is 5"},
		"second rules":         {`"rules_version": 4`, `"rules_version": 2`, "rules_version is 2, this program has versions 3 and 4"},
		"negative rules":       {`"rules_version": 4`, `"rules_version": -1`, "rules_version"},
		"unknown field":        {`"network"`, `"colour": 1, "network"`, "colour"},
		"unknown inner field":  {`"threshold"`, `"colour": 1, "threshold"`, "colour"},
		"field twice":          {`"network"`, `"network": "mainnet", "network"`, "network is a duplicate name"},
		"field twice by case":  {`"network"`, `"Network": "mainnet", "network"`, "network is a duplicate name"},
		"inner field twice":    {`"threshold"`, `"threshold": 1, "threshold"`, "threshold is a duplicate name"},
		"network number":       {`"devnet"`, `3`, "network"},
		"network name":         {`"devnet"`, `"DEVNET"`, "network"},
		"attester not hex":     {`"` + key(2).String(), `"xy` + key(2).String()[2:], "settlement.attesters[1].public_key"},
		"contract":             {`"0x05`, `"0x`, "settlement.contract"},
		"attester too short":   {`"` + key(2).String(), `"` + key(2).String()[2:], "settlement.attesters[1].public_key"},
		"validator key":        {`"` + key(3).String(), `"`, "validators[0].public_key"},
		"time zone":            {`12:00:00Z`, `12:00:00+00:00`, "time"},
		"time missing":         {`"time": "2026-03-01T12:00:00Z",`, ``, "time"},
		"age overflows":        {`172800`, `9223372036854775807`, "consensus.evidence_max_age_seconds"},
		"age negative":         {`172800`, `-1`, "consensus.evidence_max_age_seconds"},
		"trailing object":      {"\n}", "\n}{}", "unexpected data"},
		"not an object":        {good, "[]", "genesis"},
		"nothing":              {good, "", "genesis"},
		"nested without end":   {good, strings.Repeat("[", 100), "nested"},
		"broken in the middle": {`"threshold": 2`, `"threshold": `, "genesis"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			changed := strings.Replace(good, test.old, test.with, 1)
			if changed == good {
				t.Fatal("the change does not apply")
			}
			if _, err := genesis.Parse([]byte(changed)); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got error %v, want one that contains %q", err, test.want)
			}
		})
	}
}

// FuzzParse checks that Parse does not panic, and that an accepted genesis encodes and parses to an equal one.
func FuzzParse(f *testing.F) {
	f.Add([]byte(encode(f, example())))
	f.Add([]byte(`{"chain_id":"a","network":"devnet"}`))
	f.Fuzz(func(t *testing.T, input []byte) {
		g, err := genesis.Parse(input)
		if err != nil {
			return
		}
		again, err := genesis.Parse([]byte(encode(t, g)))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(g, again); diff != "" {
			t.Errorf("read again (-first +second):\n%s", diff)
		}
	})
}
