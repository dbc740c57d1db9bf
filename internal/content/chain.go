package content

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/internal/gitbundle"
	"makechain/internal/gitid"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/schema"
	"makechain/message"
)

// Chain is the chain that the service follows. Its methods may be called concurrently.
type Chain interface {
	// View returns the newest state. The caller closes it.
	View(ctx context.Context) (View, error)
	// Next waits for a block after a height. It returns ErrBlocksPruned if the next block is no longer stored.
	Next(ctx context.Context, after uint64) (Block, error)
	// Status returns the newest block.
	Status(ctx context.Context) (Status, error)
}

// View reads the rows of a state, or of several successive ones.
type View interface {
	// Get returns the value of a row, nil if there is none.
	Get(key []byte) ([]byte, error)
	// Scan visits the rows with a prefix in order until visit returns false. The arguments are valid until visit returns.
	Scan(prefix []byte, visit func(key, value []byte) bool) error
	Close() error
}

// Block is a committed block.
type Block struct {
	Height uint64
	// Projects are those that the block's messages are about.
	Projects []ident.Hash
}

// Status is the newest block of a chain.
type Status struct {
	Height     uint64
	Time       time.Time
	CatchingUp bool // the node does not have the newest blocks yet
}

// ErrBlocksPruned is returned by Chain.Next for a block that is no longer stored.
var ErrBlocksPruned = errors.New("the block is no longer stored")

// load reads a row into a message. It returns nil if there is none.
func load[T any, P interface {
	*T
	proto.Message
}](view View, key []byte,
) (P, error) {
	value, err := view.Get(key)
	if value == nil || err != nil {
		return nil, err
	}
	row := P(new(T))
	if err := schema.Decode(value, row); err != nil {
		return nil, fmt.Errorf("decode row %x: %w", key, err)
	}
	return row, nil
}

// project is what the service needs to know of a project.
type project struct {
	id       ident.Hash
	owner    ident.Address
	archived bool
	private  bool
}

// readProject returns a project, nil if it does not exist or is removed.
func readProject(view View, id ident.Hash) (*project, error) {
	row, err := load[pb.ProjectRow](view, schema.ProjectKey(id))
	if err != nil || row == nil || row.GetStatus() == pb.ProjectStatus_PROJECT_STATUS_REMOVED {
		return nil, err
	}
	visibility, err := load[pb.ProjectMetadataRow](view, schema.ProjectMetadataKey(id, byte(pb.ProjectMetadataType_PROJECT_METADATA_VISIBILITY)))
	if err != nil {
		return nil, err
	}
	p := &project{
		id:       id,
		archived: row.GetStatus() == pb.ProjectStatus_PROJECT_STATUS_ARCHIVED,
		private:  visibility.GetValue() == message.VisibilityPrivate,
	}
	copy(p.owner[:], row.GetOwnerAddress())
	return p, nil
}

// projectByName returns the id of a project by its owner, a username or an address, and its name.
func projectByName(view View, owner, name string) (id ident.Hash, found bool, err error) {
	address, parseErr := ident.ParseAddress(owner)
	if parseErr != nil || !strings.HasPrefix(owner, "0x") {
		row, err := load[pb.UsernameRow](view, schema.UsernameKey(owner))
		if err != nil || row == nil {
			return id, false, err
		}
		copy(address[:], row.GetOwnerAddress())
	}
	row, err := load[pb.ProjectNameRow](view, schema.ProjectNameKey(address, name))
	if err != nil || row == nil {
		return id, false, err
	}
	id, found = ident.HashFrom(row.GetProjectId())
	return id, found, nil
}

// keyAccount returns the account that a key is registered to, if the key may act on a project (P3). An agent key suffices.
func keyAccount(view View, key ident.PublicKey, on ident.Hash) (account ident.Address, refused *problem, err error) {
	owner, err := load[pb.KeyOwnerRow](view, schema.KeyOwnerKey(key))
	if err != nil {
		return account, nil, err
	}
	if owner == nil {
		return account, denied(codeUnauthenticated, "key %s is not registered on the chain", key), nil
	}
	copy(account[:], owner.GetOwnerAddress())
	row, err := load[pb.DelegatedKeyRow](view, schema.DelegatedKeyKey(account, key))
	switch {
	case err != nil:
		return account, nil, err
	case row == nil:
		return account, denied(codeUnauthenticated, "key %s is not registered on the chain", key), nil
	case row.GetScope() != pb.KeyScope_KEY_SCOPE_AGENT || len(row.GetAllowedProjects()) == 0:
		return account, nil, nil
	}
	for _, allowed := range row.GetAllowedProjects() {
		if bytes.Equal(allowed, on[:]) {
			return account, nil, nil
		}
	}
	return account, denied(codePermissionDenied, "key %s may not act on project %s", key, on), nil
}

// hasPermission reports whether an account has a permission in a project.
func hasPermission(view View, p *project, account ident.Address, required pb.Permission) (bool, error) {
	if account == p.owner {
		return true, nil
	}
	row, err := load[pb.CollaboratorRow](view, schema.CollaboratorKey(p.id, account))
	return row != nil && row.GetPermission() >= required, err
}

// usableUnits returns the storage units of an account that have not expired at a time.
func usableUnits(view View, account ident.Address, at time.Time) (int64, error) {
	row, err := load[pb.AccountRow](view, schema.AccountKey(account))
	if err != nil || row == nil {
		return 0, err
	}
	if expiry := row.GetNextExpiry(); expiry == 0 || int64(expiry) > at.Unix() || row.GetUsername() == "" {
		return int64(ledger.UsableUnits(row)), nil
	}
	// The row is as of the account's last message: grants that expired since then are still in its sum.
	var units int64
	scanErr := view.Scan(schema.StorageGrantPrefix(account), func(key, value []byte) bool {
		var parsed schema.Key
		var grant pb.StorageGrantRow
		if parsed, err = schema.ParseKey(key); err != nil {
			return false
		}
		if err = schema.Decode(value, &grant); err != nil {
			return false
		}
		if int64(parsed.ExpiresAt) > at.Unix() {
			units += int64(grant.GetUnits())
		}
		return true
	})
	return units, errors.Join(err, scanErr)
}

// isNamed reports whether the chain names a digest as content of a project.
func isNamed(view View, id, digest ident.Hash) (bool, error) {
	value, err := view.Get(schema.ContentKey(id, digest))
	// A content row without a URL of block 0 would be empty and is not stored, so every row has a value.
	return value != nil, err
}

// readRefs returns the refs of a project that git can have, and the branch that HEAD of a clone points to.
func readRefs(view View, id ident.Hash) (refs []gitbundle.Ref, head string, err error) {
	prefix := schema.RefKey(id, nil)
	scanErr := view.Scan(prefix, func(key, value []byte) bool {
		var row pb.RefRow
		if err = schema.Decode(value, &row); err != nil {
			return false
		}
		hash, _ := ident.HashFrom(row.GetHash())
		if tag, ok := ident.HashFrom(row.GetTagObject()); ok {
			hash = tag
		}
		if name := string(key[len(prefix):]); gitbundle.IsRefName(name) && strings.HasPrefix(name, "refs/") {
			refs = append(refs, gitbundle.Ref{Name: name, ID: gitid.String(hash)})
		}
		return true
	})
	if err := errors.Join(err, scanErr); err != nil {
		return nil, "", err
	}
	branch, err := load[pb.ProjectMetadataRow](view, schema.ProjectMetadataKey(id, byte(pb.ProjectMetadataType_PROJECT_METADATA_DEFAULT_BRANCH)))
	return refs, headOf(refs, branch.GetValue()), err
}

// branchPrefix is the prefix of the names of branches.
const branchPrefix = "refs/heads/"

// headOf returns the branch that HEAD points to: the default branch of the project, else main or master, else the first.
func headOf(refs []gitbundle.Ref, branch string) string {
	if name := branchPrefix + strings.TrimPrefix(branch, branchPrefix); branch != "" && gitbundle.IsRefName(name) {
		return name
	}
	names, first := map[string]bool{}, ""
	for _, ref := range refs {
		names[ref.Name] = true
		if first == "" && strings.HasPrefix(ref.Name, branchPrefix) {
			first = ref.Name
		}
	}
	for _, usual := range []string{branchPrefix + "main", branchPrefix + "master"} {
		if names[usual] || first == "" {
			return usual
		}
	}
	return first
}
