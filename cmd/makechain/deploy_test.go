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

// deployDir has the files for systemd and Docker.
const deployDir = "../../deploy"

func readDeploy(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(deployDir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// flagValue parses a command line, whose command and flags must exist, and returns the value of one flag.
func flagValue(t *testing.T, words []string, flag string) string {
	t.Helper()
	command, args, err := cli.New().Find(words)
	if err != nil || command.Name() == "makechain" {
		t.Fatalf("%v is not a command: %v", words, err)
	}
	if err := command.ParseFlags(args); err != nil {
		t.Fatalf("%v: %v", words, err)
	}
	given := command.Flags().Lookup(flag)
	if given == nil || !given.Changed || command.Flags().NArg() > 0 {
		t.Fatalf("%v: --%s is missing, or there are arguments: %v", words, flag, command.Flags().Args())
	}
	return given.Value.String()
}

// TestUnit checks that the systemd unit starts the program in the directory that systemd creates, and that every
// directive exists in its section.
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
			t.Errorf("[%s]: unknown directive %q", section, line)
		default:
			values[key] = value
		}
	}
	words := strings.Fields(values["ExecStart"])
	if len(words) < 2 || filepath.Base(words[0]) != "makechain" {
		t.Fatalf("the unit starts %q", words)
	}
	if home, want := flagValue(t, words[1:], settings.HomeFlag), "/var/lib/"+values["StateDirectory"]; home != want || values["StateDirectory"] == "" {
		t.Errorf("the home is %s, want %s, which systemd creates", home, want)
	}
	if got, want := values["RestartPreventExitStatus"], strconv.Itoa(usage.ExitUsage); got != want {
		t.Errorf("RestartPreventExitStatus is %s, want %s, the exit code of a usage error", got, want)
	}
}

// composeFile has the fields of a compose file that the test checks.
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

// TestCompose checks that the services of the compose file are the hosts of a network of testnet init, that each runs
// the program in its home, and that published ports are served.
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
		home := flagValue(t, service.Command, settings.HomeFlag)
		if want := []string{"./net/" + node.Name + ":" + home}; !slices.Equal(service.Volumes, want) {
			t.Errorf("%s has the volumes %v, want %v", host, service.Volumes, want)
		}
		if test := service.Healthcheck.Test; len(test) < 3 || test[0] != "CMD" || test[1] != "makechain" || flagValue(t, test[2:], "node") == "" {
			t.Errorf("%s: health check %v does not call makechain with --node", host, test)
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
				t.Errorf("%s publishes %s, which the node does not serve, or not on loopback only", host, published)
			}
		}
	}
}

// TestDockerfile checks that the image is built from this module, with its version of Go.
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
	_, after, _ := strings.Cut(string(module), "\ngo ")
	version, _, _ := strings.Cut(after, "\n")
	if major := strings.Join(strings.SplitN(version, ".", 3)[:2], "."); !strings.Contains(content, "FROM golang:"+major+" ") {
		t.Errorf("the image is not built with Go %s, which the module requires", version)
	}
}
