package client

import (
	"context"
	"errors"
	"fmt"
	"strings"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
	"makechain/message"
)

// NotFoundError is a name that nothing on the chain has.
type NotFoundError struct {
	Kind string // account, project, ref, commit, merge request, key
	Name string
}

// Error names it.
func (e *NotFoundError) Error() string { return fmt.Sprintf("there is no %s %q", e.Kind, e.Name) }

// AmbiguousError is a name that several things on the chain have.
type AmbiguousError struct {
	Kind       string
	Name       string
	Candidates []string // at most maxCandidates, in order; each is a name that is not ambiguous
}

// Error lists the candidates.
func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%s %q is ambiguous; it may be\n  %s", e.Kind, e.Name, strings.Join(e.Candidates, "\n  "))
}

// Account finds the address of an account by its name. An address is taken as it is: every address is an account.
func (c *Client) Account(ctx context.Context, name string) (message.Address, error) {
	parsed, err := ParseAccount(name)
	if err != nil {
		return message.Address{}, err
	}
	return c.account(ctx, parsed)
}

func (c *Client) account(ctx context.Context, name AccountName) (message.Address, error) {
	if name.Username == "" {
		id, err := c.complete(ctx, partialID{
			kind: "account", name: name.String(), display: "0x", keyPrefix: []byte{byte(schema.PrefixAccount)}, digits: name.Prefix, size: ident.AddressSize,
		})
		return message.Address(id), err
	}
	row := new(pb.UsernameRow)
	if err := c.read(ctx, schema.UsernameKey(name.Username), row, "account", name.Username); err != nil {
		return message.Address{}, err
	}
	address, ok := ident.AddressFrom(row.GetOwnerAddress())
	if !ok {
		return address, fmt.Errorf("row of username %q has an address of %d bytes", name.Username, len(row.GetOwnerAddress()))
	}
	return address, nil
}

// Project finds the id of a project by its name.
func (c *Client) Project(ctx context.Context, name string) (message.Hash, error) {
	parsed, err := ParseProject(name)
	if err != nil {
		return message.Hash{}, err
	}
	if parsed.Prefix != "" {
		return c.completeHash(ctx, "project", name, []byte{byte(schema.PrefixProject)}, parsed.Prefix)
	}
	owner, err := c.account(ctx, parsed.Owner)
	if err != nil {
		return message.Hash{}, err
	}
	row := new(pb.ProjectNameRow)
	if err := c.read(ctx, schema.ProjectNameKey(owner, parsed.Name), row, "project", name); err != nil {
		return message.Hash{}, err
	}
	id, ok := ident.HashFrom(row.GetProjectId())
	if !ok {
		return id, fmt.Errorf("row of project %q has an id of %d bytes", name, len(row.GetProjectId()))
	}
	return id, nil
}

// Ref is a ref of a project as it stands.
type Ref struct {
	Name  string // in full
	Type  pb.RefType
	Hash  message.Hash
	Nonce uint64
}

// Ref finds a ref of a project by its full or short name.
func (c *Client) Ref(ctx context.Context, project message.Hash, name string) (*Ref, error) {
	candidates, err := RefCandidates(name)
	if err != nil {
		return nil, err
	}
	var found []*Ref
	for i, full := range candidates {
		ref, err := c.ref(ctx, project, full)
		if err != nil {
			return nil, err
		}
		if ref != nil {
			found = append(found, ref)
		}
		if ref != nil && i == 0 {
			break // a full name is never ambiguous
		}
	}
	switch len(found) {
	case 0:
		return nil, &NotFoundError{"ref", name}
	case 1:
		return found[0], nil
	default:
		ambiguous := &AmbiguousError{Kind: "ref", Name: name}
		for _, ref := range found {
			ambiguous.Candidates = append(ambiguous.Candidates, ref.Name)
		}
		return nil, ambiguous
	}
}

// ref reads a ref by its full name, nil when there is none.
func (c *Client) ref(ctx context.Context, project message.Hash, name string) (*Ref, error) {
	value, _, err := c.lookup(ctx, schema.RefKey(project, []byte(name)))
	if err != nil || value == nil {
		return nil, err
	}
	row := new(pb.RefRow)
	if err := schema.Decode(value, row); err != nil {
		return nil, fmt.Errorf("row of ref %q: %w", name, err)
	}
	hash, ok := ident.HashFrom(row.GetHash())
	if !ok {
		return nil, fmt.Errorf("row of ref %q has a hash of %d bytes", name, len(row.GetHash()))
	}
	return &Ref{Name: name, Type: row.GetRefType(), Hash: hash, Nonce: row.GetNonce()}, nil
}

// Commit finds a commit of a project by its hash, by a short hash, or by a ref that points at it. A full hash is
// always a hash; anything shorter is a ref if there is one.
func (c *Client) Commit(ctx context.Context, project message.Hash, name string) (message.Hash, error) {
	digits, isDigits := parseDigits(name, hashDigits)
	if len(digits) < hashDigits {
		ref, err := c.Ref(ctx, project, name)
		if err == nil {
			return ref.Hash, nil
		}
		if missing := (*NotFoundError)(nil); !errors.As(err, &missing) {
			return message.Hash{}, err
		}
	}
	if !isDigits {
		return message.Hash{}, &NotFoundError{"ref or commit", name}
	}
	return c.completeHash(ctx, "commit", name, schema.CommitPrefix(project), digits)
}

// Place finds a project and a commit in it by one name, such as alice/hello@main.
func (c *Client) ProjectCommit(ctx context.Context, name string) (project, commit message.Hash, err error) {
	outer, inner, err := SplitRevision(name)
	if err != nil {
		return project, commit, err
	}
	if project, err = c.Project(ctx, outer); err != nil {
		return project, commit, err
	}
	commit, err = c.Commit(ctx, project, inner)
	return project, commit, err
}

// MergeRequest finds an open merge request against a project by its id or a short one.
func (c *Client) MergeRequest(ctx context.Context, project message.Hash, name string) (message.Hash, error) {
	digits, ok := parseDigits(name, hashDigits)
	if !ok {
		return message.Hash{}, &NameError{name, wantRequest}
	}
	return c.completeHash(ctx, "merge request", name, schema.MergeRequestPrefix(project), digits)
}

// DelegatedKey finds a delegated key of an account by its digits or the first of them.
func (c *Client) DelegatedKey(ctx context.Context, owner message.Address, name string) (message.PublicKey, error) {
	digits, ok := parseDigits(name, hashDigits)
	if !ok {
		return message.PublicKey{}, &NameError{name, wantKey}
	}
	id, err := c.completeHash(ctx, "key", name, schema.KeyPrefix(owner, schema.FamilyDelegated), digits)
	return message.PublicKey(id), err
}

// CustodyKey finds a custody key of an account by its id or the beginning of it.
func (c *Client) CustodyKey(ctx context.Context, owner message.Address, name string) (message.Address, error) {
	digits, ok := parseDigits(name, addressDigits)
	if !ok {
		return message.Address{}, &NameError{name, wantKey}
	}
	id, err := c.complete(ctx, partialID{
		kind: "custody key", name: name, display: "0x", keyPrefix: schema.KeyPrefix(owner, schema.FamilyCustody), digits: digits, size: ident.AddressSize,
	})
	return message.Address(id), err
}
