package rpc_test

import (
	"slices"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledgertest"
)

func (s *populated) commitMeta(name string, hash ident.Hash, parents ...ident.Hash) *pb.CommitMeta {
	c := s.commit(name)
	meta := &pb.CommitMeta{
		Hash: hash[:], TreeRoot: c.TreeRoot[:], AuthorTimestamp: c.AuthorTimestamp, Title: c.Title, MessageHash: c.MessageHash[:], AuthorAddress: c.Author[:],
		AuthorName: c.AuthorName,
	}
	for _, parent := range parents {
		meta.Parents = append(meta.Parents, slices.Clone(parent[:]))
	}
	return meta
}

func (s *populated) commits() (one, two, three, four *pb.CommitMeta) {
	return s.commitMeta("one", s.one), s.commitMeta("two", s.two, s.one), s.commitMeta("three", s.three, s.one),
		s.commitMeta("four", s.four, s.two, s.three)
}

func (s *populated) gitExamples() []example {
	one, two, three, four := s.commits()
	digest := content().Digest
	all := &pb.ListCommitsResponse{}
	for _, meta := range []*pb.CommitMeta{one, two, three, four} {
		all.Commits = append(all.Commits, &pb.GetCommitResponse{ProjectId: s.hello[:], Commit: meta, ContentDigest: digest[:], Url: content().URL})
	}
	getFour := all.GetCommits()[3]
	slices.SortFunc(all.GetCommits(), func(a, b *pb.GetCommitResponse) int {
		return slices.Compare(a.GetCommit().GetHash(), b.GetCommit().GetHash())
	})
	main := &pb.GetRefResponse{ProjectId: s.hello[:], RefName: []byte("main"), Hash: s.four[:], Nonce: 2, Floor: s.branched.Data.GetTimestamp()}
	tagObject := ledgertest.Hash("tag object")
	v1 := &pb.GetRefResponse{
		ProjectId: s.hello[:], RefName: []byte("v1"), RefType: pb.RefType_REF_TYPE_TAG, Hash: s.one[:], Nonce: 1, Floor: s.tagged.Data.GetTimestamp(),
		TagObject: tagObject[:],
	}
	write := &pb.CollaboratorEntry{Permission: pb.Permission_PERMISSION_WRITE, OwnerAddress: s.bobby.Address[:]}
	ancestors := func(from ident.Hash, limit uint32, commits ...*pb.CommitMeta) example {
		return example{
			"GetCommitAncestors", &pb.GetCommitAncestorsRequest{ProjectId: s.hello[:], CommitHash: from[:], Limit: limit},
			&pb.GetCommitAncestorsResponse{Commits: commits},
		}
	}
	parents := []*pb.CommitMeta{two, three}
	slices.SortFunc(parents, func(a, b *pb.CommitMeta) int { return slices.Compare(a.GetHash(), b.GetHash()) })
	return append(s.refLogExamples(), []example{
		{"GetRef", &pb.GetRefRequest{ProjectId: s.hello[:], RefName: []byte("main")}, main},
		{"GetRef", &pb.GetRefRequest{ProjectId: s.hello[:], RefName: []byte("v1")}, v1},
		{"ListRefs", &pb.ListRefsRequest{ProjectId: s.hello[:]}, &pb.ListRefsResponse{Refs: []*pb.GetRefResponse{main, v1}}},
		{"GetCommit", &pb.GetCommitRequest{ProjectId: s.hello[:], CommitHash: s.four[:]}, getFour},
		{"ListCommits", &pb.ListCommitsRequest{ProjectId: s.hello[:]}, all},
		ancestors(s.four, 0, four, parents[0], parents[1], one), // the parents by hash, and their parent once
		ancestors(s.four, 2, four, parents[0]),
		ancestors(s.three, 0, three, one),
		// A fork has a copy of one commit, and that is where the walk ends.
		{
			"GetCommitAncestors", &pb.GetCommitAncestorsRequest{ProjectId: s.mine[:], CommitHash: s.one[:]},
			&pb.GetCommitAncestorsResponse{Commits: []*pb.CommitMeta{one}},
		},
		{"ListCollaborators", &pb.ListCollaboratorsRequest{ProjectId: s.hello[:]}, &pb.ListCollaboratorsResponse{Collaborators: []*pb.CollaboratorEntry{write}}},
	}...)
}

// refLogExamples are the logs of a tag, of a branch and of a deleted one.
func (s *populated) refLogExamples() []example {
	moved, tagged := s.entry(s.moved), s.entry(s.tagged)
	block := moved.GetBlockNumber()
	tagObject := ledgertest.Hash("tag object")
	return []example{
		{"GetRefLog", &pb.GetRefLogRequest{ProjectId: s.hello[:], RefName: []byte("v1")}, &pb.GetRefLogResponse{Entries: []*pb.RefLogEntry{
			{NewHash: s.one[:], Timestamp: at(s.tagged), BlockNumber: tagged.GetBlockNumber(), Nonce: 1, OwnerAddress: s.alice.Address[:], TagObject: tagObject[:]},
		}}},
		{"GetRefLog", &pb.GetRefLogRequest{ProjectId: s.hello[:], RefName: []byte("main")}, &pb.GetRefLogResponse{Entries: []*pb.RefLogEntry{
			{OldHash: s.two[:], NewHash: s.four[:], Timestamp: at(s.moved), BlockNumber: block, Force: true, Nonce: 2, OwnerAddress: s.alice.Address[:]},
			{NewHash: s.two[:], Timestamp: at(s.moved) - 1, BlockNumber: block - 1, Nonce: 1, OwnerAddress: s.alice.Address[:]},
		}}},
		{"GetRefLog", &pb.GetRefLogRequest{ProjectId: s.hello[:], RefName: []byte("old"), Limit: 1}, &pb.GetRefLogResponse{Entries: []*pb.RefLogEntry{
			{OldHash: s.one[:], Timestamp: at(s.collaborator), BlockNumber: tagged.GetBlockNumber() + 1, Nonce: 2, OwnerAddress: s.alice.Address[:]},
		}}},
	}
}
