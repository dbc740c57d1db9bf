package node

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	pb "makechain/gen/makechain"
	"makechain/internal/content"
	"makechain/internal/contentserver"
	"makechain/internal/feed"
	"makechain/internal/schema"
	"makechain/internal/store"
)

// ContentDir is the default directory of content in a home.
const ContentDir = "content"

// startContent opens the content service, unless it is off. A node without git works without it.
func (n *Node) startContent(ctx context.Context) error {
	config := n.config.Content
	isOn, err := n.wantsContent()
	if err != nil || !isOn {
		return err
	}
	if config.Dir == "" {
		config.Dir = filepath.Join(n.config.Home, ContentDir)
	}
	n.content, err = contentserver.Open(ctx, contentserver.Config{
		Dir: config.Dir, Store: config.Store, Collect: config.Collect, PublicURL: config.PublicURL,
		MaxBytes: config.MaxBytes, BytesPerUnit: config.BytesPerUnit, MinFree: config.MinFree, Follow: config.Follow, FollowPrivate: config.FollowPrivate,
		LimitLoopback: n.config.GRPC.Limits.LimitLoopback, Log: n.config.Log, Registerer: n.registry,
	}, n.genesis.ChainID, contentChain{n})
	if errors.Is(err, contentserver.ErrNoGit) {
		n.config.Log.WarnContext(ctx, "content is off", "reason", err)
		return nil
	}
	return err
}

// wantsContent reports whether the configuration asks for a content service.
func (n *Node) wantsContent() (bool, error) {
	switch n.config.Content.Mode {
	case "", ContentOff:
		return false, nil
	case ContentOn:
		return true, nil
	case ContentAuto:
		if n.genesis.Network == pb.Network_NETWORK_DEVNET {
			return true, nil
		}
		isValidator, err := n.isValidator()
		return !isValidator, err
	default:
		return false, fmt.Errorf("content: %q is not on, off or auto", n.config.Content.Mode)
	}
}

// isValidator reports whether the key of this node is that of a validator.
func (n *Node) isValidator() (bool, error) {
	state := n.store.Snapshot()
	value, err := state.Get(schema.ValidatorsKey())
	if err = errors.Join(err, state.Close()); err != nil {
		return false, err
	}
	own := n.engine.Status().ValidatorKey
	if value == nil {
		for _, validator := range n.genesis.Validators {
			if bytes.Equal(validator.PublicKey[:], own) {
				return true, nil
			}
		}
		return false, nil
	}
	var row pb.ValidatorsRow
	if err := schema.Decode(value, &row); err != nil {
		return false, err
	}
	for _, validator := range row.GetValidators() {
		if bytes.Equal(validator.GetPublicKey(), own) {
			return true, nil
		}
	}
	return false, nil
}

// HasContent reports whether the node has a content service.
func (n *Node) HasContent() bool { return n.content != nil }

// contentChain is the chain of a node as the content service follows it.
type contentChain struct{ node *Node }

var _ content.Chain = contentChain{}

// View is part of content.Chain, like the methods below.
func (c contentChain) View(context.Context) (content.View, error) {
	return contentView{c.node.store.Snapshot()}, nil
}

// Next waits for a block.
func (c contentChain) Next(ctx context.Context, after uint64) (content.Block, error) {
	projects, err := c.node.feed.Projects(ctx, after)
	if errors.Is(err, feed.ErrOutOfRange) {
		err = content.ErrBlocksPruned
	}
	return content.Block{Height: after + 1, Projects: projects}, err
}

// Status returns the newest block.
func (c contentChain) Status(context.Context) (content.Status, error) {
	state := c.node.store.Snapshot()
	height := state.Height()
	if err := state.Close(); err != nil {
		return content.Status{}, err
	}
	status := content.Status{Height: height, CatchingUp: c.node.engine.Status().CatchingUp}
	block, err := c.node.engine.Block(height)
	if err != nil {
		return status, fmt.Errorf("read block %d: %w", height, err)
	}
	if block == nil { // the state was restored from a snapshot, and no block has been executed since
		status.Time, status.CatchingUp = time.Now(), true
		return status, nil
	}
	status.Time = time.Unix(int64(block.GetExecutionPayload().GetTimestamp()), 0)
	return status, nil
}

// contentView is a snapshot of the state.
type contentView struct{ *store.Snapshot }

// Scan visits the rows with a prefix.
func (v contentView) Scan(prefix []byte, visit func(key, value []byte) bool) error {
	return v.Snapshot.Scan(prefix, schema.After(prefix), visit)
}
