package client

import (
	"context"
	"fmt"
	"time"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
	"makechain/message"
	"makechain/proof"
)

// Proven describes the state from which an answer was read. It is verified up to the signatures of trusted validators.
type Proven struct {
	Block uint64 // the block after which the state was so
	// Time is when the validators signed the block that certifies the state: the median of their clocks (finality.VoteTime).
	Time time.Time
}

// Age returns how long ago the state was certified. On a chain whose validators produce heartbeat blocks it is less than
// StaleAfter, unless the chain has halted or the node returns an old state.
func (p Proven) Age(now time.Time) time.Duration { return max(now.Sub(p.Time), 0) }

const (
	// HeartbeatInterval is the default time after which validators of an idle chain produce an empty block.
	HeartbeatInterval = 10 * time.Minute
	// StaleAfter is the age of a state at which three heartbeats are missing. The interval is a setting of each validator that is not
	// on the chain, so this is for the default: on a chain with a longer interval a state may be older without anything being wrong.
	StaleAfter = 3 * HeartbeatInterval
)

// ProvenProject is a project with all its refs at one block.
type ProvenProject struct {
	Proven

	ID       message.Hash
	Row      *pb.ProjectRow
	Metadata map[pb.ProjectMetadataType]string // fields that are not set are missing
	// ForkParent is the project and commit that the project was forked from, nil when it is not a fork.
	ForkParent *pb.ForkParentRow
	Refs       []*Ref // by name, in the order of the bytes
}

// ProvenContents are all contents of a project at one block.
type ProvenContents struct {
	Proven

	Contents []Content // by digest
}

// Content is a git bundle that the chain names.
type Content struct {
	Digest message.Hash // BLAKE3 of the bytes
	URL    string       // where it was published; may be empty
	Block  uint64       // the block that added it
}

// ProjectProof returns a project with all its refs. Everything is of one block and verified up to the signatures of trusted
// validators, also that no ref is missing; without trust it returns ErrNoTrust. It returns a NotFoundError if there is no such
// project, which is verified too, and a RollbackError if the node returns a block before the highest that the client knows.
func (c *Client) ProjectProof(ctx context.Context, project message.Hash) (*ProvenProject, error) {
	proven, err := readNewest(ctx, c, func(ctx context.Context) (*ProvenProject, Proven, error) {
		proven := &ProvenProject{ID: project, Metadata: map[pb.ProjectMetadataType]string{}}
		var err error
		proven.Proven, err = readProven(ctx, c, schema.RefKey(project, nil), proven.addRef, func(ctx context.Context, cursor []byte) (*provenPage, error) {
			page, err := Call(ctx, c.GetProjectProof, &pb.GetProjectProofRequest{ProjectId: project[:], Cursor: cursor})
			if err != nil {
				return nil, err
			}
			out := &provenPage{page.GetBlockNumber(), page.GetLightBlock(), page.GetRefs(), page.GetNextCursor(), nil}
			if len(cursor) == 0 {
				out.verify = func(root [32]byte) error { return proven.readParts(root, page) }
			}
			return out, nil
		})
		return proven, proven.Proven, err
	})
	if err == nil && proven.Row == nil {
		return nil, &NotFoundError{"project", project.String()}
	}
	return proven, err
}

// readParts verifies and decodes the parts of the first page other than refs.
func (p *ProvenProject) readParts(root [32]byte, page *pb.GetProjectProofResponse) error {
	if err := readRows(root, schema.ProjectKey(p.ID), page.GetProject(), func(_, value []byte) error {
		p.Row = new(pb.ProjectRow)
		return schema.Decode(value, p.Row)
	}); err != nil {
		return fmt.Errorf("project: %w", err)
	}
	if err := readRows(root, schema.ProjectMetadataPrefix(p.ID), page.GetMetadata(), func(key, value []byte) error {
		row := new(pb.ProjectMetadataRow)
		err := schema.Decode(value, row)
		p.Metadata[pb.ProjectMetadataType(key[len(key)-1])] = row.GetValue()
		return err
	}); err != nil {
		return fmt.Errorf("metadata: %w", err)
	}
	if err := readRows(root, schema.ForkParentKey(p.ID), page.GetForkParent(), func(_, value []byte) error {
		p.ForkParent = new(pb.ForkParentRow)
		return schema.Decode(value, p.ForkParent)
	}); err != nil {
		return fmt.Errorf("fork parent: %w", err)
	}
	return nil
}

func (p *ProvenProject) addRef(key, value []byte) error {
	name := string(key[len(schema.RefKey(p.ID, nil)):])
	ref, err := decodeRef(name, value)
	p.Refs = append(p.Refs, ref)
	return err
}

// Contents returns the contents of a project. They are verified like the refs of ProjectProof. A project that does not exist has
// none.
func (c *Client) Contents(ctx context.Context, project message.Hash) (*ProvenContents, error) {
	return readNewest(ctx, c, func(ctx context.Context) (*ProvenContents, Proven, error) {
		proven := new(ProvenContents)
		prefix := schema.ContentPrefix(project)
		var err error
		proven.Proven, err = readProven(ctx, c, prefix, func(key, value []byte) error {
			row := new(pb.ContentRow)
			digest, ok := ident.HashFrom(key[len(prefix):])
			if !ok {
				return fmt.Errorf("key of content %x has %d bytes", key, len(key))
			}
			if err := schema.Decode(value, row); err != nil {
				return fmt.Errorf("row of content %v: %w", digest, err)
			}
			proven.Contents = append(proven.Contents, Content{Digest: digest, URL: row.GetUrl(), Block: row.GetBlockNumber()})
			return nil
		}, func(ctx context.Context, cursor []byte) (*provenPage, error) {
			page, err := Call(ctx, c.ListContent, &pb.ListContentRequest{ProjectId: project[:], Cursor: cursor, Limit: proof.MaxPageRows})
			if err != nil {
				return nil, err
			}
			return &provenPage{page.GetBlockNumber(), page.GetLightBlock(), page.GetContents(), page.GetNextCursor(), nil}, nil
		})
		return proven, proven.Proven, err
	})
}
