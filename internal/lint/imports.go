package lint

import (
	"go/ast"
	"slices"
	"strconv"
	"strings"
)

// ioPackages are the packages of the standard library that do I/O, with all packages below them except
// computingPackages.
func ioPackages() []string {
	return []string{"crypto/rand", "database", "io/fs", "io/ioutil", "log", "net", "os", "plugin", "syscall", "testing"}
}

// nondeterministicPackages depend on the machine or on randomness, but do no I/O.
func nondeterministicPackages() []string { return []string{"math/rand", "runtime"} }

// computingPackages are below an I/O package and do no I/O.
func computingPackages() []string { return []string{"net/netip", "net/url"} }

// computingModules are the modules that pure and core packages may import: hashes, curves, formats and data structures.
func computingModules() []string {
	return []string{
		"github.com/cosmos/ics23/go",
		"github.com/decred/dcrd/dcrec/secp256k1/v4",
		"github.com/oasisprotocol/curve25519-voi",
		"github.com/tidwall/btree",
		"github.com/zeebo/blake3",
		"golang.org/x/crypto/sha3",
		"google.golang.org/protobuf",
	}
}

const (
	cometModule  = "github.com/cometbft"
	pebbleModule = "github.com/cockroachdb/pebble"
	nodePackage  = "internal/node"
	cliPackage   = "internal/cli"
	// clientPackage is public: it contains the protocol and the network access, and no part of a node.
	clientPackage  = "client"
	backoffPackage = "internal/backoff"
	// finalityPackage may import CometBFT's types, because a light block is one of them.
	finalityPackage = "proof/finality"
)

// CheckImports checks that packages import only what their kind allows. Tests may import anything.
func CheckImports(p *Package) []Finding {
	if isKind(p.Dir, testSupport) {
		return nil
	}
	var findings []Finding
	for _, file := range p.sources() {
		for _, spec := range file.AST.Imports {
			if reason := forbiddenImport(p.Dir, importPath(spec)); reason != "" {
				findings = append(findings, p.find(file, spec, "imports %s: %s", importPath(spec), reason))
			}
		}
	}
	return findings
}

func importPath(spec *ast.ImportSpec) string {
	unquoted, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return spec.Path.Value
	}
	return unquoted
}

// forbiddenImport returns why a package may not import a path, or "" when it may.
func forbiddenImport(dir, imported string) string {
	if local, isLocal := strings.CutPrefix(imported, modulePath+"/"); isLocal {
		return forbiddenLocal(dir, local)
	}
	switch {
	case within(imported, pebbleModule) && !within(dir, "internal/store"):
		return "only internal/store imports Pebble"
	case within(imported, cometModule):
		if !withinAny(dir, []string{finalityPackage, "internal/abci", "internal/comet"}) {
			return "only proof/finality, internal/abci and internal/comet import CometBFT"
		}
		return ""
	case !isKind(dir, pure, core):
		return ""
	case imported == "unsafe" && dir != treePackage:
		return "only the state tree manages its own memory"
	case !isStandard(imported):
		if !withinAny(imported, computingModules()) {
			return "not one of the modules that pure and core packages may import"
		}
	case slices.Contains(computingPackages(), imported):
	case withinAny(imported, ioPackages()):
		return "pure and core packages do no I/O"
	case isDeterministic(dir) && withinAny(imported, nondeterministicPackages()):
		return "a deterministic package depends neither on the machine nor on randomness"
	}
	return ""
}

// forbiddenLocal returns why a package may not import another one of this module, or "" when it may.
func forbiddenLocal(dir, imported string) string {
	importerKind, importerEntry := kindOf(dir)
	importedKind, importedEntry := kindOf(imported)
	isSchema := imported == "gen/makechain"
	switch {
	case importedKind == testSupport:
		return "only tests import test support"
	case within(imported, nodePackage) && !withinAny(dir, []string{nodePackage, cliPackage}):
		return "only commands construct a node"
	case isNoun(dir) && isNoun(imported) && dir != imported:
		return "commands of different nouns never import one another"
	case importerKind == pure && importedKind != pure && !isSchema:
		return "pure packages import only pure packages"
	case importerKind == core && importedKind != pure && importedKind != core && !isSchema:
		return "core packages import only pure and core packages"
	case within(dir, clientPackage) && importedKind != pure && imported != backoffPackage && !within(imported, "gen"):
		return "a client imports no part of a server"
	case importerKind == adapter && importedKind == adapter && importerEntry != importedEntry:
		return "adapters never import one another"
	case importerKind == adapter && importedKind == wiring:
		return "adapters do not import wiring"
	}
	return ""
}

// sharedCommandPackages returns the packages below internal/cli that the commands of all nouns use.
func sharedCommandPackages() []string {
	return []string{
		"change", "connection", "external", "input", "output", "paging", "proven", "query", "settings", "signing", "stores", "submit", "usage",
	}
}

// isNoun reports whether a directory is the package of one noun of the command line.
func isNoun(dir string) bool {
	noun, below := strings.CutPrefix(dir, cliPackage+"/")
	return below && !slices.Contains(sharedCommandPackages(), noun)
}

// isStandard reports whether a path belongs to the standard library: its first element has no dot.
func isStandard(imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	return !strings.Contains(first, ".")
}
