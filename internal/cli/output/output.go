// Package output prints answers: as JSON with --json, else as tables and facts with names in place of ids.
package output

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"google.golang.org/protobuf/proto"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/gitid"
	"makechain/internal/gitrepo"
	"makechain/internal/ident"
	"makechain/internal/jsonform"
	"makechain/internal/term"
	"makechain/message"
)

// Flags are the flags that select the form of the output.
type Flags struct {
	JSON bool
	Full bool
}

// Register adds the flags of a command that prints answers of a node.
func (f *Flags) Register(flags *pflag.FlagSet) {
	flags.BoolVar(&f.JSON, "json", false, "print JSON, in the form of the REST gateway")
	flags.BoolVar(&f.Full, "full", false, "print ids and times in full")
}

// RegisterJSON adds --json for a command that prints local information, always with full ids.
func (f *Flags) RegisterJSON(flags *pflag.FlagSet) {
	f.Full = true
	flags.BoolVar(&f.JSON, "json", false, "print JSON")
}

// Printer prints for people. It looks up the names of accounts and projects at a node.
type Printer struct {
	*term.Printer
	labels
}

// Printer returns a printer on the output of a command.
func (f *Flags) Printer(command *cobra.Command, c *client.Client) *Printer {
	p := f.local(command)
	return &Printer{Printer: p, labels: newLabels(command.Context(), c, p)}
}

// Quiet returns a printer that prints nothing, for its names alone.
func Quiet(ctx context.Context, c *client.Client) *Printer {
	p := term.New(nil, term.Options{})
	return &Printer{Printer: p, labels: newLabels(ctx, c, p)}
}

func (f *Flags) local(command *cobra.Command) *term.Printer {
	out := command.OutOrStdout()
	return term.New(out, term.Options{Full: f.Full, Colour: term.Colourful(out), Now: time.Now()})
}

// Print prints an answer of a node: in the JSON form of the gateway, or by a function for people.
func (f *Flags) Print(command *cobra.Command, c *client.Client, answer proto.Message, human func(*Printer)) error {
	if !f.JSON {
		p := f.Printer(command, c)
		human(p)
		return p.Err()
	}
	encoded, err := jsonform.Marshal(answer)
	if err != nil {
		return err
	}
	_, err = command.OutOrStdout().Write(append(encoded, '\n'))
	return err
}

// PrintValue prints a Go value: as JSON, or by a function for people.
func (f *Flags) PrintValue(command *cobra.Command, value any, human func(*term.Printer)) error {
	if f.JSON {
		return json.NewEncoder(command.OutOrStdout()).Encode(value)
	}
	p := f.local(command)
	human(p)
	return p.Err()
}

// PrivateMode is the mode of files that only their owner may read.
const PrivateMode = 0o600

// ReplaceFile replaces the content of a private file atomically.
func ReplaceFile(path string, content []byte) error {
	// Several programs may replace the file at a time, so each has a draft of its own.
	draft, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.new") // with PrivateMode
	if err != nil {
		return err
	}
	_, err = draft.Write(content)
	if err = errors.Join(err, draft.Close()); err == nil {
		err = os.Rename(draft.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(draft.Name()))
	}
	return nil
}

// maxLabels is the largest number of names that are looked up for one answer; other accounts and projects are printed
// by their ids.
const maxLabels = 200

// statusRemoved is the status of a removed project.
const statusRemoved = "removed"

// labels caches names of accounts and projects. They are not verified and for display only: commands act on
// names that were resolved with a proof.
type labels struct {
	cached map[string]string

	lookUpAccount, lookUpProject func(id []byte) (name string, found bool)

	short func(id []byte) string // for what has no name
}

func newLabels(ctx context.Context, c *client.Client, p *term.Printer) labels {
	l := labels{cached: map[string]string{}, short: p.ID}
	l.lookUpAccount = func(address []byte) (string, bool) {
		account, err := client.Call(ctx, c.GetAccount, &pb.GetAccountRequest{OwnerAddress: address})
		if err != nil || account.GetUsername() == "" {
			return p.Address(address), true
		}
		return term.Text(account.GetUsername()), true
	}
	l.lookUpProject = func(id []byte) (string, bool) {
		project, err := client.Call(ctx, c.GetProject, &pb.GetProjectRequest{ProjectId: id})
		if err != nil || project.GetStatus() == statusRemoved {
			return "", false
		}
		return l.Account(project.GetOwnerAddress()) + "/" + term.Text(project.GetName()), true
	}
	return l
}

// Account returns the username of an address, or the address.
func (l *labels) Account(address []byte) string { return l.label(address, l.lookUpAccount) }

// Project returns owner/name of a project, or its id when it has been removed.
func (l *labels) Project(id []byte) string { return l.label(id, l.lookUpProject) }

func (l *labels) label(id []byte, lookUp func([]byte) (string, bool)) string {
	if label, cached := l.cached[string(id)]; cached {
		return label
	}
	if len(l.cached) >= maxLabels {
		return l.short(id)
	}
	label, found := lookUp(id)
	if !found {
		label = l.short(id)
	}
	l.cached[string(id)] = label
	return label
}

// Names returns a text of the node in which accounts and projects are named as the user names them: the ids after the words
// account and project are replaced.
func (l *labels) Names(text string) string {
	ids := regexp.MustCompile(`\b(account|project) (0x)?[0-9a-f]{40,64}\b`)
	return ids.ReplaceAllStringFunc(text, func(found string) string {
		kind, digits, _ := strings.Cut(found, " ")
		id, err := hex.DecodeString(strings.TrimPrefix(digits, "0x"))
		switch {
		case err == nil && kind == "account" && len(id) == ident.AddressSize:
			return kind + " " + l.Account(id)
		case err == nil && kind == "project" && len(id) == ident.HashSize:
			return kind + " " + l.Project(id)
		default:
			return found
		}
	})
}

// Ref returns the short name of a branch or tag, or the full name of another ref.
func Ref(name []byte) string {
	text := string(name)
	for _, prefix := range []string{gitrepo.BranchPrefix, gitrepo.TagPrefix} {
		if short, found := strings.CutPrefix(text, prefix); found && short != "" {
			return term.Text(short)
		}
	}
	return term.Text(text)
}

// Commit returns a commit by its git id. No commit is "-".
func Commit(p *term.Printer, commit []byte) string {
	if hash, ok := ident.HashFrom(commit); ok && hash != (message.Hash{}) {
		return p.ID(commit[:len(gitid.String(hash))/2])
	}
	return "-"
}

// Enum returns an enum value without its prefix, in lower case, as in the JSON form.
func Enum(value interface{ String() string }, prefix string) string {
	return strings.ToLower(strings.TrimPrefix(value.String(), prefix))
}

// Type returns the type of a message as in the JSON form.
func Type(t pb.MessageType) string { return Enum(t, "MESSAGE_TYPE_") }

// ShortID returns the first digits of an id, as printed without --full.
func ShortID(id []byte) string { return hex.EncodeToString(id)[:term.ShortDigits] }

// Number returns an integer in decimal.
func Number[N ~int | ~uint32 | ~uint64](n N) string { return strconv.FormatUint(uint64(n), 10) }

// YesNo returns "yes" or "no".
func YesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}
