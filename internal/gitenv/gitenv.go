// Package gitenv computes the environment of git processes whose result must not depend on the configuration of the user: which
// programs git may start, which addresses it may contact, and how it stores objects.
//
// Invariants:
//
//   - Configuration of the system and of the user is not read, except for the settings that ParseConfig keeps. The configuration of
//     the repository is.
//   - Git starts no hooks, file system monitors, credential helpers, prompts or editors, and writes no traces.
//   - Objects are read as stored: replace refs and grafts are ignored.
package gitenv

import (
	"slices"
	"strconv"
	"strings"
)

// Setting is a configuration setting of git.
type Setting struct {
	Key   string // the section and the name in lower case, as git config --list prints them
	Value string
}

// ListCommand returns the arguments of git that list its configuration for ParseConfig.
func ListCommand() []string {
	return []string{"config", "--list", "-z", "--show-scope", "--includes"}
}

// ParseConfig parses what git prints for ListCommand. It returns all settings, those of highest precedence last, and the settings
// of the system, of the user and of the command line that git processes of this program keep: proxies, certificate authorities, which
// directories are safe, and those of this program.
func ParseConfig(printed string) (all, kept []Setting) {
	fields := strings.Split(strings.TrimSuffix(printed, "\x00"), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		key, value, hasValue := strings.Cut(fields[i+1], "\n")
		if !hasValue {
			value = "true" // a setting without a value
		}
		setting := Setting{key, value}
		all = append(all, setting)
		if scope := fields[i]; scope != "local" && scope != "worktree" && isKept(key) {
			kept = append(kept, setting)
		}
	}
	return all, kept
}

// isKept reports whether git processes of this program use a setting of the user.
func isKept(key string) bool {
	if strings.HasPrefix(key, "makechain.") || key == "safe.directory" {
		return true
	}
	name := key[strings.LastIndexByte(key, '.')+1:] // http.<name> or http.<url>.<name>
	return strings.HasPrefix(key, "http.") && slices.Contains([]string{"proxy", "proxysslcainfo", "sslcainfo", "sslcapath"}, name)
}

// Isolated returns the environment of a git process: that of this process without variables that change what git does, except for
// those that say where the repository is. Git may use only the given protocols, separated by colons.
func Isolated(environment []string, kept []Setting, protocols string) []string {
	var isolated []string
	for _, variable := range environment {
		if name, _, _ := strings.Cut(variable, "="); isInherited(name) {
			isolated = append(isolated, variable)
		}
	}
	isolated = append(isolated,
		"LC_ALL=C", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+nowhere, "GIT_ATTR_NOSYSTEM=1", "GIT_ALLOW_PROTOCOL="+protocols,
		"GIT_NO_REPLACE_OBJECTS=1", "GIT_GRAFT_FILE="+nowhere, "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0")
	settings := append(slices.Clone(kept), overrides()...)
	isolated = append(isolated, "GIT_CONFIG_COUNT="+strconv.Itoa(len(settings)))
	for i, setting := range settings {
		number := strconv.Itoa(i)
		isolated = append(isolated, "GIT_CONFIG_KEY_"+number+"="+setting.Key, "GIT_CONFIG_VALUE_"+number+"="+setting.Value)
	}
	return isolated
}

// Lists of protocols for Isolated.
const (
	// HTTPOnly is for processes that may need objects of a partial clone, which come from the remote that it was cloned from.
	HTTPOnly = "https:http:makechain"
	// NoProtocol is for processes that must not contact anybody. No protocol has this name.
	NoProtocol = "none"
)

const (
	// nowhere is an empty file; git knows it by this name on all systems.
	nowhere = "/dev/null"
	off     = "false"
)

// overrides returns the settings that also replace those of the repository. An empty credential helper removes the others.
func overrides() []Setting {
	return []Setting{
		{"core.hooksPath", nowhere},
		{"core.fsmonitor", off},
		{"core.alternateRefsCommand", off}, // a command that does nothing
		{"core.askPass", ""},
		{"credential.helper", ""},
		{"gc.auto", "0"},
		{"maintenance.auto", off},
	}
}

// isInherited reports whether git processes have a variable of this process. Of git's own, these are the ones that git sets for the
// programs that it runs, so that they use the same repository.
func isInherited(name string) bool {
	if !strings.HasPrefix(name, "GIT_") {
		return name != "SSH_ASKPASS"
	}
	return slices.Contains([]string{
		"GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_SHALLOW_FILE",
		"GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_EXEC_PATH", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH",
		"GIT_REMOTE_MAKECHAIN_INNER",
	}, name)
}
