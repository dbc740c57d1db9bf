// Package stores connects commands to content stores: what the chain proves about a project and its content, and the key that
// signs requests to content services.
package stores

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"connectrpc.com/connect"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/contentauth"
	"makechain/internal/ident"
	"makechain/internal/remotehelper"
	"makechain/internal/storeclient"
	"makechain/message"
	"makechain/proof"
)

// Chain reads projects with proofs. It is a remotehelper.Chain.
type Chain struct {
	Client *client.Client
	Notes  io.Writer
}

var _ remotehelper.Chain = Chain{}

// Resolve implements remotehelper.Chain.
func (c Chain) Resolve(ctx context.Context, name string) (message.Hash, error) {
	id, err := c.Client.Project(ctx, name)
	return id, blame(c.Client, err)
}

// blame adds the address of the node to an error about its answers. That something does not exist is proven, and not about the node.
func blame(c *client.Client, err error) error {
	var missing *client.NotFoundError
	var ambiguous *client.AmbiguousError
	var name *client.NameError
	var answered *connect.Error
	switch {
	case err == nil, errors.As(err, &missing), errors.As(err, &ambiguous), errors.As(err, &name):
		return err
	case !errors.As(err, &answered) && strings.Contains(err.Error(), c.Target()): // it is named already
		return err
	}
	if step := (*proof.StepError)(nil); errors.As(err, &step) {
		err = fmt.Errorf("the answer is not proven: %w", err)
	}
	return &client.NodeError{Node: c.Target(), Err: err}
}

// Project implements remotehelper.Chain. It warns when the newest block is older than that of a chain that works.
func (c Chain) Project(ctx context.Context, id message.Hash) (*remotehelper.Project, error) {
	proven, err := c.Client.ProjectProof(ctx, id)
	if err != nil {
		return nil, blame(c.Client, err)
	}
	c.warn(proven.Proven, time.Now())
	project := &remotehelper.Project{
		ID:            id,
		Private:       proven.Metadata[pb.ProjectMetadataType_PROJECT_METADATA_VISIBILITY] == "private",
		DefaultBranch: proven.Metadata[pb.ProjectMetadataType_PROJECT_METADATA_DEFAULT_BRANCH],
		Stores:        strings.Fields(proven.Metadata[pb.ProjectMetadataType_PROJECT_METADATA_CONTENT]),
	}
	if proven.ForkParent != nil {
		project.ForkOf, _ = ident.HashFrom(proven.ForkParent.GetSourceProjectId())
	}
	for _, ref := range proven.Refs {
		project.Refs = append(project.Refs, remotehelper.Ref{Name: ref.Name, Type: ref.Type, Commit: ref.Hash, TagObject: ref.TagObject})
	}
	return project, nil
}

// warn prints a warning about a state that is older than that of a chain that works.
func (c Chain) warn(state client.Proven, now time.Time) {
	if age := state.Age(now); age > client.StaleAfter {
		_, _ = fmt.Fprintf(c.Notes, "makechain: the newest block of node %s is %s old: the chain has halted, or the node is behind\n",
			c.Client.Target(), age.Truncate(time.Minute)) // there is no other place to report it
	}
}

// Contents implements remotehelper.Chain.
func (c Chain) Contents(ctx context.Context, id message.Hash) ([]message.Hash, error) {
	proven, err := c.Client.Contents(ctx, id)
	if err != nil {
		return nil, blame(c.Client, err)
	}
	slices.SortStableFunc(proven.Contents, func(a, b client.Content) int { return cmp.Compare(b.Block, a.Block) })
	digests := make([]message.Hash, len(proven.Contents))
	for i, content := range proven.Contents {
		digests[i] = content.Digest
	}
	return digests, nil
}

// Connect returns a helper that reads projects of the node's chain and opens their stores, and the keys that sign its requests.
// The caller adds what only a remote of git has.
func Connect(ctx context.Context, node string, c *client.Client, config *remotehelper.Config, notes io.Writer, unlock Unlock) (
	*remotehelper.Helper, *Keys, error,
) {
	at, err := client.ParseTarget(node)
	if err != nil {
		return nil, nil, err
	}
	trust, err := c.Trust(ctx)
	if err != nil {
		return nil, nil, blame(c, err)
	}
	keys := &Keys{chainID: trust.ChainID, unlock: unlock}
	opener := storeclient.NewClient(trust.ChainID, config.HTTPProxy(), storeclient.DefaultStall)
	opener.Authorize = keys.authorize
	roots, err := config.RootCAs()
	if err != nil {
		return nil, nil, err
	}
	if roots != nil {
		opener.UseRootCAs(roots)
	}
	return &remotehelper.Helper{
		Config: config, Chain: Chain{Client: c, Notes: notes}, Stores: opener, NodeURL: at.String(),
		FollowPrivate: storeclient.HostIsPrivate(ctx, at.Host), Notes: notes,
	}, keys, nil
}

// Unlock returns an author with the key of an account.
type Unlock func() (*message.Author, error)

// Keys unlocks the key of an account when it is first needed, and signs requests to content services with it.
type Keys struct {
	chainID string
	unlock  Unlock

	mu     sync.Mutex
	author *message.Author // guarded by mu; nil before the key is unlocked
}

// Author returns the author of messages.
func (k *Keys) Author() (*message.Author, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.author == nil {
		author, err := k.unlock()
		if err != nil {
			return nil, err
		}
		k.author = author
	}
	return k.author, nil
}

// authorize returns the Authorization header of a request to a content service.
func (k *Keys) authorize(_ context.Context, r storeclient.Request) (string, error) {
	author, err := k.Author()
	if err != nil {
		return "", err
	}
	signed, err := contentauth.SignWith(author, &contentauth.Statement{
		ChainID: k.chainID, Purpose: r.Purpose, Host: r.Host, Project: r.Project, Digest: r.Digest, Length: r.Length,
	}, time.Now())
	if err != nil {
		return "", err
	}
	return signed.String(), nil
}
