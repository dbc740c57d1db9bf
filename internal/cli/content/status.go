package content

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"makechain/client"
	"makechain/internal/cli/output"
	"makechain/internal/cli/query"
	"makechain/internal/cli/signing"
	"makechain/internal/gitbundle"
	"makechain/internal/mirror"
	"makechain/internal/remotehelper"
	"makechain/internal/storeclient"
	"makechain/internal/term"
)

// maxQuestions is the number of requests to one store at a time.
const maxQuestions = 8

// statusFlags are the flags of status for a project.
type statusFlags struct {
	query   query.Flags
	signing signing.Flags
	from    []string
	digests bool
}

func (f *statusFlags) register(command *cobra.Command) {
	f.query.Register(command)
	f.signing.Register(command)
	command.Flags().StringArrayVar(&f.from, "from", nil, "another store to ask, a URL or directory; can be repeated")
	command.Flags().BoolVar(&f.digests, "digests", false, "list every git bundle")
}

// storeStatus is what a store has of a project.
type storeStatus struct {
	*storeclient.Store

	sizes  []int64 // by content; negative if the store does not have it
	failed error   // the first error
}

func (f *statusFlags) run(q *query.Query, name string) error {
	ctx := q.Context()
	id, err := q.Client.Project(ctx, name)
	if err != nil {
		return err
	}
	config, err := remotehelper.ReadConfig(ctx, "")
	if err != nil {
		return err
	}
	opener, err := openStores(q, &f.query, &f.signing, slices.Concat(f.from, config.Stores))
	if err != nil {
		return err
	}
	sources, err := opener.Sources(ctx, id)
	if err != nil {
		return err
	}
	proven, err := q.Client.Contents(ctx, id)
	if err != nil {
		return err
	}
	contents := proven.Contents
	slices.SortStableFunc(contents, func(a, b client.Content) int { return cmp.Compare(b.Block, a.Block) })
	var asked []*storeStatus
	for _, store := range sources.Stores {
		status := &storeStatus{Store: store}
		if store.HasFiles() {
			status.ask(ctx, sources.Project, contents)
		}
		asked = append(asked, status)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	missing, replaced := judge(ctx, sources.Project, contents, asked)
	if err := f.print(q, sources, contents, asked, missing, replaced); err != nil {
		return err
	}
	if len(missing) > 0 {
		return fmt.Errorf("no store has %s of %s that %s", term.Count(uint64(len(missing)), "git bundle"), name, "the chain names")
	}
	return nil
}

// ask asks a store for all contents of a project.
func (s *storeStatus) ask(ctx context.Context, project *remotehelper.Project, contents []client.Content) {
	s.sizes = make([]int64, len(contents))
	failures := make([]error, len(contents))
	var group errgroup.Group
	group.SetLimit(maxQuestions)
	for i, content := range contents {
		group.Go(func() error {
			size, err := s.Size(ctx, project.ID, content.Digest, project.Private)
			if s.sizes[i] = max(size, 0); err != nil {
				s.sizes[i] = -1
			}
			if !storeclient.IsNotThere(err) {
				failures[i] = err
			}
			return nil
		})
	}
	_ = group.Wait() // errors are in failures
	for _, err := range failures {
		s.failed = cmp.Or(s.failed, err)
	}
}

// judge returns which contents no store has: those that are missing, and those that are older than one with everything.
func judge(ctx context.Context, project *remotehelper.Project, contents []client.Content, asked []*storeStatus) (missing, replaced []int) {
	base := uint64(0)
	var absent []int
	for i := range contents {
		if !slices.ContainsFunc(asked, func(s *storeStatus) bool { return s.sizes != nil && s.sizes[i] >= 0 }) {
			absent = append(absent, i)
		}
	}
	if len(absent) == 0 {
		return nil, nil
	}
	for i, content := range contents { // the newest first
		if slices.Contains(absent, i) || base != 0 {
			continue
		}
		if header, err := readHeader(ctx, project, content, asked, i); err == nil && mirror.IsEverything(header, project) {
			base = content.Block
		}
	}
	for _, i := range absent {
		if contents[i].Block < base {
			replaced = append(replaced, i)
		} else {
			missing = append(missing, i)
		}
	}
	return missing, replaced
}

// readHeader returns the header of a git bundle from a store that has it.
func readHeader(
	ctx context.Context, project *remotehelper.Project, content client.Content, asked []*storeStatus, i int,
) (*gitbundle.Header, error) {
	for _, store := range asked {
		if store.sizes == nil || store.sizes[i] < 0 || project.Private {
			continue
		}
		body, _, err := store.Open(ctx, project.ID, content.Digest)
		if err != nil {
			continue
		}
		header, err := gitbundle.Parse(bufio.NewReader(body), gitbundle.DefaultLimits())
		_ = body.Close() // it was only read
		if err == nil {
			return &header, nil
		}
	}
	return nil, errors.New("no store has a git bundle with this digest")
}

// kindName returns the word for a kind of store.
func kindName(kind storeclient.Kind) string {
	switch kind {
	case storeclient.Service:
		return "service"
	case storeclient.Static:
		return "files"
	case storeclient.Directory:
		return "directory"
	case storeclient.Repository, storeclient.LocalRepository:
		return "git"
	default:
		return "-"
	}
}

func (f *statusFlags) print(
	q *query.Query, sources *remotehelper.Sources, contents []client.Content, asked []*storeStatus, missing, replaced []int,
) error {
	stores, bundles := []map[string]any{}, []map[string]any{}
	for _, s := range asked {
		has, size := s.total()
		store := map[string]any{"store": s.Name, "kind": kindName(s.Kind)}
		if s.sizes != nil {
			store["bundles"], store["bytes"] = has, output.Number(uint64(size))
		}
		if s.failed != nil {
			store["error"] = s.failed.Error()
		}
		stores = append(stores, store)
	}
	for i, content := range contents {
		bundles = append(bundles, map[string]any{
			"digest": content.Digest.String(), "block": output.Number(content.Block), "stores": holders(asked, i),
			"missing": slices.Contains(missing, i), "replaced": slices.Contains(replaced, i),
		})
	}
	value := map[string]any{"project_id": sources.Project.ID.String(), "stores": stores, "bundles": bundles}
	return f.query.Output.PrintValue(q.Command, value, func(p *term.Printer) {
		table := p.Table("STORE", "KIND", "BUNDLES", "SIZE", "STATE")
		for _, s := range asked {
			has, size := s.total()
			cells := []string{"-", "-"}
			if s.sizes != nil {
				cells = []string{fmt.Sprintf("%d of %d", has, len(contents)), term.Size(uint64(size))}
			}
			state := "-"
			if s.failed != nil {
				state = term.Text(s.failed.Error())
			}
			table.Row(term.Text(s.Name), kindName(s.Kind), cells[0], cells[1], state)
		}
		table.Print("no stores")
		for _, reason := range sources.Skipped {
			p.Line("not used: %s", term.Text(reason.Error()))
		}
		if f.digests {
			f.printDigests(p, contents, asked)
		}
		if len(replaced) > 0 {
			p.Line("%s: no store has them, and a later one has everything", term.Count(uint64(len(replaced)), "replaced git bundle"))
		}
	})
}

func (f *statusFlags) printDigests(p *term.Printer, contents []client.Content, asked []*storeStatus) {
	table := p.Table("DIGEST", "BLOCK", "STORES")
	for i, content := range contents {
		table.Row(content.Digest.String(), output.Number(content.Block), cmp.Or(term.Text(strings.Join(holders(asked, i), " ")), "none"))
	}
	table.Print("no git bundles")
}

// total returns how many git bundles a store has, and their size.
func (s *storeStatus) total() (has int, bytes int64) {
	for _, size := range s.sizes {
		if size >= 0 {
			has, bytes = has+1, bytes+size
		}
	}
	return has, bytes
}

// holders returns the names of the stores that have a git bundle.
func holders(asked []*storeStatus, i int) []string {
	names := []string{}
	for _, s := range asked {
		if s.sizes != nil && s.sizes[i] >= 0 {
			names = append(names, s.Name)
		}
	}
	return names
}
