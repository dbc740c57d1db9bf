// Package web serves the web page: the built files of web/dist, which the program contains, and a description of who serves them.
//
// The page is static. It calls the origin that it was loaded from, and verifies what it shows. The policy in its headers allows
// nothing else: no inline scripts, no other hosts, no frames.
package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed dist
var files embed.FS

const (
	// folder has the built files.
	folder = "dist"
	// indexFile is served at the root.
	indexFile = "index.html"
	// DescriptionPath is the path of the description.
	DescriptionPath = "/page.json"
	// routeName is the pattern of all requests of the page in logs and metrics, because the names of the files change.
	routeName = "GET /{file}"
)

// contentPolicy lets the page load its own files and call its own origin.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; " +
	"worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
	"require-trusted-types-for 'script'; trusted-types makechain"

// permissionsPolicy lets the page use passkeys and write to the clipboard.
const permissionsPolicy = "camera=(), clipboard-read=(), clipboard-write=(self), geolocation=(), microphone=(), payment=(), " +
	"publickey-credentials-create=(self), publickey-credentials-get=(self), usb=()"

// Values of Description.ServedBy.
const (
	ServedByNode     = "node"
	ServedByGateway  = "gateway"
	ServedByExplorer = "explorer"
)

// A Description states who serves the page, and which chain the page must show.
type Description struct {
	ServedBy string `json:"served_by"`
	// Node is the node whose chain is shown, as the user named it.
	Node string `json:"node"`
	// ContentHost is the host that statements for the content service name.
	ContentHost string `json:"content_host"`
	// Trust is nil if the page trusts the chain that it finds first.
	Trust *Trust `json:"trust"`
}

// Trust is a set of validators that the page trusts.
type Trust struct {
	Source         string `json:"source"` // genesis, trust or first_seen
	ChainID        string `json:"chain_id"`
	ValidatorsHash string `json:"validators_hash"` // of the block, in hex
	BlockNumber    string `json:"block_number"`
}

// A Describer returns the description for a request. Its error is shown to the user.
type Describer func(*http.Request) (Description, error)

// Describe returns the describer of a server that is itself the node: it is named by the Host header.
func Describe(servedBy string) Describer {
	return func(r *http.Request) (Description, error) {
		host := strings.ToLower(r.Host)
		return Description{ServedBy: servedBy, Node: host, ContentHost: host}, nil
	}
}

// Page serves the files of the page and the description.
type Page struct {
	files    map[string]*file
	describe Describer
	fail     func(w http.ResponseWriter, r *http.Request, status int, reason string)
}

// New returns the page. fail responds to requests with another method than GET or HEAD, to unknown paths, and with status 503 when
// there is no description.
func New(describe Describer, fail func(w http.ResponseWriter, r *http.Request, status int, reason string)) (*Page, error) {
	entries, err := files.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("read the web page: %w", err)
	}
	p := &Page{files: map[string]*file{}, describe: describe, fail: fail}
	for _, entry := range entries {
		content, err := files.ReadFile(path.Join(folder, entry.Name()))
		if err != nil {
			return nil, fmt.Errorf("read the web page: %w", err)
		}
		at := "/" + entry.Name()
		if entry.Name() == indexFile {
			at = "/"
		}
		if p.files[at], err = newFile(entry.Name(), content); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// Paths returns the paths that the page serves.
func (p *Page) Paths() []string {
	paths := []string{DescriptionPath}
	for at := range p.files {
		paths = append(paths, at)
	}
	slices.Sort(paths)
	return paths
}

// ServeHTTP serves one of Paths.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r.Pattern = routeName
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		p.fail(w, r, http.StatusMethodNotAllowed, "this path supports GET, HEAD")
		return
	}
	if r.URL.Path == DescriptionPath {
		p.serveDescription(w, r)
		return
	}
	found, ok := p.files[r.URL.Path]
	if !ok {
		p.fail(w, r, http.StatusNotFound, "no route has this path")
		return
	}
	found.serve(w, r)
}

func (p *Page) serveDescription(w http.ResponseWriter, r *http.Request) {
	description, err := p.describe(r)
	if err != nil {
		p.fail(w, r, http.StatusServiceUnavailable, err.Error())
		return
	}
	encoded, err := json.Marshal(description)
	if err != nil {
		p.fail(w, r, http.StatusInternalServerError, "the description cannot be encoded")
		return
	}
	setPolicy(w.Header())
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	write(w, r, append(encoded, '\n'))
}

// A file is one file of the page.
type file struct {
	contentType string
	tag         string // part of the ETag
	content     []byte
	compressed  func() []byte // content with gzip, computed on first use
}

// newFile returns a file. The content types do not depend on the tables of the machine.
func newFile(name string, content []byte) (*file, error) {
	contentTypes := map[string]string{
		".css": "text/css; charset=utf-8", ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8",
		".json": "application/json", ".png": "image/png", ".svg": "image/svg+xml", ".webmanifest": "application/manifest+json",
	}
	contentType, known := contentTypes[path.Ext(name)]
	if !known {
		return nil, fmt.Errorf("the web page has %s, whose content type is not known", name)
	}
	digest := sha256.Sum256(content)
	return &file{contentType, hex.EncodeToString(digest[:16]), content, sync.OnceValue(func() []byte { return compress(content) })}, nil
}

// compress compresses content, or returns nil if it does not become smaller.
func compress(content []byte) []byte {
	var smaller bytes.Buffer
	writer, err := gzip.NewWriterLevel(&smaller, gzip.BestCompression)
	if err != nil {
		return nil
	}
	if _, err := writer.Write(content); err != nil || writer.Close() != nil || smaller.Len() >= len(content) {
		return nil
	}
	return smaller.Bytes()
}

func (f *file) serve(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	setPolicy(header)
	header.Set("Content-Type", f.contentType)
	header.Set("Cache-Control", "no-cache")
	header.Add("Vary", "Accept-Encoding")
	content, tag := f.content, `"`+f.tag+`"`
	if acceptsGzip(r.Header) {
		if smaller := f.compressed(); smaller != nil {
			content, tag = smaller, `"`+f.tag+`-gzip"`
			header.Set("Content-Encoding", "gzip")
		}
	}
	header.Set("ETag", tag)
	if hasTag(r.Header, tag) {
		header.Del("Content-Encoding")
		header.Del("Content-Type")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	write(w, r, content)
}

// setPolicy sets the security headers of the page.
func setPolicy(header http.Header) {
	header.Set("Content-Security-Policy", contentPolicy)
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Permissions-Policy", permissionsPolicy)
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("X-Content-Type-Options", "nosniff")
}

func write(w http.ResponseWriter, r *http.Request, content []byte) {
	w.Header().Set("Content-Length", strconv.Itoa(len(content)))
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write(content) // the client may have disconnected
	}
}

// acceptsGzip reports whether Accept-Encoding names gzip with a weight above zero.
func acceptsGzip(header http.Header) bool {
	for entry := range strings.SplitSeq(strings.Join(header.Values("Accept-Encoding"), ","), ",") {
		coding, parameter, _ := strings.Cut(entry, ";")
		weight, found := strings.CutPrefix(strings.TrimSpace(parameter), "q=")
		if strings.EqualFold(strings.TrimSpace(coding), "gzip") && (!found || strings.Trim(weight, "0.") != "") {
			return true
		}
	}
	return false
}

// hasTag reports whether If-None-Match names an ETag.
func hasTag(header http.Header, tag string) bool {
	for entry := range strings.SplitSeq(strings.Join(header.Values("If-None-Match"), ","), ",") {
		if entry = strings.TrimSpace(entry); entry == "*" || strings.TrimPrefix(entry, "W/") == tag {
			return true
		}
	}
	return false
}
