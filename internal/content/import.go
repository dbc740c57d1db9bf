package content

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"

	pb "makechain/gen/makechain"
	"makechain/internal/contentauth"
	"makechain/internal/ident"
)

// maxImportRequest is the size limit of the body of an import.
const maxImportRequest = 1 << 10

// importContent serves POST import: it adds the content of another project that the client may read, such as the source of a
// fork, without another upload.
func (s *Service) importContent(w http.ResponseWriter, r *http.Request) error {
	id, err := pathHash(r, "project")
	if err != nil {
		return err
	}
	source, err := importSource(r)
	if err != nil {
		return err
	}
	key, err := s.signer(r, contentauth.Import, id, source, 0)
	if err != nil {
		return err
	}
	var target *project
	var account ident.Address
	if err := s.view(r.Context(), func(view View) (err error) {
		if target, account, err = s.requireWrite(view, r, id, key); err != nil {
			return err
		}
		from, err := readProject(view, source)
		if err != nil {
			return err
		}
		if from != nil && from.private {
			from, _, err = s.member(view, r, source, key, pb.Permission_PERMISSION_READ)
		}
		if err == nil && (from == nil || s.blocked.has(source) || s.blocked.has(id)) {
			err = notFound()
		}
		return err
	}); err != nil {
		return err
	}
	imported, bytes := 0, int64(0)
	for _, e := range s.catalog.list(source) {
		if !e.Kept || s.blocked.has(e.digest) {
			continue
		}
		added, err := s.importOne(r, &upload{project: target, uploader: account, digest: e.digest, size: e.Size, source: source})
		if err != nil {
			return err
		}
		if added {
			imported, bytes = imported+1, bytes+e.Size
		}
	}
	return writeJSON(w, http.StatusOK, map[string]any{"imported": imported, "bytes": bytes})
}

func importSource(r *http.Request) (ident.Hash, error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, maxImportRequest+1))
	if err != nil {
		return ident.Hash{}, err
	}
	if len(body) > maxImportRequest {
		return ident.Hash{}, denied(codeBodyTooLarge, "the body has more than %d bytes", maxImportRequest)
	}
	var request struct {
		Source string `json:"source"`
	}
	if err := json.Unmarshal(body, &request); err != nil {
		return ident.Hash{}, denied(codeInvalidArgument, `the body is not of the form {"source":"<project>"}: %v`, err)
	}
	source, err := ident.ParseHash(request.Source)
	if err != nil {
		return ident.Hash{}, denied(codeInvalidArgument, "source: %v", err)
	}
	return source, nil
}

// importOne adds a stored git bundle to another project. It reports false if the project has it already.
func (s *Service) importOne(r *http.Request, u *upload) (added bool, err error) {
	ctx, id := r.Context(), u.project.id
	if s.catalog.contains(id, u.digest) {
		return false, nil
	}
	release, err := s.reserve(ctx, u)
	if err != nil {
		return false, err
	}
	defer release()
	client := s.config.ClientAddress(ctx)
	if err := s.startVerification(ctx, client); err != nil {
		return false, err
	}
	defer s.endVerification(client)
	return true, s.addStored(ctx, u)
}

// addStored adds stored bytes to another project.
func (s *Service) addStored(ctx context.Context, u *upload) error {
	file, err := s.copyStored(ctx, u.digest)
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(file) }() // Open deletes what is left
	// The record of the other project may have been deleted meanwhile, and the bytes with it.
	return s.add(ctx, u, file, true, func(ctx context.Context) error { return s.storeFile(ctx, u.digest, file) })
}
