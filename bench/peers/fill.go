package main

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"strconv"

	pb "makechain/gen/makechain"
	"makechain/internal/custody"
	"makechain/message"
)

const (
	// fillProject is how many commits a project gets: less than what makes a node prune them.
	fillProject = 9_000
	// fillBundle is how many commits a message brings.
	fillBundle = 1_000
	// permitSeconds is how long a custody signature is good before and after it is made.
	permitSeconds = 600
)

// fill brings commits, a row each, until the state has about so many rows.
func (p *preparation) fill(ctx context.Context, rows int) error {
	if rows == 0 {
		return nil
	}
	author, err := p.foundFiller(ctx)
	if err != nil {
		return err
	}
	for number := 0; rows > 0; number++ {
		project, err := author.Sign(now(), message.ProjectCreate("fill-"+strconv.Itoa(number), pb.Visibility_VISIBILITY_PUBLIC, "", ""))
		if err != nil {
			return err
		}
		messages := []*message.Envelope{project}
		for range min(rows, fillProject) / fillBundle {
			bundle, err := author.Sign(now(), message.CommitBundle(project.Hash, message.Content{}, madeUpCommits(author, rows)...))
			if err != nil {
				return err
			}
			messages = append(messages, bundle)
			rows -= fillBundle
		}
		if len(messages) == 1 {
			return nil // what is left is less than a bundle
		}
		p.expected += uint64(len(messages))
		if err := p.submit(ctx, messages...); err != nil {
			return err
		}
		if err := p.awaitCommitted(ctx); err != nil {
			return err
		}
	}
	return nil
}

// foundFiller puts an account on the chain that may have many projects.
func (p *preparation) foundFiller(ctx context.Context) (*message.Author, error) {
	root, err := custody.NewSecp256k1Wallet(sha256.Sum256([]byte("fill root")))
	if err != nil {
		return nil, err
	}
	author := message.NewAuthor(sha256.Sum256([]byte("fill key")), pb.Network_NETWORK_DEVNET, root.KeyID())
	grant := message.SignerGrant{Key: author.Key(), Scope: pb.KeyScope_KEY_SCOPE_OWNER}
	permit := message.Permit{ValidAfter: uint64(now()) - permitSeconds, ValidBefore: uint64(now()) + permitSeconds}
	key, err := author.SignerAdd(now(), grant, permit, root, root)
	if err != nil {
		return nil, err
	}
	if err := p.claim(ctx, author.Owner()); err != nil {
		return nil, err
	}
	name, err := author.Sign(now(), message.UsernameCreate("fill"))
	if err != nil {
		return nil, err
	}
	p.expected += 2
	return author, p.submit(ctx, key, name)
}

// madeUpCommits are those of a bundle, told apart by a number.
func madeUpCommits(author *message.Author, number int) []message.Commit {
	commits := make([]message.Commit, fillBundle)
	for i := range commits {
		hash := sha256.Sum256(binary.BigEndian.AppendUint64(nil, uint64(number-i)))
		commits[i] = message.Commit{Hash: hash, TreeRoot: hash, MessageHash: hash, Author: author.Owner(), Title: "fill"}
	}
	return commits
}
