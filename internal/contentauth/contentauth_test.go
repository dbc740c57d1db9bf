package contentauth_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"makechain/internal/contentauth"
	"makechain/internal/ident"
	"makechain/message"
)

var (
	now  = time.Unix(1_700_000_000, 0)
	seed = [32]byte{1, 2, 3}
)

func statement() contentauth.Statement {
	return contentauth.Statement{
		ChainID: "makechain-dev-1", Purpose: contentauth.Upload, Host: "Node.Example:8080",
		Project: ident.Hash{0xab}, Digest: ident.Hash{0xcd}, Length: 1234,
	}
}

func sign(t testing.TB, s contentauth.Statement, at time.Time) contentauth.Authorization {
	t.Helper()
	a, err := contentauth.Sign(seed, &s, at)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestText checks the exact text, which other implementations sign too.
func TestText(t *testing.T) {
	t.Parallel()
	zeros := strings.Repeat("0", 62)
	s := statement()
	text, err := s.Text(now.Unix())
	if err != nil {
		t.Fatal(err)
	}
	want := "makechain/content/v1\nmakechain-dev-1\nupload\nnode.example:8080\nab" + zeros + "\ncd" + zeros + "\n1234\n1700000000\n"
	if string(text) != want {
		t.Errorf("the text is %q, want %q", text, want)
	}
	s.Purpose, s.Digest, s.Length = contentauth.Read, ident.Hash{}, 0
	if text, err = s.Text(7); err != nil {
		t.Fatal(err)
	}
	if want := "makechain/content/v1\nmakechain-dev-1\nread\nnode.example:8080\nab" + zeros + "\n-\n0\n7\n"; string(text) != want {
		t.Errorf("the text is %q, want %q", text, want)
	}
}

// TestTextErrors checks that fields which could run into others are refused.
func TestTextErrors(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*contentauth.Statement){
		"no chain":                 func(s *contentauth.Statement) { s.ChainID = "" },
		"chain with a line break":  func(s *contentauth.Statement) { s.ChainID = "a\nupload" },
		"long chain":               func(s *contentauth.Statement) { s.ChainID = strings.Repeat("a", 51) },
		"no host":                  func(s *contentauth.Statement) { s.Host = "" },
		"host with a line break":   func(s *contentauth.Statement) { s.Host = "a\nb" },
		"host with a space":        func(s *contentauth.Statement) { s.Host = "a b" },
		"host beyond ASCII":        func(s *contentauth.Statement) { s.Host = "\u212A.example" },
		"host of 261 characters":   func(s *contentauth.Statement) { s.Host = strings.Repeat("a", 261) },
		"unknown purpose":          func(s *contentauth.Statement) { s.Purpose = "delete" },
		"purpose with other lines": func(s *contentauth.Statement) { s.Purpose = "read\nx" },
		"negative length":          func(s *contentauth.Statement) { s.Length = -1 },
	} {
		s := statement()
		change(&s)
		if text, err := s.Text(1); err == nil {
			t.Errorf("%s: the text is %q, want an error", name, text)
		}
		if _, err := contentauth.Sign(seed, &s, now); err == nil {
			t.Errorf("%s: is signed, want an error", name)
		}
	}
}

// TestVerify checks that a signature is valid for its statement, within 5 minutes, and for nothing else.
func TestVerify(t *testing.T) {
	t.Parallel()
	base := statement()
	a := sign(t, base, now)
	for name, test := range map[string]struct {
		change func(*contentauth.Statement)
		at     time.Time
		want   error
	}{
		"same":            {nil, now, nil},
		"5 minutes later": {nil, now.Add(5 * time.Minute), nil},
		"5 minutes ago":   {nil, now.Add(-5 * time.Minute), nil},
		"too late":        {nil, now.Add(5*time.Minute + time.Second), contentauth.ErrExpired},
		"too early":       {nil, now.Add(-5*time.Minute - time.Second), contentauth.ErrExpired},
		"host in upper case": {
			func(s *contentauth.Statement) { s.Host = strings.ToUpper(s.Host) }, now, nil,
		},
		"other chain":   {func(s *contentauth.Statement) { s.ChainID = "other" }, now, contentauth.ErrSignature},
		"other purpose": {func(s *contentauth.Statement) { s.Purpose = contentauth.Read }, now, contentauth.ErrSignature},
		"other host":    {func(s *contentauth.Statement) { s.Host = "node.example" }, now, contentauth.ErrSignature},
		"other project": {func(s *contentauth.Statement) { s.Project[31]++ }, now, contentauth.ErrSignature},
		"other digest":  {func(s *contentauth.Statement) { s.Digest[31]++ }, now, contentauth.ErrSignature},
		"no digest":     {func(s *contentauth.Statement) { s.Digest = ident.Hash{} }, now, contentauth.ErrSignature},
		"other length":  {func(s *contentauth.Statement) { s.Length++ }, now, contentauth.ErrSignature},
	} {
		s := base
		if test.change != nil {
			test.change(&s)
		}
		if err := a.Verify(&s, test.at); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
	}
	other := a
	other.Issued++
	if err := other.Verify(&base, now); !errors.Is(err, contentauth.ErrSignature) {
		t.Errorf("another issue time: %v, want %v", err, contentauth.ErrSignature)
	}
	other = a
	other.Key[0]++
	if err := other.Verify(&base, now); !errors.Is(err, contentauth.ErrSignature) {
		t.Errorf("another key: %v, want %v", err, contentauth.ErrSignature)
	}
	base.Host = "a\nb"
	if err := a.Verify(&base, now); err == nil || errors.Is(err, contentauth.ErrSignature) {
		t.Errorf("invalid host: %v, want an error about the host", err)
	}
}

// TestParse checks that a header parses to what was signed, and which headers do not.
func TestParse(t *testing.T) {
	t.Parallel()
	want := sign(t, statement(), now)
	header := want.String()
	for _, text := range []string{header, strings.Replace(header, "Makechain", "makechain", 1)} {
		if got, err := contentauth.Parse(text); err != nil || got != want {
			t.Errorf("Parse(%q) = %v, %v; want %v", text, got, err, want)
		}
	}
	parts := strings.Split(header, " ")
	for name, text := range map[string]string{
		"empty":              "",
		"other scheme":       "Bearer abc",
		"scheme only":        "Makechain",
		"missing part":       strings.Join(parts[:3], " "),
		"extra part":         header + " x",
		"two spaces":         strings.Replace(header, " ", "  ", 1),
		"line break":         header + "\n",
		"short key":          strings.Replace(header, parts[1], parts[1][2:], 1),
		"upper-case key":     strings.Replace(header, parts[1], strings.ToUpper(parts[1]), 1),
		"key that is no hex": strings.Replace(header, parts[1], strings.Repeat("x", 64), 1),
		"signed time":        strings.Replace(header, parts[2], "+"+parts[2], 1),
		"leading zero":       strings.Replace(header, parts[2], "0"+parts[2], 1),
		"negative time":      strings.Replace(header, parts[2], "-1", 1),
		"huge time":          strings.Replace(header, parts[2], "9223372036854775808", 1),
		"no time":            strings.Replace(header, parts[2], "", 1),
		"short signature":    header[:len(header)-2],
		"long signature":     header + "00",
		"0x":                 strings.Replace(header, parts[1], "0x"+parts[1][2:], 1),
	} {
		if got, err := contentauth.Parse(text); err == nil {
			t.Errorf("%s: Parse(%q) = %v, want an error", name, text, got)
		}
	}
}

// FuzzParse checks that what parses prints as it was, and verifies no statement that its key did not sign.
func FuzzParse(f *testing.F) {
	s := statement()
	signed := sign(f, s, now)
	f.Add(signed.String())
	f.Add("Makechain")
	f.Add("Makechain " + strings.Repeat("0", 64) + " 0 " + strings.Repeat("0", 128))
	f.Fuzz(func(t *testing.T, header string) {
		a, err := contentauth.Parse(header)
		if err != nil {
			return
		}
		if _, rest, _ := strings.Cut(header, " "); a.String() != contentauth.Scheme+" "+rest {
			t.Fatalf("%q prints as %q", header, a.String())
		}
		if a.Key == signed.Key && a.Signature != signed.Signature && a.Verify(&s, now) == nil {
			t.Fatalf("%q verifies", header)
		}
	})
}

// TestSignWith checks that a signer without access to the secret signs the same statements.
func TestSignWith(t *testing.T) {
	t.Parallel()
	seed, now := [32]byte{1}, time.Unix(1_800_000_000, 0)
	s := &contentauth.Statement{ChainID: "chain", Purpose: contentauth.Read, Host: "localhost", Project: ident.Hash{1}}
	want, err := contentauth.Sign(seed, s, now)
	if err != nil {
		t.Fatal(err)
	}
	author := message.NewAuthor(seed, 0, message.Address{})
	if got, err := contentauth.SignWith(author, s, now); err != nil || got != want {
		t.Errorf("%v, error %v, want %v", got, err, want)
	}
	text, err := s.Text(now.Unix())
	if err != nil {
		t.Fatal(err)
	}
	if !contentauth.IsStatement(text) || contentauth.IsStatement(text[1:]) || contentauth.IsStatement(append(text, '\n')) {
		t.Error("IsStatement is wrong")
	}
	if _, err := contentauth.SignWith(author, &contentauth.Statement{}, now); err == nil {
		t.Error("an invalid statement was signed")
	}
}
