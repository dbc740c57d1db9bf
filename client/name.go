package client

import (
	"encoding/hex"
	"fmt"
	"strings"

	"makechain/message"
)

// MinPrefix is the least number of hex digits that stand for an id. Fewer are too easily something else.
const MinPrefix = 4

// Sizes of what names stand for, in hex digits.
const (
	addressDigits = 2 * len(message.Address{})
	hashDigits    = 2 * len(message.Hash{})
)

// NameError is something that cannot be a name.
type NameError struct {
	Name string
	Want string
}

// Error says what is wanted instead.
func (e *NameError) Error() string { return fmt.Sprintf("%q is no name here: want %s", e.Name, e.Want) }

// What is wanted of a name, for NameError.
const (
	wantAccount  = "a username (alice) or an address (0x and 40 hex digits, or the first 4 or more)"
	wantProject  = "owner/project (alice/hello) or a project id (64 hex digits, or the first 4 or more)"
	wantRef      = "the name of a ref (main, v1.0, refs/heads/main)"
	wantCommit   = "a ref (main) or a commit (64 hex digits, or the first 4 or more)"
	wantRequest  = "the id of a merge request (64 hex digits, or the first 4 or more)"
	wantKey      = "a key (its hex digits, or the first 4 or more)"
	wantRevision = "a project, @ and a ref or commit (alice/hello@main)"
)

// AccountName is a username, or the digits an address begins with. One of the two is set.
type AccountName struct {
	Username string
	Prefix   string // lower case; 40 of them are the address
}

// ParseAccount reads the name of an account. What begins with 0x and goes on in hex digits is an address or the
// beginning of one, also where it could be a username, so that nobody can take a name that looks like an address.
func ParseAccount(name string) (AccountName, error) {
	digits, prefixed := cutHexMark(name)
	switch {
	case isHex(digits) && (len(digits) == addressDigits || prefixed && len(digits) >= MinPrefix && len(digits) < addressDigits):
		return AccountName{Prefix: strings.ToLower(digits)}, nil
	case isUsername(name) && (!prefixed || !isHex(digits)):
		return AccountName{Username: name}, nil
	default:
		return AccountName{}, &NameError{name, wantAccount}
	}
}

// String is the name as ParseAccount reads it.
func (n AccountName) String() string {
	if n.Username != "" {
		return n.Username
	}
	return "0x" + n.Prefix
}

// ProjectName is an owner with a project's name, or the digits a project's id begins with.
type ProjectName struct {
	Owner  AccountName
	Name   string
	Prefix string // lower case; set when Owner and Name are not
}

// ParseProject reads the name of a project.
func ParseProject(name string) (ProjectName, error) {
	owner, project, split := strings.Cut(name, "/")
	if !split {
		if digits, ok := parseDigits(name, hashDigits); ok {
			return ProjectName{Prefix: digits}, nil
		}
		return ProjectName{}, &NameError{name, wantProject}
	}
	account, err := ParseAccount(owner)
	if err != nil || !isProject(project) {
		return ProjectName{}, &NameError{name, wantProject}
	}
	return ProjectName{Owner: account, Name: project}, nil
}

// String is the name as ParseProject reads it.
func (n ProjectName) String() string {
	if n.Prefix != "" {
		return n.Prefix
	}
	return n.Owner.String() + "/" + n.Name
}

// SplitPlace parts alice/hello@main into the project and what is named inside it. A ref may have an @ of its own;
// a project has none.
func SplitRevision(name string) (project, inside string, err error) {
	project, inside, found := strings.Cut(name, "@")
	if !found || project == "" || inside == "" {
		return "", "", &NameError{name, wantRevision}
	}
	return project, inside, nil
}

// RefCandidates are the full names that a short name of a ref may stand for, the first that exists being meant, as
// in git. A branch and a tag of one short name are ambiguous.
func RefCandidates(name string) ([]string, error) {
	if name == "" || len(name) > message.MaxRefName || strings.ContainsRune(name, 0) {
		return nil, &NameError{name, wantRef}
	}
	candidates := []string{name}
	for _, place := range []string{"refs/", "refs/tags/", "refs/heads/"} {
		if full := place + name; len(full) <= message.MaxRefName {
			candidates = append(candidates, full)
		}
	}
	return candidates, nil
}

// parseDigits reads an id or the beginning of one, with or without 0x.
func parseDigits(name string, most int) (digits string, ok bool) {
	digits, _ = cutHexMark(name)
	if len(digits) < MinPrefix || len(digits) > most || !isHex(digits) {
		return "", false
	}
	return strings.ToLower(digits), true
}

func cutHexMark(name string) (digits string, marked bool) {
	if digits, marked = strings.CutPrefix(name, "0x"); marked {
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

// isUsername and isProject are the rules of P5.
func isUsername(s string) bool {
	return len(s) >= message.MinUsername && len(s) <= message.MaxUsername && isHyphenated(s) && strings.ToLower(s) == s
}

func isProject(s string) bool {
	return s != "" && len(s) <= message.MaxProjectName && isHyphenated(s)
}

// isHyphenated says whether s has letters, digits and inner hyphens alone.
func isHyphenated(s string) bool {
	for _, r := range s {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' {
			return false
		}
	}
	return !strings.HasPrefix(s, "-") && !strings.HasSuffix(s, "-")
}
