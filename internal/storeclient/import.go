package storeclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"path"

	"makechain/internal/contentauth"
	"makechain/internal/ident"
)

// errNoImport is returned for a store that is not a content service.
var errNoImport = errors.New("the store cannot copy content of another project")

// importPath is the last part of the path of an import.
const importPath = "import"

// isImport reports whether a request makes a content service copy and verify content.
func isImport(r *http.Request) bool {
	return r.Method == http.MethodPost && path.Base(r.URL.Path) == importPath
}

// Import makes a content service add the content of another project, such as the source of a fork, to a project. Without an
// error the service has added everything that it has of the source. An interrupted import can be repeated.
func (s *Store) Import(ctx context.Context, project, source ident.Hash) error {
	if s.Kind != Service {
		return errNoImport
	}
	body, err := json.Marshal(map[string]string{"source": source.String()})
	if err != nil {
		return err
	}
	at := s.base.JoinPath("v1", "content", project.String(), importPath)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, at.String(), bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	if err := s.authorize(request, contentauth.Import, project, source, 0); err != nil {
		return err
	}
	response, err := s.http.Do(request)
	if err != nil {
		return err
	}
	if response.StatusCode == http.StatusOK {
		return response.Body.Close()
	}
	return statusError(response)
}

// HasObject reports whether the repository that a content service has of a project contains an object by its git id. The service
// adds an object only together with all objects that it refers to.
func (s *Store) HasObject(ctx context.Context, project ident.Hash, private bool, id string) (bool, error) {
	if s.Kind != Service {
		return false, nil
	}
	at := s.base.JoinPath("v1", "content", project.String(), "objects", id)
	request, err := http.NewRequestWithContext(ctx, http.MethodHead, at.String(), nil)
	if err != nil {
		return false, err
	}
	if private {
		if err := s.authorize(request, contentauth.Read, project, ident.Hash{}, 0); err != nil {
			return false, err
		}
	}
	return s.isThere(request)
}
