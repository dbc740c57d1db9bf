package comet_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	pb "makechain/gen/makechain"
	"makechain/internal/comet"
	"makechain/internal/genesis"
	"makechain/internal/ident"
	"makechain/internal/ledger"
)

const (
	genesisFile   = "config/genesis.json"
	nodeKeyFile   = "config/node_key.json"
	validatorFile = "config/priv_validator_key.json"
	signStateFile = "data/priv_validator_state.json"
)

func read(t *testing.T, home, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(home, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func write(t *testing.T, home, name, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(home, name), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestInit checks that a new home is readable by its owner only, and that its genesis has the current time and its own
// validator.
func TestInit(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "deep", "home")
	before := time.Now().Truncate(time.Second)
	if err := comet.Init(home, testGenesis()); err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]fs.FileMode{
		".": 0o700, "config": 0o700, "data": 0o700,
		nodeKeyFile: 0o600, validatorFile: 0o600, signStateFile: 0o600, genesisFile: 0o644,
	} {
		info, err := os.Stat(filepath.Join(home, name))
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != mode {
			t.Errorf("%s has mode %o, want %o", name, got, mode)
		}
	}
	g, err := comet.Genesis(home)
	if err != nil {
		t.Fatal(err)
	}
	if g.ChainID != chainID || g.Network != network || g.Settlement.Threshold != 1 || len(g.Validators) != 1 {
		t.Errorf("genesis %+v", g)
	}
	if g.Time.Before(before) || g.Time.After(time.Now()) {
		t.Errorf("genesis time %v, initialized at %v", g.Time, before)
	}
}

// TestInitExisting checks that Init changes nothing in an existing home.
func TestInitExisting(t *testing.T) {
	t.Parallel()
	home := newHome(t)
	files := []string{genesisFile, nodeKeyFile, validatorFile, signStateFile}
	before := make(map[string]string)
	for _, name := range files {
		before[name] = read(t, home, name)
	}
	g, err := comet.Genesis(home)
	if err != nil {
		t.Fatal(err)
	}
	for _, given := range []genesis.Genesis{testGenesis(), *g} {
		if err := comet.Init(home, given); err != nil {
			t.Error(err)
		}
	}
	for _, name := range files {
		if read(t, home, name) != before[name] {
			t.Errorf("%s has changed", name)
		}
	}
}

// TestInitAfterCrash checks that Init completes a home that was partly initialized.
func TestInitAfterCrash(t *testing.T) {
	t.Parallel()
	for _, missing := range [][]string{
		{genesisFile},
		{genesisFile, validatorFile},
		{genesisFile, validatorFile, signStateFile},
		{genesisFile, validatorFile, signStateFile, nodeKeyFile},
	} {
		home := newHome(t)
		for _, name := range missing {
			if err := os.Remove(filepath.Join(home, name)); err != nil {
				t.Fatal(err)
			}
		}
		if err := comet.Init(home, testGenesis()); err != nil {
			t.Errorf("without %v: %v", missing, err)
		}
		if _, err := comet.Genesis(home); err != nil {
			t.Errorf("without %v: %v", missing, err)
		}
	}
}

// TestInitDifferentGenesis checks that a different genesis is refused with the field that differs, and changes nothing.
func TestInitDifferentGenesis(t *testing.T) {
	t.Parallel()
	for field, change := range map[string]func(*genesis.Genesis){
		"chain_id":   func(g *genesis.Genesis) { g.ChainID = "another" },
		"network":    func(g *genesis.Genesis) { g.Network = pb.Network_NETWORK_TESTNET },
		"time":       func(g *genesis.Genesis) { g.Time = time.Unix(1_700_000_000, 0).UTC() },
		"settlement": func(g *genesis.Genesis) { g.Settlement.Attesters = []ledger.Attester{{Key: ident.PublicKey{2}}} },
		"consensus": func(g *genesis.Genesis) {
			g.Consensus = genesis.DefaultConsensus()
			g.Consensus.MaxBlockBytes++
		},
		"validators": func(g *genesis.Genesis) {
			g.Validators = []genesis.Validator{{PublicKey: ident.PublicKey{9}, Power: 1}}
		},
	} {
		t.Run(field, func(t *testing.T) {
			t.Parallel()
			home := newHome(t)
			before := read(t, home, genesisFile)
			given := testGenesis()
			change(&given)
			if err := comet.Init(home, given); err == nil || !strings.Contains(err.Error(), field+" differs") {
				t.Errorf("got %v", err)
			}
			if read(t, home, genesisFile) != before {
				t.Error("the genesis file has changed")
			}
		})
	}
}

// TestInitInvalid checks that an invalid genesis is refused and not written.
func TestInitInvalid(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	wrong := new(genesis.FieldError)
	if err := comet.Init(home, genesis.Genesis{ChainID: "x"}); !errors.As(err, &wrong) || wrong.Field != "network" {
		t.Errorf("got %v", err)
	}
	if _, err := comet.Genesis(home); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

// TestDamagedHome checks that an engine does not start in a damaged home and that the error names the file.
func TestDamagedHome(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		damage func(t *testing.T, home string)
		want   string
	}{
		"no genesis":           {remove(genesisFile), "genesis"},
		"genesis truncated":    {truncate(genesisFile), "genesis.json"},
		"genesis edited":       {replace(genesisFile, `"chain_id": "makechain-test",`, `"chain_id": "edited",`), "contradicts"},
		"state edited":         {replace(genesisFile, `"network": "devnet"`, `"network": "venus"`), "network"},
		"no node key":          {remove(nodeKeyFile), "node_key.json"},
		"node key truncated":   {truncate(nodeKeyFile), "node_key.json is damaged"},
		"node key empty":       {replace(nodeKeyFile, "", "{}"), "node_key.json contains no key"},
		"no validator key":     {remove(validatorFile), "priv_validator_key.json"},
		"validator truncated":  {truncate(validatorFile), "priv_validator_key.json is damaged"},
		"validator empty":      {replace(validatorFile, "", "{}"), "priv_validator_key.json contains no key"},
		"no sign state":        {remove(signStateFile), "sign a height twice"},
		"sign state truncated": {truncate(signStateFile), "priv_validator_state.json is damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := newHome(t)
			test.damage(t, home)
			_, err := comet.Start(t.Context(), testConfig(home), newMemoryApp(), testLog(t))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
		})
	}
}

func remove(name string) func(*testing.T, string) {
	return func(t *testing.T, home string) {
		t.Helper()
		if err := os.Remove(filepath.Join(home, name)); err != nil {
			t.Fatal(err)
		}
	}
}

func truncate(name string) func(*testing.T, string) {
	return func(t *testing.T, home string) {
		t.Helper()
		content := read(t, home, name)
		write(t, home, name, content[:len(content)/2])
	}
}

// replace replaces a text in a file, or the whole content if the text is empty.
func replace(name, before, after string) func(*testing.T, string) {
	return func(t *testing.T, home string) {
		t.Helper()
		content := read(t, home, name)
		changed := after
		if before != "" {
			changed = strings.Replace(content, before, after, 1)
		}
		if changed == content {
			t.Fatal("the text to replace was not found")
		}
		write(t, home, name, changed)
	}
}

// TestChangedGenesis checks that an engine does not start when the genesis file was changed after the first start.
func TestChangedGenesis(t *testing.T) {
	t.Parallel()
	home := newHome(t)
	app := newMemoryApp()
	engine := start(t, testConfig(home), app)
	submit(t, engine, accountMessage(t, 0))
	stop(t, engine)
	replace(genesisFile, ident.PublicKey{3}.String(), ident.PublicKey{2}.String())(t, home)
	_, err := comet.Start(t.Context(), testConfig(home), app, testLog(t))
	if err == nil || !strings.Contains(err.Error(), "settlement differs") {
		t.Errorf("got %v", err)
	}
	replace(genesisFile, ident.PublicKey{2}.String(), ident.PublicKey{3}.String())(t, home)
	submit(t, start(t, testConfig(home), app), accountMessage(t, 1))
}
