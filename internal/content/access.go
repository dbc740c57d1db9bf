package content

import (
	"errors"
	"net/http"

	pb "makechain/gen/makechain"
	"makechain/internal/contentauth"
	"makechain/internal/ident"
)

// authorizationHeader is the header with the statement of contentauth.
const authorizationHeader = "Authorization"

// signer returns the key that signed a statement for a request. The digest and length are those of the statement.
func (s *Service) signer(r *http.Request, purpose contentauth.Purpose, on, digest ident.Hash, length int64) (ident.PublicKey, error) {
	header := r.Header.Get(authorizationHeader)
	if header == "" {
		return ident.PublicKey{}, denied(codeUnauthenticated, "this request needs an Authorization header with a statement of a registered key")
	}
	authorization, err := contentauth.Parse(header)
	if err != nil {
		return ident.PublicKey{}, denied(codeUnauthenticated, "%v", err)
	}
	err = authorization.Verify(&contentauth.Statement{
		ChainID: s.config.ChainID, Purpose: purpose, Host: r.Host, Project: on, Digest: digest, Length: length,
	}, s.config.Now())
	if err != nil {
		return ident.PublicKey{}, denied(codeUnauthenticated, "%v", err)
	}
	return authorization.Key, nil
}

// requireWrite returns the project and the account of a key that may upload to it.
func (s *Service) requireWrite(view View, r *http.Request, id ident.Hash, key ident.PublicKey) (*project, ident.Address, error) {
	p, account, err := s.member(view, r, id, key, pb.Permission_PERMISSION_WRITE)
	if err == nil && p.archived {
		err = denied(codeFailedPrecondition, "project %s is archived", id)
	}
	return p, account, err
}

// member returns a project in which the account of a key has a permission. A private project is not found by others.
func (s *Service) member(
	view View, r *http.Request, id ident.Hash, key ident.PublicKey, required pb.Permission,
) (*project, ident.Address, error) {
	p, err := readProject(view, id)
	if err != nil {
		return nil, ident.Address{}, err
	}
	if p == nil {
		return nil, ident.Address{}, notFound()
	}
	account, refused, err := keyAccount(view, key, id)
	if err != nil {
		return nil, account, err
	}
	if refused == nil {
		allowed, err := hasPermission(view, p, account, required)
		if err != nil {
			return nil, account, err
		}
		if !allowed {
			refused = denied(codePermissionDenied, "account %s does not have the permission %s in project %s", account, permissionName(required), id)
		}
	}
	if p.private {
		if readable, err := s.mayRead(view, p, key); err != nil {
			return nil, account, err
		} else if !readable {
			return nil, account, notFound()
		}
		if refused == nil && !s.config.IsConfidential(r.Context()) {
			refused = denied(codePermissionDenied, "requests about private projects need TLS")
		}
	}
	if refused != nil {
		return nil, account, refused
	}
	return p, account, nil
}

func permissionName(p pb.Permission) string {
	if p == pb.Permission_PERMISSION_READ {
		return "READ"
	}
	return "WRITE"
}

// mayRead reports whether a key may read a project.
func (s *Service) mayRead(view View, p *project, key ident.PublicKey) (bool, error) {
	account, refused, err := keyAccount(view, key, p.id)
	if err != nil || refused != nil {
		return false, err
	}
	return hasPermission(view, p, account, pb.Permission_PERMISSION_READ)
}

// requireRead returns an error unless the client may read a project: a public one, or one for which the request has a
// statement of a member. Blocked and unknown projects, and private ones of others, are all not found.
func (s *Service) requireRead(view View, r *http.Request, id ident.Hash) error {
	p, err := readProject(view, id)
	if err != nil {
		return err
	}
	if p == nil || s.blocked.has(id) {
		return notFound()
	}
	if !p.private {
		return nil
	}
	key, err := s.signer(r, contentauth.Read, id, ident.Hash{}, 0)
	if err != nil {
		return notFound()
	}
	_, _, err = s.member(view, r, id, key, pb.Permission_PERMISSION_READ)
	if refused, ok := errors.AsType[*problem](err); ok && refused.code == codeUnauthenticated {
		return notFound()
	}
	return err
}
