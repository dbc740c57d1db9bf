package lint

import (
	"go/ast"
	"slices"
	"strconv"
	"strings"
)

// worldlyPackages are the parts of the standard library that reach outside the program or bring chance
// into it. What lies below one of them is worldly too, but for harmlessPackages.
func worldlyPackages() []string {
	return []string{
		"crypto/rand", "database", "io/fs", "io/ioutil", "log", "math/rand", "net", "os", "plugin",
		"runtime", "syscall", "testing",
	}
}

// harmlessPackages lie below a worldly one and only calculate.
func harmlessPackages() []string { return []string{"net/netip", "net/url"} }

// calculatingModules are the modules a calculating package may import: hashes, curves, formats and
// data structures.
func calculatingModules() []string {
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
	// clientPackage is what programs of others import: the protocol and the network, nothing of a node.
	clientPackage = "client"
	// backoffPackage waits between retries; clients may import it.
	backoffPackage = "internal/backoff"
	// finalityPackage may import CometBFT's types, because a light block is one of them.
	finalityPackage = "proof/finality"
)

// CheckImports enforces the rules on who may import what. Tests may import what they like.
func CheckImports(p *Package) []Finding {
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

// forbiddenImport says why a package may not import a path, or "" when it may.
func forbiddenImport(dir, imported string) string {
	local, isLocal := localPath(imported)
	switch {
	case within(imported, pebbleModule) && !within(dir, "internal/store"):
		return "only internal/store knows Pebble"
	case within(imported, cometModule) && !mayImportComet(dir):
		return "only proof/finality, internal/abci and internal/comet know CometBFT"
	case isLocal && within(local, nodePackage) && !within(dir, nodePackage) && !within(dir, "cmd"):
		return "only commands build a node"
	case isLocal && adapterOf(dir) != "" && adapterOf(local) != "" && adapterOf(dir) != adapterOf(local):
		return "adapters never import one another"
	case isLocal && within(dir, clientPackage) && !isCalculating(local) && !within(local, "gen") && local != backoffPackage:
		return "a client imports no part of a server"
	case isCalculating(dir):
		return worldlyImport(dir, imported)
	default:
		return ""
	}
}

func mayImportComet(dir string) bool {
	return withinAny(dir, []string{finalityPackage, "internal/abci", "internal/comet"})
}

// worldlyImport says why a package that only calculates may not import a path, or "" when it may.
func worldlyImport(dir, imported string) string {
	if local, isLocal := localPath(imported); isLocal {
		if isCalculating(local) || local == "gen/makechain" {
			return ""
		}
		return "a package that decides imports only packages that decide"
	}
	if imported == "unsafe" && isPure(dir) {
		return "only the state tree lays out its own memory"
	}
	if isStandard(imported) {
		if withinAny(imported, worldlyPackages()) && !slices.Contains(harmlessPackages(), imported) {
			return "a package that decides has no files, network, logs or randomness"
		}
		return ""
	}
	if withinAny(imported, calculatingModules()) || within(dir, finalityPackage) && within(imported, cometModule) {
		return ""
	}
	return "not one of the modules a package that decides may use"
}

// localPath gives the directory of an import of this module.
func localPath(imported string) (dir string, isLocal bool) {
	return strings.CutPrefix(imported, modulePath+"/")
}

// isStandard says whether a path belongs to the standard library: its first element has no dot.
func isStandard(imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	return !strings.Contains(first, ".")
}
