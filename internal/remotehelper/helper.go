package remotehelper

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"makechain/internal/gitbundle"
	"makechain/internal/push"
	"makechain/internal/storeclient"
	"makechain/message"
)

// Helper is one run of the remote helper.
type Helper struct {
	Remote  string // the name of the remote, or its URL
	URL     string
	Address Address
	Config  *Config
	Chain   Chain
	Stores  *storeclient.Client
	// NodeURL is the URL of the node, which may have a store.
	NodeURL string
	// FollowPrivate allows URLs on the chain that lead into a private network; the node itself is in one.
	FollowPrivate bool
	// NewPush returns a push to a project, without uploader. It may ask the user for a passphrase.
	NewPush func(ctx context.Context, project message.Hash) (*push.Push, error)

	// Names replaces the ids of accounts and projects in a text by their names; may be nil.
	Names func(text string) string

	In    io.Reader
	Out   io.Writer
	Notes io.Writer // for the user

	in      *bufio.Reader
	out     *bufio.Writer
	options options
	id      message.Hash
	project *Project
	sources []*storeclient.Store
	onChain map[*storeclient.Store]bool // stores that someone else has chosen
	// ancestors are the projects that the project was forked from, the nearest first. They are known when onChain is.
	ancestors []message.Hash
	// fetchesFiles is set when git was told to use the fetch command, because no store serves git.
	fetchesFiles bool
	skipped      []error // why other stores cannot be used
}

// options are the options that git has set.
type options struct {
	objectFormat bool
	dryRun       bool
	atomic       bool
	force        bool
	depth        string // the option that asks for a shallow history
	filter       bool
	verbosity    int
	progress     bool
	expected     map[string]string // by the name of the ref, for --force-with-lease
}

// Run reads the commands of git until it closes the connection.
func (h *Helper) Run(ctx context.Context) error {
	h.in, h.out = bufio.NewReaderSize(h.In, bufferSize), bufio.NewWriterSize(h.Out, bufferSize)
	h.options = options{verbosity: 1, expected: map[string]string{}}
	for {
		line, err := h.in.ReadString('\n')
		if errors.Is(err, io.EOF) && line == "" {
			return nil
		}
		if err != nil {
			return err
		}
		done, err := h.command(ctx, strings.TrimSuffix(line, "\n"))
		if err = errors.Join(err, h.out.Flush()); err != nil || done {
			return err
		}
	}
}

const (
	// fetchCommand is the word for fetching in git's commands and protocols.
	fetchCommand = "fetch"
	// enabled is the value of an option that is set.
	enabled = "true"
)

// bufferSize is the size of the buffers towards git, one pkt-line.
const bufferSize = 64 << 10

// command executes one command. It reports whether git closes the connection after it.
func (h *Helper) command(ctx context.Context, line string) (done bool, err error) {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "":
		return true, nil
	case "capabilities":
		return false, h.print("stateless-connect\nfetch\npush\noption\nobject-format\n\n")
	case "option":
		name, value, _ := strings.Cut(rest, " ")
		return false, h.print(h.option(name, value) + "\n")
	case "list":
		return false, h.list(ctx, rest == "for-push")
	case "stateless-connect":
		return h.connect(ctx, rest)
	case fetchCommand:
		lines, err := h.batch(line)
		if err != nil {
			return false, err
		}
		return false, h.fetch(ctx, lines)
	case "push":
		lines, err := h.batch(line)
		if err != nil {
			return false, err
		}
		return false, h.push(ctx, lines)
	default:
		return false, fmt.Errorf("git sent an unknown command %q", line)
	}
}

// print writes to git.
func (h *Helper) print(text string) error {
	_, err := h.out.WriteString(text)
	return err
}

// note prints a line for the user.
func (h *Helper) note(format string, args ...any) {
	_, _ = fmt.Fprintln(h.Notes, "makechain: "+h.named(fmt.Sprintf(format, args...))) // there is no other place to report it
}

// named returns a text for the user, with names of accounts and projects.
func (h *Helper) named(text string) string {
	if h.Names == nil {
		return text
	}
	return h.Names(text)
}

// maxBatch is the largest number of commands in a batch.
const maxBatch = 100_000

// batch returns a command with those that follow it, up to an empty line.
func (h *Helper) batch(first string) ([]string, error) {
	lines := []string{first}
	for {
		line, err := h.in.ReadString('\n')
		if err != nil {
			return nil, fmt.Errorf("git ended inside a batch of commands: %w", err)
		}
		if line = strings.TrimSuffix(line, "\n"); line == "" {
			return lines, nil
		}
		if lines = append(lines, line); len(lines) > maxBatch {
			return nil, errors.New("git sent too many commands at once")
		}
	}
}

// option sets an option and returns the answer to git.
func (h *Helper) option(name, value string) string {
	switch name {
	case "object-format": // without a value, git asks whether the helper reports the format
		h.options.objectFormat = true
	case "verbosity":
		_, _ = fmt.Sscan(value, &h.options.verbosity)
	case "progress":
		h.options.progress = value == enabled
	case "dry-run":
		h.options.dryRun = value == enabled
	case "atomic":
		h.options.atomic = value == enabled
	case "force":
		h.options.force = value == enabled
	case "cas":
		ref, expected, _ := strings.Cut(unquote(value), ":")
		h.options.expected[ref] = expected
	case "depth", "deepen-since", "deepen-not":
		h.options.depth = name
	case "filter":
		h.options.filter = true
	case "deepen-relative", "followtags", "update-shallow", "cloning", "from-promisor", "no-dependents", "refetch", "family":
	default:
		return "unsupported"
	}
	return "ok"
}

// unquote removes the quotes that git puts around values with unusual bytes.
func unquote(value string) string {
	if len(value) < 2 || value[0] != '"' {
		return value
	}
	var plain strings.Builder
	for rest := value[1 : len(value)-1]; rest != ""; {
		if rest[0] != '\\' || len(rest) == 1 {
			plain.WriteByte(rest[0])
			rest = rest[1:]
			continue
		}
		if rest[1] >= '0' && rest[1] <= '3' && len(rest) >= 4 {
			plain.WriteByte((rest[1]-'0')<<6 | (rest[2]-'0')<<3 | (rest[3] - '0'))
			rest = rest[4:]
			continue
		}
		escapes := map[byte]byte{'n': '\n', 't': '\t', 'r': '\r', 'a': '\a', 'b': '\b', 'f': '\f', 'v': '\v'}
		if b, found := escapes[rest[1]]; found {
			plain.WriteByte(b)
		} else {
			plain.WriteByte(rest[1])
		}
		rest = rest[2:]
	}
	return plain.String()
}

// resolve returns the id of the project. A remote keeps the project that its URL was resolved to first, so that neither
// renaming the project nor giving its name to another one changes what is fetched.
func (h *Helper) resolve(ctx context.Context) (message.Hash, error) {
	if h.id != (message.Hash{}) {
		return h.id, nil
	}
	name := h.Address.Project.String()
	if stored := h.Config.remembered(h.Remote, h.URL); stored != "" {
		name = stored
	}
	id, err := h.Chain.Resolve(ctx, name)
	if err != nil {
		return id, err
	}
	h.id = id
	return id, h.Config.remember(ctx, h.Remote, h.URL, id.String())
}

// load reads the project from the chain.
func (h *Helper) load(ctx context.Context) error {
	if h.project != nil {
		return nil
	}
	id, err := h.resolve(ctx)
	if err != nil {
		return err
	}
	h.project, err = h.Chain.Project(ctx, id)
	return err
}

// list answers git's request for refs.
func (h *Helper) list(ctx context.Context, forPush bool) error {
	if err := h.load(ctx); err != nil {
		return err
	}
	if !forPush && h.fetchesFiles && (h.options.depth != "" || h.options.filter) {
		return fmt.Errorf("a shallow or partial clone needs a store that serves git, and the stores of %s only have files", h.Address.Project)
	}
	refs := h.project.visibleRefs()
	if h.options.objectFormat && len(refs) > 0 {
		if err := h.print(":object-format " + string(h.project.format(gitbundle.SHA1)) + "\n"); err != nil {
			return err
		}
	}
	head := h.project.Head()
	for i := range refs {
		if err := h.print(refs[i].id() + " " + refs[i].Name + "\n"); err != nil {
			return err
		}
		if refs[i].Name == head && !forPush {
			if err := h.print("@" + head + " HEAD\n"); err != nil {
				return err
			}
		}
	}
	return h.print("\n")
}
