package client_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"makechain/client"
	"makechain/message"
)

const address = "3fa9c1d2e4b5061728394a5b6c7d8e9f00112233"

// TestParseAccount checks usernames, addresses, prefixes of addresses and invalid names.
func TestParseAccount(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]client.AccountName{
		"alice":                                  {Username: "alice"},
		"a-1":                                    {Username: "a-1"},
		"cafe":                                   {Username: "cafe"},
		"0xavier":                                {Username: "0xavier"},
		"0x" + address:                           {Prefix: address},
		address:                                  {Prefix: address},
		strings.ToUpper(address):                 {Prefix: address},
		"0X" + strings.ToUpper(address):          {Prefix: address},
		"0x3fa9":                                 {Prefix: "3fa9"},
		"0x3fa9c":                                {Prefix: "3fa9c"},
		strings.Repeat("a", message.MaxUsername): {Username: strings.Repeat("a", message.MaxUsername)},
	} {
		if got, err := client.ParseAccount(name); err != nil || got != want {
			t.Errorf("%q: %+v, %v, want %+v", name, got, err, want)
		}
	}
	for _, name := range []string{
		"", "al", "Alice", "-alice", "alice-", "ali ce", "alice/hello", "0x3fa", "0x" + address + "0", "0x", "älice",
		strings.Repeat("g", message.MaxUsername+1),
	} {
		mustRefuse(t, name, func(name string) error { _, err := client.ParseAccount(name); return err })
	}
}

func mustRefuse(t *testing.T, name string, parse func(string) error) {
	t.Helper()
	if refused := (*client.NameError)(nil); !errors.As(parse(name), &refused) || refused.Name != name || refused.Want == "" {
		t.Errorf("%q: %v", name, parse(name))
	}
}

// TestParseProject checks both forms of a project's name, and invalid names.
func TestParseProject(t *testing.T) {
	t.Parallel()
	id := strings.Repeat("ab", len(message.Hash{}))
	for name, want := range map[string]client.ProjectName{
		"alice/hello":   {Owner: client.AccountName{Username: "alice"}, Name: "hello"},
		"alice/Hello-2": {Owner: client.AccountName{Username: "alice"}, Name: "Hello-2"},
		"alice/go_x.js": {Owner: client.AccountName{Username: "alice"}, Name: "go_x.js"},
		"0x3fa9/cafe":   {Owner: client.AccountName{Prefix: "3fa9"}, Name: "cafe"},
		id:              {Prefix: id},
		"0x" + id:       {Prefix: id},
		"ABCD":          {Prefix: "abcd"},
		address:         {Prefix: address},
		"alice/" + id:   {Owner: client.AccountName{Username: "alice"}, Name: id},
	} {
		if got, err := client.ParseProject(name); err != nil || got != want {
			t.Errorf("%q: %+v, %v, want %+v", name, got, err, want)
		}
	}
	for _, name := range []string{
		"", "hello", "abc", id + "0", "alice/", "/hello", "alice/hel lo", "alice/-hello", "alice/.hello", "alice/hello.git", "alice/..", "alice/a..b", "alice/hello/again", "al/hello",
		"alice/hello@main", "alice/" + strings.Repeat("h", message.MaxProjectName+1),
	} {
		mustRefuse(t, name, func(name string) error { _, err := client.ParseProject(name); return err })
	}
}

// TestSplitRevision checks that names are split at the first @.
func TestSplitRevision(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][2]string{
		"alice/hello@main":           {"alice/hello", "main"},
		"abcd@refs/heads/main":       {"abcd", "refs/heads/main"},
		"alice/hello@user@host":      {"alice/hello", "user@host"},
		"alice/hello@\xff not UTF-8": {"alice/hello", "\xff not UTF-8"},
	} {
		if project, revision, err := client.SplitRevision(name); err != nil || [2]string{project, revision} != want {
			t.Errorf("%q: %q, %q, %v", name, project, revision, err)
		}
	}
	for _, name := range []string{"", "@", "alice/hello", "alice/hello@", "@main"} {
		mustRefuse(t, name, func(name string) error { _, _, err := client.SplitRevision(name); return err })
	}
}

// TestRefCandidates checks git's order of candidates and the limits of ref names.
func TestRefCandidates(t *testing.T) {
	t.Parallel()
	got, err := client.RefCandidates("main")
	if want := []string{"main", "refs/main", "refs/tags/main", "refs/heads/main"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	long := strings.Repeat("r", message.MaxRefName)
	if got, err := client.RefCandidates(long); err != nil || !slices.Equal(got, []string{long}) {
		t.Errorf("%d candidates, %v", len(got), err)
	}
	for _, name := range []string{"", "zero\x00byte", long + "r"} {
		mustRefuse(t, name, func(name string) error { _, err := client.RefCandidates(name); return err })
	}
}

// TestNamesRoundTrip checks that generated names parse, and that their printed form parses to the same name.
func TestNamesRoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		owner := rapid.OneOf(rapid.StringMatching(`[g-z][a-z0-9-]{1,30}[a-z0-9]`), rapid.StringMatching(`0[xX][0-9a-fA-F]{4,40}`)).Draw(t, "owner")
		account, err := client.ParseAccount(owner)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := client.ParseAccount(account.String()); err != nil || again != account {
			t.Fatalf("%q prints as %q, which parses as %+v, %v", owner, account, again, err)
		}
		name := owner + "/" + rapid.StringMatching(`[A-Za-z0-9]([A-Za-z0-9-]{0,98}[A-Za-z0-9])?`).Draw(t, "name")
		project, err := client.ParseProject(name)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := client.ParseProject(project.String()); err != nil || again != project {
			t.Fatalf("%q prints as %q, which parses as %+v, %v", name, project, again, err)
		}
		ref := rapid.StringN(1, 60, 200).Draw(t, "ref")
		if split, revision, err := client.SplitRevision(name + "@" + ref); err != nil || split != name || revision != ref {
			t.Fatalf("%q@%q: %q, %q, %v", name, ref, split, revision, err)
		}
	})
}

// FuzzNames checks that names which parse are printed in a form that parses to the same name, and that others are a
// NameError.
func FuzzNames(f *testing.F) {
	for _, name := range []string{"alice", "alice/hello", "alice/hello@main", "0x3fa9", "0x" + address, "", "/@", "\xff", "0x/0x"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		refused := (*client.NameError)(nil)
		if account, err := client.ParseAccount(name); err == nil {
			if again, err := client.ParseAccount(account.String()); err != nil || again != account {
				t.Errorf("%q prints as %q: %v", name, account, err)
			}
		} else if !errors.As(err, &refused) {
			t.Errorf("%q: %v", name, err)
		}
		if project, err := client.ParseProject(name); err == nil {
			if again, err := client.ParseProject(project.String()); err != nil || again != project {
				t.Errorf("%q prints as %q: %v", name, project, err)
			}
		} else if !errors.As(err, &refused) {
			t.Errorf("%q: %v", name, err)
		}
	})
}
