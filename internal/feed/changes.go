package feed

import (
	"context"
	"fmt"

	"makechain/internal/ident"
	"makechain/message"
)

// Projects waits for the block after a height and returns the projects that its messages are about, without duplicates. It
// returns the error of ctx, ErrClosed, or an error that wraps ErrOutOfRange when the block is no longer stored.
func (f *Feed) Projects(ctx context.Context, after uint64) ([]ident.Hash, error) {
	height := max(after+1, firstHeight)
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		v, err := f.viewAt(height)
		switch {
		case err != nil:
			return nil, err
		case height > v.latest:
			if err := wait(ctx, v); err != nil {
				return nil, err
			}
		case v.block != nil:
			return distinct(v.block.projects), nil
		default:
			return f.loadProjects(height, v)
		}
	}
}

// loadProjects returns the projects of a block that is not in the ring.
func (f *Feed) loadProjects(height uint64, v view) ([]ident.Hash, error) {
	transactions, err := f.load(height, v)
	if err != nil {
		return nil, err
	}
	projects := make([][]ident.Hash, len(transactions))
	for i, transaction := range transactions {
		decoded, refusal := message.Decode(transaction)
		if refusal != nil {
			return nil, fmt.Errorf("feed: message %d of block %d: %w", i, height, refusal)
		}
		projects[i] = decoded.Projects()
	}
	return distinct(projects), nil
}

// distinct returns the projects of all messages in the order in which they occur first.
func distinct(messages [][]ident.Hash) (projects []ident.Hash) {
	seen := map[ident.Hash]bool{}
	for _, of := range messages {
		for _, project := range of {
			if !seen[project] {
				seen[project] = true
				projects = append(projects, project)
			}
		}
	}
	return projects
}
