package remotehelper

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"makechain/internal/push"
	"makechain/internal/storeclient"
	"makechain/message"
)

// Uploader uploads the content of a push to all stores that accept it. It is a push.Uploader.
type Uploader struct {
	Stores   []*storeclient.Store
	Skipped  []error // why other stores cannot be used
	Replicas int     // how many stores must have the content
	// Ancestors are the projects that the project was forked from, the nearest first. A content service copies their content
	// when it lacks what an upload builds on.
	Ancestors []message.Hash
	// Note is called with what went wrong at a store while enough others have the content.
	Note func(format string, args ...any)
}

var _ push.Uploader = (*Uploader)(nil)

// TooFewStoresError is returned when fewer stores than required have the content of a push.
type TooFewStoresError struct {
	Stored, Required int
	Reasons          []error
}

func (e *TooFewStoresError) Error() string {
	var text strings.Builder
	switch e.Stored {
	case 0:
		text.WriteString("no store has accepted the content, so nothing was pushed")
	default:
		fmt.Fprintf(&text, "%d stores have accepted the content and %d are required, so nothing was pushed", e.Stored, e.Required)
	}
	for _, reason := range e.Reasons {
		text.WriteString("\n  " + reason.Error())
	}
	if len(e.Reasons) == 0 {
		text.WriteString("\n  the node has no content service and no other store is configured (git config makechain.store)")
	}
	return text.String()
}

// Unwrap returns the reasons.
func (e *TooFewStoresError) Unwrap() []error { return e.Reasons }

// OpenUploader returns an uploader to the stores of a project. The project is zero when it does not exist yet.
func (h *Helper) OpenUploader(ctx context.Context, project message.Hash) (*Uploader, error) {
	if project == (message.Hash{}) {
		h.project = &Project{}
	}
	h.id = project
	if err := h.open(ctx, true); err != nil {
		return nil, err
	}
	return &Uploader{
		Stores: h.sources, Skipped: h.skipped, Replicas: h.Config.Replicas, Ancestors: h.ancestors, Note: h.note,
	}, nil
}

// Upload implements push.Uploader.
func (u *Uploader) Upload(ctx context.Context, project, digest message.Hash, file string) error {
	return u.all(func(store *storeclient.Store) error {
		// After an interruption the store may have it already.
		if has, err := store.Has(ctx, project, digest); err == nil && has {
			return nil
		}
		err := store.Put(ctx, project, digest, file)
		if lacksObjects(err) {
			// The reason of a failed import is not better than that of the upload.
			_ = importContent(ctx, store, project, u.Ancestors, func() (bool, error) {
				err = store.Put(ctx, project, digest, file)
				return !lacksObjects(err), nil
			})
		}
		if refused := (*storeclient.RefusedError)(nil); errors.As(err, &refused) && isAboutContent(refused.Status) {
			return fmt.Errorf("%w: %w", push.ErrRefusedContent, err)
		}
		return err
	})
}

// isAboutContent reports whether a store refuses the bytes, not the user or the amount.
func isAboutContent(status int) bool {
	return slices.Contains([]int{http.StatusBadRequest, http.StatusConflict, http.StatusPreconditionFailed, http.StatusUnprocessableEntity}, status)
}

// Confirm implements push.Uploader.
func (u *Uploader) Confirm(ctx context.Context, project message.Hash, digests []message.Hash) error {
	return u.all(func(store *storeclient.Store) error {
		for _, digest := range digests {
			has, err := store.Has(ctx, project, digest)
			if err != nil {
				return err
			}
			if !has {
				return fmt.Errorf("git bundle %.12s is no longer there", digest)
			}
		}
		return nil
	})
}

// all calls a function with every store that accepts uploads, at once, and fails unless enough calls succeed.
func (u *Uploader) all(call func(*storeclient.Store) error) error {
	reasons := slices.Clone(u.Skipped)
	var usable []*storeclient.Store
	for _, store := range u.Stores {
		if store.CanStore() {
			usable = append(usable, store)
		} else {
			reasons = append(reasons, &storeError{store.Name, errors.New("the store accepts no uploads")})
		}
	}
	results := make([]chan error, len(usable))
	for i, store := range usable {
		results[i] = make(chan error, 1)
		go func() { results[i] <- call(store) }()
	}
	var failed []error
	for i, store := range usable {
		if err := <-results[i]; err != nil {
			failed = append(failed, &storeError{store.Name, err})
		}
	}
	if stored := len(usable) - len(failed); stored < u.Replicas {
		return &TooFewStoresError{Stored: stored, Required: u.Replicas, Reasons: slices.Concat(failed, reasons)}
	}
	for _, err := range failed {
		u.Note("%v", err)
	}
	return nil
}
