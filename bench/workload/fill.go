package workload

import (
	"strconv"

	pb "makechain/gen/makechain"
	"makechain/message"
)

// FillCommits is the maximum number of commits per project of Fill. With another full bundle commits would be pruned.
const FillCommits = 9 * message.MaxCommits

// Fill returns messages that create a project with many commits.
func (p *Account) Fill(at uint32, commits int) ([]*message.Envelope, error) {
	p.filled++
	project, err := p.author.Sign(at, message.ProjectCreate("fill-"+strconv.Itoa(p.filled), pb.Visibility_VISIBILITY_PUBLIC, "", ""))
	if err != nil {
		return nil, err
	}
	made := []*message.Envelope{project}
	for commits > 0 {
		bundle := make([]message.Commit, min(commits, message.MaxCommits))
		commits -= len(bundle)
		for i := range bundle {
			bundle[i] = message.Commit{Hash: p.hash(), TreeRoot: p.hash(), MessageHash: p.hash(), Author: p.Address()}
		}
		m, err := p.author.Sign(at, message.CommitBundle(project.Hash, message.Content{}, bundle...))
		if err != nil {
			return nil, err
		}
		made = append(made, m)
	}
	return made, nil
}
