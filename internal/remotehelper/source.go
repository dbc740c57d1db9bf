package remotehelper

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"makechain/internal/storeclient"
	"makechain/internal/term"
	"makechain/message"
)

// maxForks is the number of ancestors of a fork whose stores are asked.
const maxForks = 8

// location is where a store may be.
type location struct {
	url    string
	policy storeclient.Policy
}

// open finds the stores of the project, in the order in which they are asked: those of the configuration, the node's own,
// those on the chain, and those of the projects that it was forked from. It stops after the configured ones and the node
// when one of these serves git, unless all is true.
func (h *Helper) open(ctx context.Context, all bool) error {
	if err := h.load(ctx); err != nil {
		return err
	}
	var first []location
	for _, store := range h.Config.Stores {
		first = append(first, location{store, storeclient.Anywhere})
	}
	if h.NodeURL != "" {
		first = append(first, location{h.NodeURL, storeclient.Anywhere})
	}
	h.openAll(ctx, first)
	if !all && slices.ContainsFunc(h.sources, (*storeclient.Store).ServesGit) {
		return nil
	}
	return h.openOnChain(ctx)
}

// Sources are the stores that a project's content is read from.
type Sources struct {
	Project *Project
	Stores  []*storeclient.Store // in the order in which they are asked
	Skipped []error              // why others cannot be used
}

// Sources opens the stores of a project. It may be called for several projects, one after another.
func (h *Helper) Sources(ctx context.Context, project message.Hash) (*Sources, error) {
	h.id, h.project, h.sources, h.onChain, h.skipped = project, nil, nil, nil, nil
	if err := h.open(ctx, true); err != nil {
		return nil, err
	}
	return &Sources{Project: h.project, Stores: h.sources, Skipped: h.skipped}, nil
}

// openOnChain opens the stores that the chain names.
func (h *Helper) openOnChain(ctx context.Context) error {
	if h.onChain != nil {
		return nil
	}
	policy := storeclient.PublicOnly
	if h.FollowPrivate {
		policy = storeclient.Anywhere
	}
	var locations []location
	project := h.project
	for range maxForks {
		for _, url := range project.Stores {
			if !isHTTP(url) {
				continue // whatever the policy: a URL on the chain never names a file of this machine
			}
			locations = append(locations, location{url, policy})
		}
		if project.ForkOf == (message.Hash{}) {
			break
		}
		h.ancestors = append(h.ancestors, project.ForkOf)
		var err error
		if project, err = h.Chain.Project(ctx, project.ForkOf); err != nil {
			h.skipped = append(h.skipped, fmt.Errorf("the project that it was forked from: %w", err))
			break
		}
	}
	before := len(h.sources)
	h.openAll(ctx, locations)
	h.onChain = map[*storeclient.Store]bool{}
	for _, store := range h.sources[before:] {
		h.onChain[store] = true
	}
	return nil
}

// openAll opens stores at once and adds them in their order.
func (h *Helper) openAll(ctx context.Context, locations []location) {
	type result struct {
		store *storeclient.Store
		err   error
	}
	results := make([]chan result, len(locations))
	for i, at := range locations {
		results[i] = make(chan result, 1)
		go func() {
			store, err := h.Stores.Open(ctx, at.url, at.policy)
			results[i] <- result{store, err}
		}()
	}
	for i, at := range locations {
		opened := <-results[i]
		if opened.err != nil {
			h.skipped = append(h.skipped, &storeError{at.url, opened.err})
			continue
		}
		isKnown := func(s *storeclient.Store) bool { return s.Name == opened.store.Name }
		if !slices.ContainsFunc(h.sources, isKnown) {
			h.sources = append(h.sources, opened.store)
		}
	}
}

// maxReason is the length of the reason of a failure that is printed, in bytes.
const maxReason = 1024

// storeError is what went wrong at a store. The store determines the text of some reasons, so the text is escaped.
type storeError struct {
	store string // its name
	err   error
}

func (e *storeError) Error() string {
	text := e.err.Error()
	return e.store + ": " + term.Text(text[:min(len(text), maxReason)])
}

func (e *storeError) Unwrap() error { return e.err }

// failure returns the error when no store has what is needed.
func (h *Helper) failure(what string, failed []error) error {
	var text strings.Builder
	fmt.Fprintf(&text, "no store has %s of ", what)
	if h.Address.Project.Prefix != "" {
		text.WriteString("project ") // of which Names knows the name
	}
	text.WriteString(h.Address.Project.String())
	if h.project != nil && h.project.Private {
		text.WriteString(", which is private: only its owner and collaborators can read it")
	}
	for _, err := range slices.Concat(failed, h.skipped) {
		text.WriteString("\n  " + err.Error())
	}
	return errors.New(text.String())
}
