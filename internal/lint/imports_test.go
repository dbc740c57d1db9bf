package lint

import (
	"strings"
	"testing"
)

// The reasons for refusing an import.
const (
	noIO       = "pure and core packages do no I/O"
	random     = "a deterministic package depends neither on the machine nor on randomness"
	onlyPure   = "pure packages import only pure packages"
	onlyCore   = "core packages import only pure and core packages"
	module     = "not one of the modules that pure and core packages may import"
	memory     = "only the state tree manages its own memory"
	comet      = "only proof/finality, internal/abci and internal/comet import CometBFT"
	pebble     = "only internal/store imports Pebble"
	adapters   = "adapters never import one another"
	toWiring   = "adapters do not import wiring"
	clients    = "a client imports no part of a server"
	construct  = "only commands construct a node"
	testImport = "only tests import test support"
)

// TestForbiddenImport checks which imports each kind of package allows.
func TestForbiddenImport(t *testing.T) {
	t.Parallel()
	tests := []struct{ dir, imported, reason string }{
		{"message", "io", ""},
		{"message", "time", ""},
		{"message", "net/url", ""},
		{"message", "google.golang.org/protobuf/proto", ""},
		{"message", "makechain/gen/makechain", ""},
		{"message", "makechain/internal/ident", ""},
		{"message", "os", noIO},
		{"message", "io/fs", noIO},
		{"message", "net/http", noIO},
		{"message", "log/slog", noIO},
		{"message", "math/rand/v2", random},
		{"message", "crypto/rand", noIO},
		{"message", "database/sql", noIO},
		{"message", "connectrpc.com/connect", module},
		{"message", "makechain/gen/makechain/makechainpbconnect", onlyPure},
		{"internal/ledger", "makechain/internal/store", onlyPure},
		{"internal/ledger", "makechain/internal/mempool", onlyPure},
		{"internal/ledger", "makechain/internal/merkle", onlyPure},
		{"internal/ledger", "unsafe", memory},
		{"internal/merkle", "os", noIO},
		{"internal/merkle", "runtime", random},
		{"internal/merkle", "sync", ""},
		{"internal/merkle", "unsafe", ""},
		{"internal/mempool", "makechain/internal/ledger", ""},
		{"internal/mempool", "makechain/internal/feed", ""},
		{"internal/mempool", "makechain/internal/store", onlyCore},
		{"internal/mempool", "makechain/internal/node", construct},
		{"internal/mempool", "log/slog", noIO},
		{"internal/mempool", "connectrpc.com/connect", module},
		{"internal/backoff", "math/rand/v2", ""},
		{"proof", "github.com/cometbft/cometbft/types", comet},
		{"proof/finality", "github.com/cometbft/cometbft/types", ""},
		{"internal/abci", "github.com/cometbft/cometbft/abci/types", ""},
		{"internal/abci", "makechain/internal/mempool", ""},
		{"internal/rpc", "makechain/internal/feed", ""},
		{"internal/rpc", "makechain/internal/ledgertest", testImport},
		{"internal/rpc", "github.com/cometbft/cometbft/types", comet},
		{"internal/store", "github.com/cockroachdb/pebble/v2", ""},
		{"internal/store", "github.com/cockroachdb/pebble", ""},
		{"internal/index", "github.com/cockroachdb/pebble/v2", pebble},
		{"internal/rest", "makechain/internal/rpc", adapters},
		{"internal/rest", "makechain/internal/gateway", toWiring},
		{"internal/store/verify", "makechain/internal/store", ""},
		{"internal/store", "os", ""},
		{"internal/node", "makechain/internal/store", ""},
		{"internal/node", "makechain/internal/merkle/merkletest", testImport},
		{"internal/rpc", "makechain/internal/node", construct},
		{"client", "makechain/internal/node", construct},
		{"client", "makechain/internal/server", clients},
		{"client", "makechain/internal/mempool", clients},
		{"client", "makechain/internal/identity", clients},
		{"client", "makechain/internal/schema", ""},
		{"client", "makechain/internal/backoff", ""},
		{"client", "makechain/proof/finality", ""},
		{"client", "makechain/gen/makechain/makechainpbconnect", ""},
		{"client", "connectrpc.com/connect", ""},
		{"client", "github.com/cometbft/cometbft/types", comet},
		{"cmd/makechain", "makechain/internal/node", "only commands construct a node"},
		{"internal/cli/node", "makechain/internal/node", ""},
		{"internal/cli/project", "makechain/internal/cli/ref", "commands of different nouns never import one another"},
		{"internal/cli/project", "makechain/internal/cli/query", ""},
		{"internal/cli", "makechain/internal/cli/ref", ""},
	}
	for _, test := range tests {
		if reason := forbiddenImport(test.dir, test.imported); reason != test.reason {
			t.Errorf("%s imports %s: %q, want %q", test.dir, test.imported, reason, test.reason)
		}
	}
}

// TestCheckImports checks that the import declarations of product files are read, and that tests and test support may
// import anything.
func TestCheckImports(t *testing.T) {
	t.Parallel()
	const source = "package ledger\n\nimport (\n\t_ \"fmt\"\n\t_ \"os\"\n)\n"
	expect(t, CheckImports(fixture(t, "internal/ledger/block.go", source)), "internal/ledger/block.go:5: imports os")
	expect(t, CheckImports(fixture(t, "internal/ledger/block_test.go", source)))
	expect(t, CheckImports(fixture(t, "internal/ledgertest/block.go", source)))
}

// TestCheckKind checks that a package without a kind is found.
func TestCheckKind(t *testing.T) {
	t.Parallel()
	expect(t, CheckKind(fixture(t, "internal/ledger/block.go", "package ledger\n")))
	expect(t, CheckKind(fixture(t, "internal/cli/ref/ref.go", "package ref\n")))
	expect(t, CheckKind(fixture(t, "internal/unknown/unknown.go", "package unknown\n")), "internal/unknown: has no kind")
}

// TestKindsAreDocumented checks that the architecture page names every directory of packageKinds.
func TestKindsAreDocumented(t *testing.T) {
	t.Parallel()
	page := readPage(t, moduleRoot, "docs/architecture.md")
	for k, dirs := range packageKinds() {
		for _, dir := range dirs {
			if !strings.Contains(page, "`"+dir+"`") {
				t.Errorf("docs/architecture.md does not name the %s package %s", k, dir)
			}
		}
	}
}
