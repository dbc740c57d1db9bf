package remotehelper

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"makechain/internal/gitid"
	"makechain/internal/storeclient"
	"makechain/message"
)

// errNoContent is returned for a store that does not have the content of a project that was forked.
var errNoContent = errors.New("it does not have all content of the forked project")

// Import makes the content services among the stores of a fork copy the content of the projects that it was forked from, so that
// the fork can be cloned and a push only uploads what is new. It succeeds if one of them has a commit of the fork afterwards. Stores
// that only the chain names are asked if the configured ones and the node do not have it. Without success failed has the reasons,
// none if there is no content service.
func (h *Helper) Import(ctx context.Context, fork, commit message.Hash) (done bool, failed []error, err error) {
	h.id = fork
	if err := h.open(ctx, true); err != nil {
		return false, nil, err
	}
	for _, store := range h.sources {
		if store.Kind != storeclient.Service || done && h.onChain[store] {
			continue
		}
		has := func() (bool, error) { return store.HasObject(ctx, fork, h.project.Private, gitid.String(commit)) }
		if err := importContent(ctx, store, fork, h.ancestors, has); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", store.Name, err))
			continue
		}
		done = true
	}
	return done, slices.Concat(failed, h.skipped), nil
}

// importContent makes a content service copy the content of the projects that a fork was made of, the nearest first, until it has
// what is needed. The content of a fork builds on that of its own source, so this comes before it in the next attempt.
func importContent(
	ctx context.Context, store *storeclient.Store, fork message.Hash, ancestors []message.Hash, isEnough func() (bool, error),
) error {
	failed := errNoContent
	for i := range ancestors {
		for _, source := range slices.Backward(ancestors[:i+1]) {
			if err := store.Import(ctx, fork, source); err != nil && !storeclient.IsNotThere(err) && !lacksObjects(err) {
				failed = err
			}
		}
		if enough, err := isEnough(); enough || err != nil {
			return err
		}
	}
	return failed
}

// lacksObjects reports whether a content service refuses content because it lacks objects that this builds on.
func lacksObjects(err error) bool {
	refused := (*storeclient.RefusedError)(nil)
	return errors.As(err, &refused) && refused.Status == http.StatusConflict
}
