package main

import (
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"makechain/internal/cli"
	"makechain/internal/cli/settings"
	testnetcli "makechain/internal/cli/testnet"
	"makechain/internal/cli/usage"
	"makechain/internal/testnet"
)

// deployDir holds what runs nodes elsewhere.
const deployDir = "../../deploy"

func readDeploy(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(deployDir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// calls finds the command that words call, which must exist with all flags they give, and gives the value of a flag.
func calls(t *testing.T, words []string, flag string) string {
	t.Helper()
	command, rest, err := cli.New().Find(words)
	if err != nil || command.Name() == "makechain" {
		t.Fatalf("%v is no command: %v", words, err)
	}
	if err := command.ParseFlags(rest); err != nil {
		t.Fatalf("%v: %v", words, err)
	}
	given := command.Flags().Lookup(flag)
	if given == nil || !given.Changed || command.Flags().NArg() > 0 {
		t.Fatalf("%v: no --%s, or more than flags: %v", words, flag, command.Flags().Args())
	}
	return given.Value.String()
}

// TestUnit reads the unit of systemd: it starts the program in the directory that systemd makes for it, and every
// directive is one that is known to exist where it stands.
func TestUnit(t *testing.T) {
	t.Parallel()
	known := map[string][]string{
		"Unit":    {"Description", "Wants", "After"},
		"Install": {"WantedBy"},
		"Service": {
			"Type", "User", "Group", "ExecStart", "StateDirectory", "StateDirectoryMode", "UMask",
			"Restart", "RestartSec", "RestartPreventExitStatus", "TimeoutStopSec", "LimitNOFILE",
			"NoNewPrivileges", "CapabilityBoundingSet", "AmbientCapabilities", "ProtectSystem", "ProtectHome", "ProtectProc",
			"ProtectClock", "ProtectHostname", "ProtectControlGroups", "ProtectKernelLogs", "ProtectKernelModules",
			"ProtectKernelTunables", "PrivateTmp", "PrivateDevices", "LockPersonality", "MemoryDenyWriteExecute",
			"RestrictAddressFamilies", "RestrictNamespaces", "RestrictRealtime", "RestrictSUIDSGID",
			"SystemCallArchitectures", "SystemCallFilter", "SystemCallErrorNumber",
		},
	}
	section, values := "", make(map[string]string)
	for line := range strings.Lines(readDeploy(t, "makechain.service")) {
		line = strings.TrimSpace(line)
		key, value, isDirective := strings.Cut(line, "=")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "["):
			section = strings.Trim(line, "[]")
		case !isDirective || !slices.Contains(known[section], key):
			t.Errorf("[%s] has %q", section, line)
		default:
			values[key] = value
		}
	}
	words := strings.Fields(values["ExecStart"])
	if len(words) < 2 || filepath.Base(words[0]) != "makechain" {
		t.Fatalf("the unit starts %q", words)
	}
	if home, want := calls(t, words[1:], settings.HomeFlag), "/var/lib/"+values["StateDirectory"]; home != want || values["StateDirectory"] == "" {
		t.Errorf("the home is %s, and systemd makes %s", home, want)
	}
	if got, want := values["RestartPreventExitStatus"], strconv.Itoa(usage.ExitUsage); got != want {
		t.Errorf("a program that was called wrongly ends with %s, and is not restarted after %s", want, got)
	}
}

// composeFile is what the test reads of a compose file.
type composeFile struct {
	Services map[string]struct {
		Build struct {
			Context    string `yaml:"context"`
			Dockerfile string `yaml:"dockerfile"`
		} `yaml:"build"`
		Command     []string `yaml:"command"`
		Volumes     []string `yaml:"volumes"`
		Ports       []string `yaml:"ports"`
		Healthcheck struct {
			Test []string `yaml:"test"`
		} `yaml:"healthcheck"`
	} `yaml:"services"`
}

// TestCompose reads the compose file: its services are the hosts of a network that the program makes, each runs the
// program in its home, and what is published is served.
func TestCompose(t *testing.T) {
	t.Parallel()
	var file composeFile
	if err := yaml.Unmarshal([]byte(readDeploy(t, "compose.yaml")), &file); err != nil {
		t.Fatal(err)
	}
	hosts := slices.Sorted(maps.Keys(file.Services))
	made, err := testnet.Init(testnet.Options{Dir: t.TempDir(), Validators: testnetcli.DefaultValidators, Hosts: hosts})
	if err != nil {
		t.Fatal(err)
	}
	for i, host := range hosts {
		service, node := file.Services[host], made.Nodes[i]
		home := calls(t, service.Command, settings.HomeFlag)
		if want := []string{"./net/" + node.Name + ":" + home}; !slices.Equal(service.Volumes, want) {
			t.Errorf("%s has the volumes %v, want %v", host, service.Volumes, want)
		}
		if test := service.Healthcheck.Test; len(test) < 3 || test[0] != "CMD" || test[1] != "makechain" || calls(t, test[2:], "node") == "" {
			t.Errorf("%s is checked by %v", host, test)
		}
		if _, err := os.Stat(filepath.Join(deployDir, service.Build.Context, service.Build.Dockerfile)); err != nil {
			t.Error(err)
		}
		for _, published := range service.Ports {
			inside := published[strings.LastIndex(published, ":"):]
			served := slices.ContainsFunc([]string{node.GRPC, node.REST}, func(addr string) bool {
				_, port, err := net.SplitHostPort(addr)
				return err == nil && inside == ":"+port
			})
			if !served || !strings.HasPrefix(published, "127.0.0.1:") {
				t.Errorf("%s publishes %s", host, published)
			}
		}
	}
}

// TestDockerfile compares what the image is made of with what is there.
func TestDockerfile(t *testing.T) {
	t.Parallel()
	content := readDeploy(t, "Dockerfile")
	for _, line := range []string{"RUN CGO_ENABLED=0 go build -trimpath -o /makechain ./cmd/makechain\n", "ENTRYPOINT [\"makechain\"]\n"} {
		if !strings.Contains(content, line) {
			t.Errorf("the Dockerfile lacks %q", line)
		}
	}
	module, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(module), "\ngo ")
	version, _, _ := strings.Cut(rest, "\n")
	if major := strings.Join(strings.SplitN(version, ".", 3)[:2], "."); !strings.Contains(content, "FROM golang:"+major+" ") {
		t.Errorf("the module wants Go %s, and the image is built with another", version)
	}
}
