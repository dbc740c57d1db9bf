package lint

import (
	"slices"
	"strings"
)

// purePackages decide what the protocol says. They know nothing of the world but their arguments.
func purePackages() []string {
	return []string{
		"internal/custody", "internal/genesis", "internal/ident", "internal/index", "internal/jsonform", "internal/ledger", "internal/limit",
		"internal/schema", "internal/validators", "message", "proof",
	}
}

// treePackage calculates like the pure packages, but may use several cores.
const treePackage = "internal/merkle"

// adapterPackages do input and output, one technology each.
func adapterPackages() []string {
	return []string{
		"internal/abci", "internal/comet", "internal/feed", "internal/keystore", "internal/mempool",
		"internal/rest", "internal/rpc", "internal/server", "internal/settlement", "internal/snapshot", "internal/store",
	}
}

// isPure says whether a directory belongs to a pure package.
func isPure(dir string) bool { return withinAny(dir, purePackages()) }

// isCalculating says whether the result of a package must be the same on every machine.
func isCalculating(dir string) bool { return isPure(dir) || within(dir, treePackage) }

// adapterOf names the adapter that a directory belongs to, or "" for none.
func adapterOf(dir string) string {
	for _, adapter := range adapterPackages() {
		if within(dir, adapter) {
			return adapter
		}
	}
	return ""
}

func withinAny(dir string, parents []string) bool {
	return slices.ContainsFunc(parents, func(parent string) bool { return within(dir, parent) })
}

// within says whether a slash-separated path is the parent or lies below it.
func within(dir, parent string) bool {
	return dir == parent || strings.HasPrefix(dir, parent+"/")
}
