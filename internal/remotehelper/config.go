package remotehelper

import (
	"cmp"
	"context"
	"crypto/x509"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"makechain/internal/gitenv"
)

// Config is the configuration of git that the helper uses.
type Config struct {
	Node     string   // makechain.node
	Genesis  string   // makechain.genesis, a genesis file whose validators are trusted
	Account  string   // makechain.account, the local account that signs
	Stores   []string // makechain.store, may be set several times
	Replicas int      // makechain.replicas, how many stores must have the content of a push
	Proxy    string   // http.proxy
	// AuthorNames is makechain.authorNames, whether a push sends the names of the commits' authors. The default is true.
	AuthorNames bool
	// MergeRequests is makechain.mergeRequests, whether a push prints the open merge requests that it contains. The default is true.
	MergeRequests bool

	inner  inner
	values map[string][]string
}

// DefaultReplicas is the number of stores that must have the content of a push.
const DefaultReplicas = 1

// ReadConfig reads the configuration of the repository and of the user, as git does.
func ReadConfig(ctx context.Context, dir string) (*Config, error) {
	command := exec.CommandContext(ctx, "git", gitenv.ListCommand()...) //nolint:gosec // fixed words
	command.Dir = dir
	printed, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("git config: %w", err)
	}
	all, kept := gitenv.ParseConfig(string(printed))
	c := &Config{values: map[string][]string{}, Replicas: DefaultReplicas, inner: inner{dir, gitenv.Isolated(os.Environ(), kept, gitenv.HTTPOnly)}}
	for _, setting := range all {
		c.values[setting.Key] = append(c.values[setting.Key], setting.Value)
	}
	c.Node, c.Genesis, c.Account, c.Proxy = c.get("makechain.node"), c.get("makechain.genesis"), c.get("makechain.account"), c.get("http.proxy")
	c.Stores = c.values["makechain.store"]
	if text := c.get("makechain.replicas"); text != "" {
		if c.Replicas, err = strconv.Atoi(text); err != nil || c.Replicas < 1 {
			return nil, fmt.Errorf("git config makechain.replicas is %q: want a positive number", text)
		}
	}
	if c.AuthorNames, err = c.isSet("makechain.authorNames"); err != nil {
		return nil, err
	}
	c.MergeRequests, err = c.isSet("makechain.mergeRequests")
	return c, err
}

// isSet returns the value of a setting that is true unless it is set to false, in one of git's words.
func (c *Config) isSet(key string) (bool, error) {
	switch value := strings.ToLower(c.get(strings.ToLower(key))); value {
	case "", enabled, "yes", "on", "1":
		return true, nil
	case "false", "no", "off", "0":
		return false, nil
	default:
		return false, fmt.Errorf("git config %s is %q: want true or false", key, value)
	}
}

// get returns the last value of a key, which is the one that applies.
func (c *Config) get(key string) string {
	values := c.values[key]
	if len(values) == 0 {
		return ""
	}
	return values[len(values)-1]
}

// HTTPProxy returns the proxy of git's configuration, else that of the environment, as http.Transport needs it.
func (c *Config) HTTPProxy() func(*http.Request) (*url.URL, error) {
	if c.Proxy == "" {
		return http.ProxyFromEnvironment
	}
	proxy, err := url.Parse(c.Proxy)
	return func(*http.Request) (*url.URL, error) { return proxy, err }
}

// RootCAs returns the certificate authorities of the system and those of git's configuration or environment. It is nil if git has
// none of its own.
func (c *Config) RootCAs() (*x509.CertPool, error) {
	var files []string
	if file := cmp.Or(os.Getenv("GIT_SSL_CAINFO"), c.get("http.sslcainfo")); file != "" {
		files = append(files, expand(file))
	}
	if dir := cmp.Or(os.Getenv("GIT_SSL_CAPATH"), c.get("http.sslcapath")); dir != "" {
		entries, err := os.ReadDir(expand(dir))
		if err != nil {
			return nil, fmt.Errorf("git config http.sslCAPath: %w", err)
		}
		for _, entry := range entries {
			files = append(files, filepath.Join(expand(dir), entry.Name()))
		}
	}
	if len(files) == 0 {
		return nil, nil //nolint:nilnil // as in tls.Config
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		return nil, err
	}
	found := false
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("git config http.sslCAInfo: %w", err)
		}
		found = roots.AppendCertsFromPEM(content) || found
	}
	if !found {
		return nil, fmt.Errorf("git config http.sslCAInfo: no certificate in %s", strings.Join(files, ", "))
	}
	return roots, nil
}

// expand replaces a tilde at the beginning of a path by the home directory, as git does.
func expand(path string) string {
	rest, isHome := strings.CutPrefix(path, "~/")
	if home, err := os.UserHomeDir(); isHome && err == nil {
		return filepath.Join(home, rest)
	}
	return path
}

// Keys of a remote with the project that its URL was resolved to. Names can be given to other projects; ids cannot.
const (
	projectKey = "makechainproject"
	urlKey     = "makechainurl"
)

// remembered returns the id of the project of a remote, empty when it is not stored for this URL.
func (c *Config) remembered(remote, url string) string {
	if c.get("remote."+remote+"."+urlKey) != url {
		return ""
	}
	return c.get("remote." + remote + "." + projectKey)
}

// remember stores the id of the project of a remote that is configured in a repository.
func (c *Config) remember(ctx context.Context, remote, url, id string) error {
	if c.get("remote."+remote+".url") == "" || remote == url || c.remembered(remote, url) == id {
		return nil
	}
	for _, entry := range [][2]string{{"makechainProject", id}, {"makechainUrl", url}} {
		if _, err := c.inner.git(ctx, nil, "config", "--local", "remote."+remote+"."+entry[0], entry[1]); err != nil {
			return fmt.Errorf("store the project of the remote %s: %w", remote, err)
		}
	}
	return nil
}
