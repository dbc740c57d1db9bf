package client

import (
	"encoding/hex"
	"fmt"
	"strings"

	"makechain/message"
)

// MinPrefix is the minimum number of hex digits that abbreviate an id. Fewer are too easily another name.
const MinPrefix = 4

// Sizes of ids in hex digits.
const (
	addressDigits = 2 * len(message.Address{})
	hashDigits    = 2 * len(message.Hash{})
)

// NameError is returned for text that is not a valid name.
type NameError struct {
	Name string
	Want string
}

func (e *NameError) Error() string {
	return fmt.Sprintf("%q is not a valid name: want %s", e.Name, e.Want)
}

// The valid forms of names, for NameError.
const (
	wantAccount  = "a username (alice) or an address (0x and 40 hex digits, or the first 4 or more)"
	wantProject  = "owner/project (alice/hello) or a project id (64 hex digits, or the first 4 or more)"
	wantRef      = "the name of a ref (main, v1.0, refs/heads/main)"
	wantCommit   = "a ref (main) or a commit (64 hex digits, or the first 4 or more)"
	wantRequest  = "the id of a merge request (64 hex digits, or the first 4 or more)"
	wantKey      = "a key (its hex digits, or the first 4 or more)"
	wantRevision = "a project, @ and a ref or commit (alice/hello@main)"
)

// AccountName is a username, or an address or a prefix of one. One of the two fields is set.
type AccountName struct {
	Username string
	Prefix   string // lower-case hex digits; all 40 of them are a complete address
}

// ParseAccount parses the name of an account. 0x followed by hex digits is an address or a prefix of one, even where it
// could be a username, so that a username cannot be mistaken for an address.
func ParseAccount(name string) (AccountName, error) {
	digits, prefixed := cutHexPrefix(name)
	switch {
	case isHex(digits) && (len(digits) == addressDigits || prefixed && len(digits) >= MinPrefix && len(digits) < addressDigits):
		return AccountName{Prefix: strings.ToLower(digits)}, nil
	case isUsername(name) && (!prefixed || !isHex(digits)):
		return AccountName{Username: name}, nil
	default:
		return AccountName{}, &NameError{name, wantAccount}
	}
}

// String returns the name in the form that ParseAccount accepts.
func (n AccountName) String() string {
	if n.Username != "" {
		return n.Username
	}
	return "0x" + n.Prefix
}

// ProjectName is an owner and the name of a project, or the id of a project or a prefix of it.
type ProjectName struct {
	Owner  AccountName
	Name   string
	Prefix string // lower-case hex digits; set when Owner and Name are not
}

// ParseProject parses the name of a project.
func ParseProject(name string) (ProjectName, error) {
	owner, project, split := strings.Cut(name, "/")
	if !split {
		if digits, ok := parseDigits(name, hashDigits); ok {
			return ProjectName{Prefix: digits}, nil
		}
		return ProjectName{}, &NameError{name, wantProject}
	}
	account, err := ParseAccount(owner)
	if err != nil || !message.IsProjectName(project) {
		return ProjectName{}, &NameError{name, wantProject}
	}
	return ProjectName{Owner: account, Name: project}, nil
}

// String returns the name in the form that ParseProject accepts.
func (n ProjectName) String() string {
	if n.Prefix != "" {
		return n.Prefix
	}
	return n.Owner.String() + "/" + n.Name
}

// SplitRevision splits a name such as alice/hello@main at the first @ into the project and the ref or commit. A ref may
// contain an @, a project may not.
func SplitRevision(name string) (project, revision string, err error) {
	project, revision, found := strings.Cut(name, "@")
	if !found || project == "" || revision == "" {
		return "", "", &NameError{name, wantRevision}
	}
	return project, revision, nil
}

// RefCandidates returns the full names that a short name of a ref may stand for, in git's order. A short name that is
// both a branch and a tag is ambiguous.
func RefCandidates(name string) ([]string, error) {
	if name == "" || len(name) > message.MaxRefName || strings.ContainsRune(name, 0) {
		return nil, &NameError{name, wantRef}
	}
	candidates := []string{name}
	for _, prefix := range []string{"refs/", "refs/tags/", "refs/heads/"} {
		if full := prefix + name; len(full) <= message.MaxRefName {
			candidates = append(candidates, full)
		}
	}
	return candidates, nil
}

// parseDigits parses an id or a prefix of one, with or without 0x.
func parseDigits(name string, maximum int) (digits string, ok bool) {
	digits, _ = cutHexPrefix(name)
	if len(digits) < MinPrefix || len(digits) > maximum || !isHex(digits) {
		return "", false
	}
	return strings.ToLower(digits), true
}

func cutHexPrefix(name string) (digits string, found bool) {
	if digits, found = strings.CutPrefix(name, "0x"); found {
		return digits, true
	}
	return strings.CutPrefix(name, "0X")
}

func isHex(s string) bool {
	if len(s)%2 == 1 {
		s += "0"
	}
	_, err := hex.DecodeString(s)
	return err == nil
}

// isUsername reports whether s is valid as a username (P5): lower-case letters, digits and inner hyphens.
func isUsername(s string) bool {
	for _, r := range s {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' {
			return false
		}
	}
	return len(s) >= message.MinUsername && len(s) <= message.MaxUsername && !strings.HasPrefix(s, "-") && !strings.HasSuffix(s, "-")
}
