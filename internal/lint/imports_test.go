package lint

import "testing"

func TestCheckImports(t *testing.T) {
	t.Parallel()
	const (
		pure  = "a package that decides has no files, network, logs or randomness"
		local = "a package that decides imports only packages that decide"
		other = "not one of the modules a package that decides may use"
		comet = "only proof/finality, internal/abci and internal/comet know CometBFT"
	)
	tests := []struct{ dir, imported, reason string }{
		{"message", "io", ""},
		{"message", "time", ""},
		{"message", "net/url", ""},
		{"message", "google.golang.org/protobuf/proto", ""},
		{"message", "makechain/gen/makechain", ""},
		{"message", "makechain/internal/ident", ""},
		{"message", "os", pure},
		{"message", "io/fs", pure},
		{"message", "net/http", pure},
		{"message", "log/slog", pure},
		{"message", "math/rand/v2", pure},
		{"message", "crypto/rand", pure},
		{"message", "database/sql", pure},
		{"message", "connectrpc.com/connect", other},
		{"message", "makechain/gen/makechain/makechainpbconnect", local},
		{"internal/ledger", "makechain/internal/store", local},
		{"internal/ledger", "makechain/internal/merkle", ""},
		{"internal/merkle", "os", pure},
		{"internal/merkle", "runtime", pure},
		{"internal/merkle", "sync", ""},
		{"internal/merkle", "unsafe", ""},
		{"internal/ledger", "unsafe", "only the state tree lays out its own memory"},
		{"proof", "github.com/cometbft/cometbft/types", comet},
		{"proof/finality", "github.com/cometbft/cometbft/types", ""},
		{"internal/abci", "github.com/cometbft/cometbft/abci/types", ""},
		{"internal/rpc", "github.com/cometbft/cometbft/types", comet},
		{"internal/store", "github.com/cockroachdb/pebble/v2", ""},
		{"internal/store", "github.com/cockroachdb/pebble", ""},
		{"internal/index", "github.com/cockroachdb/pebble/v2", "only internal/store knows Pebble"},
		{"internal/rest", "makechain/internal/rpc", "adapters never import one another"},
		{"internal/store/verify", "makechain/internal/store", ""},
		{"internal/store", "os", ""},
		{"internal/node", "makechain/internal/store", ""},
		{"internal/rpc", "makechain/internal/node", "only commands build a node"},
		{"client", "makechain/internal/node", "only commands build a node"},
		{"client", "makechain/internal/server", "a client imports no part of a server"},
		{"client", "makechain/internal/identity", "a client imports no part of a server"},
		{"client", "makechain/internal/schema", ""},
		{"client", "makechain/proof/finality", ""},
		{"client", "makechain/gen/makechain/makechainpbconnect", ""},
		{"client", "connectrpc.com/connect", ""},
		{"client", "github.com/cometbft/cometbft/types", comet},
		{"cmd/makechain", "makechain/internal/node", ""},
	}
	for _, test := range tests {
		if reason := forbiddenImport(test.dir, test.imported); reason != test.reason {
			t.Errorf("%s imports %s: %q, want %q", test.dir, test.imported, reason, test.reason)
		}
	}
}

// TestCheckImportsReadsFiles checks that the declarations of a file are looked at, and that tests are free.
func TestCheckImportsReadsFiles(t *testing.T) {
	t.Parallel()
	const source = "package ledger\n\nimport (\n\t_ \"fmt\"\n\t_ \"os\"\n)\n"
	expect(t, CheckImports(fixture(t, "internal/ledger/block.go", source)), "internal/ledger/block.go:5: imports os")
	expect(t, CheckImports(fixture(t, "internal/ledger/block_test.go", source)))
}
