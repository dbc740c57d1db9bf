package content

import (
	"net/http"
	"strings"

	"makechain/internal/ident"
)

// repository returns the project in the path of a git request, which the client may read.
func (s *Service) repository(r *http.Request) (id ident.Hash, err error) {
	err = s.view(r.Context(), func(view View) error {
		if text := strings.TrimSuffix(r.PathValue("project"), ".git"); text != "" {
			if id, err = ident.ParseHash(text); err != nil || id.String() != text {
				return notFound()
			}
		} else {
			var found bool
			if id, found, err = projectByName(view, r.PathValue("owner"), strings.TrimSuffix(r.PathValue("name"), ".git")); err != nil {
				return err
			}
			if !found {
				return notFound()
			}
		}
		return s.requireRead(view, r, id)
	})
	if err == nil && !s.catalog.has(id) {
		err = denied(codeNotFound, "this service has no content of the project")
	}
	return id, err
}

// advertise serves GET info/refs.
func (s *Service) advertise(w http.ResponseWriter, r *http.Request) error {
	switch service := r.URL.Query().Get("service"); service {
	case "git-upload-pack":
	case "":
		return denied(codeInvalidArgument, "the dumb HTTP protocol is not supported, update git")
	default:
		return denied(codePermissionDenied, "%s is not supported: push with git push makechain://... or makechain push", service)
	}
	id, err := s.repository(r)
	if err != nil {
		return err
	}
	return s.config.Repositories.InfoRefs(w, r, id, s.config.ClientAddress(r.Context()))
}

// uploadPack serves POST git-upload-pack.
func (s *Service) uploadPack(w http.ResponseWriter, r *http.Request) error {
	id, err := s.repository(r)
	if err != nil {
		return err
	}
	return s.config.Repositories.UploadPack(w, r, id, s.config.ClientAddress(r.Context()))
}
