package client

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
	"makechain/message"
)

const (
	// maxCandidates is how many candidates of an ambiguous name are listed.
	maxCandidates = 10
	// maxCompletionPages limits the pages of rows that are read for an abbreviated id. Only an odd number of digits,
	// which is not a prefix of whole bytes, can need more than one page.
	maxCompletionPages = 20
)

// NotFoundError is returned for a name that does not exist on the chain.
type NotFoundError struct {
	Kind string // account, project, ref, commit, merge request, key
	Name string
}

func (e *NotFoundError) Error() string { return fmt.Sprintf("there is no %s %q", e.Kind, e.Name) }

// AmbiguousError is returned for a name that stands for several objects on the chain.
type AmbiguousError struct {
	Kind       string
	Name       string
	Candidates []string // sorted, at most maxCandidates; each is unambiguous
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%s %q is ambiguous; it may be\n  %s", e.Kind, e.Name, strings.Join(e.Candidates, "\n  "))
}

// Account returns the address of an account by its name. A complete address is returned unchecked, because every
// address is an account.
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

// Project returns the id of a project by its name.
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

// Ref is the current value of a ref.
type Ref struct {
	Name  string // the full name
	Type  pb.RefType
	Hash  message.Hash
	Nonce uint64
	Floor uint32 // the earliest timestamp that messages of the ref may have (P9.3)
	// TagObject is the id of the tag object that peels to Hash, zero when there is none.
	TagObject message.Hash
}

// Ref returns a ref of a project by its full or short name.
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

// ref returns a ref by its full name, nil when there is none.
func (c *Client) ref(ctx context.Context, project message.Hash, name string) (*Ref, error) {
	value, _, err := c.lookup(ctx, schema.RefKey(project, []byte(name)))
	if err != nil || value == nil {
		return nil, err
	}
	return decodeRef(name, value)
}

// decodeRef decodes the row of a ref.
func decodeRef(name string, value []byte) (*Ref, error) {
	row := new(pb.RefRow)
	if err := schema.Decode(value, row); err != nil {
		return nil, fmt.Errorf("row of ref %q: %w", name, err)
	}
	hash, ok := ident.HashFrom(row.GetHash())
	if !ok {
		return nil, fmt.Errorf("row of ref %q has a hash of %d bytes", name, len(row.GetHash()))
	}
	tag, ok := ident.HashFrom(row.GetTagObject())
	if !ok && len(row.GetTagObject()) > 0 {
		return nil, fmt.Errorf("row of ref %q has a tag object of %d bytes", name, len(row.GetTagObject()))
	}
	return &Ref{Name: name, Type: row.GetRefType(), Hash: hash, Nonce: row.GetNonce(), Floor: row.GetFloor(), TagObject: tag}, nil
}

// Commit returns the hash of a commit of a project by its hash, an abbreviated hash or a ref that points at it. A
// complete hash is returned unchecked; a shorter name is resolved as a ref first.
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

// ProjectCommit returns a project and one of its commits by a name such as alice/hello@main.
func (c *Client) ProjectCommit(ctx context.Context, name string) (project, commit message.Hash, err error) {
	projectName, revision, err := SplitRevision(name)
	if err != nil {
		return project, commit, err
	}
	if project, err = c.Project(ctx, projectName); err != nil {
		return project, commit, err
	}
	commit, err = c.Commit(ctx, project, revision)
	return project, commit, err
}

// MergeRequest returns the id of an open merge request of a project by its id or a prefix of it.
func (c *Client) MergeRequest(ctx context.Context, project message.Hash, name string) (message.Hash, error) {
	digits, ok := parseDigits(name, hashDigits)
	if !ok {
		return message.Hash{}, &NameError{name, wantRequest}
	}
	return c.completeHash(ctx, "merge request", name, schema.MergeRequestPrefix(project), digits)
}

// AnyMergeRequest returns the id of an open or closed merge request of a project by its id or a prefix of it. A prefix of an open
// one is not compared with closed ones.
func (c *Client) AnyMergeRequest(ctx context.Context, project message.Hash, name string) (message.Hash, error) {
	id, err := c.MergeRequest(ctx, project, name)
	if missing := (*NotFoundError)(nil); !errors.As(err, &missing) {
		return id, err
	}
	digits, _ := parseDigits(name, hashDigits)
	return c.completeHash(ctx, "merge request", name, schema.ClosedMergeRequestPrefix(project), digits)
}

// DelegatedKey returns a delegated key of an account by its hex digits or a prefix of them.
func (c *Client) DelegatedKey(ctx context.Context, owner message.Address, name string) (message.PublicKey, error) {
	digits, ok := parseDigits(name, hashDigits)
	if !ok {
		return message.PublicKey{}, &NameError{name, wantKey}
	}
	id, err := c.completeHash(ctx, "key", name, schema.KeyPrefix(owner, schema.FamilyDelegated), digits)
	return message.PublicKey(id), err
}

// CustodyKey returns the id of a custody key of an account by its id or a prefix of it.
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

// partialID is a prefix of an id. The ids are the last part of the keys of the rows under keyPrefix.
type partialID struct {
	kind, name string
	display    string // printed before the digits
	keyPrefix  []byte
	digits     string // lower-case hex
	size       int    // of the id, in bytes
}

func (c *Client) completeHash(ctx context.Context, kind, name string, keyPrefix []byte, digits string) (message.Hash, error) {
	id, err := c.complete(ctx, partialID{kind: kind, name: name, keyPrefix: keyPrefix, digits: digits, size: ident.HashSize})
	if err != nil {
		return message.Hash{}, err
	}
	return message.Hash(id), nil
}

// complete returns the only id with the given prefix. That there is no other is verified with range proofs. A complete
// id is returned whether or not there is such a row. The result has size bytes, all zero with an error.
func (c *Client) complete(ctx context.Context, p partialID) ([]byte, error) {
	if len(p.digits) == 2*p.size {
		return hex.DecodeString(p.digits)
	}
	none := make([]byte, p.size)
	whole, err := hex.DecodeString(p.digits[:len(p.digits)&^1])
	if err != nil {
		return none, fmt.Errorf("%s %q: %w", p.kind, p.name, err)
	}
	prefix := append(append([]byte(nil), p.keyPrefix...), whole...)
	var found []string
	var cursor []byte
	for range maxCompletionPages {
		page, err := c.rows(ctx, prefix, cursor)
		if err != nil {
			return none, err
		}
		for _, entry := range page.GetEntries() {
			id := hex.EncodeToString(entry.GetKey()[len(p.keyPrefix):])
			if strings.HasPrefix(id, p.digits) && len(id) == 2*p.size {
				found = append(found, id)
			}
		}
		if page.GetComplete() {
			return p.one(found)
		}
		if len(found) > 1 {
			break
		}
		cursor = page.GetNextCursor()
	}
	if len(found) < 2 {
		return none, fmt.Errorf("%s %q: too many ids start with these digits: give one more", p.kind, p.name)
	}
	return p.one(found)
}

func (p *partialID) one(found []string) ([]byte, error) {
	switch len(found) {
	case 0:
		return make([]byte, p.size), &NotFoundError{p.kind, p.name}
	case 1:
		return hex.DecodeString(found[0])
	default:
		ambiguous := &AmbiguousError{Kind: p.kind, Name: p.name}
		for _, id := range found[:min(len(found), maxCandidates)] {
			ambiguous.Candidates = append(ambiguous.Candidates, p.display+id)
		}
		return make([]byte, p.size), ambiguous
	}
}

// read reads and decodes the row of a name. It returns a NotFoundError when there is none. A name can be given to something else, so a
// node must not return what it stood for before the highest known block.
func (c *Client) read(ctx context.Context, key []byte, row proto.Message, kind, name string) error {
	value, err := c.newestRow(ctx, key)
	if err != nil {
		return err
	}
	if value == nil {
		return &NotFoundError{kind, name}
	}
	if err := schema.Decode(value, row); err != nil {
		return fmt.Errorf("row of %s %q: %w", kind, name, err)
	}
	return nil
}

// newestRow reads a row like lookup. With trust, it returns a RollbackError if the node returns a block before the highest that the
// client knows.
func (c *Client) newestRow(ctx context.Context, key []byte) (value []byte, err error) {
	if c.source == nil {
		value, _, err = c.lookup(ctx, key)
		return value, err
	}
	return readNewest(ctx, c, func(ctx context.Context) ([]byte, Proven, error) {
		value, block, err := c.lookup(ctx, key)
		return value, Proven{Block: block}, err
	})
}
