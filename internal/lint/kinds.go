package lint

import (
	"slices"
	"strings"
)

// kind is the kind of a package, which decides what it may import and do.
type kind string

const (
	// pure packages compute only: no I/O, clock, randomness or goroutines.
	pure kind = "pure"
	// core packages keep state in memory and may use the clock and goroutines. They do no I/O.
	core kind = "core"
	// adapter packages connect to one technology each and never import one another.
	adapter kind = "adapter"
	// wiring packages combine adapters.
	wiring kind = "wiring"
	// testSupport packages are imported by tests only.
	testSupport kind = "test support"
)

// packageKinds returns the directories of each kind. A directory has the kind of its longest entry here, so packages
// below it need none of their own.
func packageKinds() map[kind][]string {
	return map[kind][]string{
		pure: {
			"internal/consensus", "internal/content/digest", "internal/contentauth", "internal/custody", "internal/fsck", "internal/genesis",
			"internal/gitbundle", "internal/gitenv", "internal/gitid", "internal/ident",
			"internal/index", "internal/jsonform", "internal/ledger", "internal/limit", "internal/schema", "internal/statesync",
			"internal/validators", "message", "proof",
		},
		core: {"internal/backoff", "internal/feed", "internal/mempool", treePackage},
		adapter: {
			"client", "internal/abci", "internal/agent", "internal/comet", "internal/content", "internal/content/dirstore", "internal/content/s3store",
			"internal/evm", "internal/gitcache", "internal/gitrepo", "internal/keystore", "internal/rest", "internal/rpc",
			"internal/server", "internal/settlement", "internal/snapshot", "internal/store", "internal/storeclient", "internal/term",
			"web",
		},
		wiring: {
			"cmd", "internal/attester", "internal/cli", "internal/contentserver", "internal/gateway", "internal/history", "internal/identity",
			"internal/mirror", nodePackage, "internal/push", "internal/remotehelper", "internal/testnet",
		},
		testSupport: {
			"internal/abuse", "internal/capture", "internal/cli/clitest", "internal/comet/comettest", "internal/custody/custodytest",
			"internal/faults", "internal/gitrepo/gittest", "internal/histories",
			"internal/ledgertest", "internal/lint", "internal/merkle/merkletest", "internal/node/crash", "internal/node/nodetest", "internal/rest/fanout",
			"internal/settlement/settlementtest", "internal/simtest", "internal/vectors",
		},
	}
}

// treePackage is the state tree, which uses several goroutines but computes the same root on every machine.
const treePackage = "internal/merkle"

// kindOf returns the kind of a directory and its entry in packageKinds, or "" for a directory without a kind.
func kindOf(dir string) (k kind, entry string) {
	for candidate, dirs := range packageKinds() {
		for _, d := range dirs {
			if within(dir, d) && len(d) > len(entry) {
				k, entry = candidate, d
			}
		}
	}
	return k, entry
}

func isKind(dir string, kinds ...kind) bool {
	k, _ := kindOf(dir)
	return slices.Contains(kinds, k)
}

// isDeterministic reports whether the result of a package must be the same on every machine.
func isDeterministic(dir string) bool { return isKind(dir, pure) || dir == treePackage }

// CheckKind requires that every package has a kind.
func CheckKind(p *Package) []Finding {
	if k, _ := kindOf(p.Dir); k != "" || p.Dir == "" {
		return nil
	}
	return []Finding{{File: p.Dir, Text: "has no kind: add it to packageKinds in internal/lint/kinds.go"}}
}

func withinAny(dir string, parents []string) bool {
	return slices.ContainsFunc(parents, func(parent string) bool { return within(dir, parent) })
}

// within reports whether a slash-separated path is the parent or lies below it.
func within(dir, parent string) bool {
	return dir == parent || strings.HasPrefix(dir, parent+"/")
}
