package main

import (
	"encoding/json"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/node"
	"makechain/internal/node/nodetest"
	"makechain/internal/testnet"
)

// exportedMetrics starts a node with all that it exports and returns the labels of each metric, as expressions name it.
func exportedMetrics(t *testing.T) map[string][]string {
	t.Helper()
	config := nodetest.Config(t.TempDir(), slog.New(slog.DiscardHandler))
	config.RESTAddr, config.Content.Mode = "127.0.0.1:0", node.ContentOn
	n := nodetest.StartWith(t, config)
	hashes := n.Register(nodetest.NewAccount(t), 1, "alice")
	n.AwaitStatus(t, hashes[len(hashes)-1])
	fetch(t, n.LocalURL()+"/v1/node/status")
	var text string
	// A request is counted after its response.
	nodetest.Await(t, "the metrics of a request and of a committed message", func() bool {
		text = fetch(t, n.LocalURL()+"/metrics")
		return strings.Contains(text, "\nmakechain_http_duration_seconds_count{") && strings.Contains(text, "\nmakechain_rpc_duration_seconds_count{") &&
			strings.Contains(text, "\nmakechain_messages_committed_total{")
	})
	return metricsOf(text)
}

// attesterMetrics starts an attester whose providers are not reachable, which exports all metrics, and returns them like
// exportedMetrics.
func attesterMetrics(t *testing.T) map[string][]string {
	t.Helper()
	dir := t.TempDir()
	home := filepath.Join(dir, "att")
	printed, err := program(t, "attester", "key", "--home", home).Output()
	if err != nil {
		t.Fatal(err)
	}
	key, err := ident.ParsePublicKey(strings.TrimSpace(string(printed)))
	if err != nil {
		t.Fatal(err)
	}
	made, err := testnet.Init(testnet.Options{
		Dir: filepath.Join(dir, "net"), Validators: 1, Settlement: &ledger.Settlement{
			ChainID: 1, Contract: ident.Address{7}, Threshold: 1, Attesters: []ledger.Attester{{Key: key, URL: "http://127.0.0.1:1"}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	process := nodetest.Launch(t, program(t, "attester", "--home", home, "--genesis", filepath.Join(made.Nodes[0].Home, "config", "genesis.json"),
		"--rpc", "http://127.0.0.1:1", "--rpc", "http://127.0.0.1:2", "--listen", "127.0.0.1:0"))
	serving := regexp.MustCompile(`(?m)^serving +(\S+)$`)
	nodetest.Await(t, "the attester", func() bool { return serving.MatchString(process.Stdout()) })
	return metricsOf(fetch(t, serving.FindStringSubmatch(process.Stdout())[1]+"/metrics"))
}

// metricsOf returns the labels of each metric in a text that Prometheus would scrape.
func metricsOf(text string) map[string][]string {
	sample := regexp.MustCompile(`(?m)^([a-z_]+)(?:\{(.*)\})? `)
	label := regexp.MustCompile(`([a-z_]+)="`)
	exported := map[string][]string{}
	for _, found := range sample.FindAllStringSubmatch(text, -1) {
		exported[found[1]] = []string{"instance", "job"} // Prometheus adds them
		for _, name := range label.FindAllStringSubmatch(found[2], -1) {
			exported[found[1]] = append(exported[found[1]], name[1])
		}
	}
	return exported
}

// fetch returns the body of a URL, whose status must be 200.
func fetch(t *testing.T, url string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s %v", url, response.Status, err)
	}
	return string(body)
}

// alertExpressions returns the expressions of the alert rules.
func alertExpressions(t *testing.T) []string {
	t.Helper()
	var file struct {
		Groups []struct {
			Rules []struct {
				Alert       string            `yaml:"alert"`
				Expr        string            `yaml:"expr"`
				Labels      map[string]string `yaml:"labels"`
				Annotations map[string]string `yaml:"annotations"`
			} `yaml:"rules"`
		} `yaml:"groups"`
	}
	if err := yaml.Unmarshal([]byte(readDeploy(t, "alerts.yaml")), &file); err != nil {
		t.Fatal(err)
	}
	guide, err := os.ReadFile(filepath.Join(repository, "docs", "operate.md"))
	if err != nil {
		t.Fatal(err)
	}
	var expressions []string
	for _, group := range file.Groups {
		for _, rule := range group.Rules {
			if rule.Labels["severity"] == "" || rule.Annotations["summary"] == "" || rule.Expr == "" {
				t.Errorf("alert %s lacks an expression, a severity or a summary", rule.Alert)
			}
			if !strings.Contains(string(guide), "`"+rule.Alert+"`") {
				t.Errorf("docs/operate.md does not say what to do about %s", rule.Alert)
			}
			expressions = append(expressions, rule.Expr)
		}
	}
	return expressions
}

// dashboardExpressions returns the expressions of the dashboard.
func dashboardExpressions(t *testing.T) []string {
	t.Helper()
	var dashboard struct {
		Templating struct {
			List []struct {
				Query string `json:"query"`
			} `json:"list"`
		} `json:"templating"`
		Panels []struct {
			Targets []struct {
				Expr string `json:"expr"`
			} `json:"targets"`
		} `json:"panels"`
	}
	if err := json.Unmarshal([]byte(readDeploy(t, "dashboard.json")), &dashboard); err != nil {
		t.Fatal(err)
	}
	var expressions []string
	for _, variable := range dashboard.Templating.List {
		expressions = append(expressions, variable.Query)
	}
	for _, panel := range dashboard.Panels {
		for _, target := range panel.Targets {
			expressions = append(expressions, target.Expr)
		}
	}
	return expressions
}

// TestMetricsOfDeploy checks that a node or an attester exports every metric of the alert rules and of the dashboard, with the labels
// that they use.
func TestMetricsOfDeploy(t *testing.T) {
	t.Parallel()
	exported := attesterMetrics(t)
	maps.Copy(exported, exportedMetrics(t)) // those of Go and of the process are the same
	expressions := append(alertExpressions(t), dashboardExpressions(t)...)
	if len(expressions) < 20 {
		t.Fatalf("only %d expressions were found", len(expressions))
	}
	// Other metrics are those of Prometheus and of its node exporter.
	metricName := regexp.MustCompile(`\b((?:makechain|process|go)_[a-z_]+)(\{[^}]*\})?`)
	labelName := regexp.MustCompile(`([a-z_]+)(?:=~|!~|!=|=)`)
	grouped := regexp.MustCompile(`by \(([a-z_, ]+)\)`)
	for _, expression := range expressions {
		var labels []string
		for _, found := range metricName.FindAllStringSubmatch(expression, -1) {
			available, exists := exported[found[1]]
			if !exists {
				t.Errorf("neither a node nor an attester exports %s, in %s", found[1], expression)
			}
			labels = append(labels, available...)
			for _, selected := range labelName.FindAllStringSubmatch(found[2], -1) {
				if exists && !slices.Contains(available, selected[1]) {
					t.Errorf("%s has no label %s, in %s", found[1], selected[1], expression)
				}
			}
		}
		for _, group := range grouped.FindAllStringSubmatch(expression, -1) {
			for label := range strings.SplitSeq(group[1], ", ") {
				if !slices.Contains(labels, label) {
					t.Errorf("no metric has the label %s, in %s", label, expression)
				}
			}
		}
	}
}
