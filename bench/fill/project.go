package fill

import (
	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
	"makechain/message"
)

const (
	// titles is cut to titles of commits.
	titles = "ledger: return the reason for which a message was refused, with the limit and the row that it counts"
	// minTitle is the length of the shortest title.
	minTitle   = 20
	contentURL = "https://git.example/fill/work.git"
	mainRef    = "refs/heads/main"
	topicRef   = "refs/heads/topic"
	tagRef     = "refs/tags/v1"
	refCount   = 3
	// parentEvery is the number of commits of which one has a parent.
	parentEvery = 8
)

func (w *writer) project(q int) {
	owner := w.address(w.owner(q))
	made := &pb.ProjectRow{
		OwnerAddress: owner[:], Status: pb.ProjectStatus_PROJECT_STATUS_ACTIVE, CreatedAt: w.time(w.owner(q)), RefCount: refCount,
		CommitCount: uint32(w.commitCount(q)), CollaboratorCount: 1, ContentCount: contentsPerProject,
	}
	if w.isFork(q) {
		source := w.projectID(w.forkSource(q))
		made.ForkSource = source[:]
		made.CommitCount++
	} else {
		made.MergeRequestCount, made.ClosedMergeRequestCount = 1, closedPerProject
	}
	w.add(schema.ProjectKey(w.projectID(q)), made)
}

func (w *writer) projectMetadata(q int) {
	for field, value := range map[pb.ProjectMetadataType]string{ // sorted by generate
		pb.ProjectMetadataType_PROJECT_METADATA_NAME:        w.projectName(q),
		pb.ProjectMetadataType_PROJECT_METADATA_DESCRIPTION: "a project of a large state",
		pb.ProjectMetadataType_PROJECT_METADATA_VISIBILITY:  message.VisibilityPublic,
	} {
		w.add(schema.ProjectMetadataKey(w.projectID(q), byte(field)), &pb.ProjectMetadataRow{Timestamp: w.time(w.owner(q)), Value: value})
	}
}

func (w *writer) projectNames(i int) {
	for k := range projectsPerAccount {
		q := k*w.accounts + i
		id := w.projectID(q)
		w.add(schema.ProjectNameKey(w.address(i), w.projectName(q)), &pb.ProjectNameRow{ProjectId: id[:]})
	}
}

func (w *writer) refs(q int) {
	for position, name := range []string{mainRef, topicRef, tagRef} {
		target := w.commit(q, position)
		made := &pb.RefRow{Timestamp: w.time(w.owner(q)), Hash: target[:], Nonce: 1, Floor: w.time(w.owner(q))}
		if name == tagRef {
			made.RefType = pb.RefType_REF_TYPE_TAG
		}
		w.add(schema.RefKey(w.projectID(q), []byte(name)), made)
	}
}

func (w *writer) commits(q int) {
	for position := range w.commitCount(q) {
		w.add(schema.CommitKey(w.projectID(q), w.commit(q, position)), w.commitRow(q, position))
	}
	if w.isFork(q) {
		source := w.forkSource(q)
		w.add(schema.CommitKey(w.projectID(q), w.commit(source, 0)), w.commitRow(source, 0))
	}
}

// commitRow returns a commit. The first one has no parent.
func (w *writer) commitRow(q, position int) *pb.CommitRow {
	author := w.address(w.owner(q))
	tree, text := w.hash(domainTree, q, position), w.hash(domainMessage, q, position)
	made := &pb.CommitRow{
		TreeRoot: tree[:], MessageHash: text[:], AuthorAddress: author[:], AuthorTimestamp: w.time(w.owner(q)),
		Title:       titles[:minTitle+w.random(domainTree, q, -position-1)%uint64(len(titles)-minTitle)],
		BlockNumber: block, BundleTimestamp: w.time(w.owner(q)), Generation: 1,
	}
	if position < contentsPerProject {
		content := w.content(q, position)
		made.ContentDigest = content[:]
	}
	if position%parentEvery == parentEvery-1 {
		parent := w.commit(q, position-1)
		made.Parents, made.Jump = [][]byte{parent[:]}, parent[:]
		made.Generation, made.Depth = 2, 1
	}
	return made
}

func (w *writer) commitAges(q int) {
	for position := range w.commitCount(q) {
		w.derived(schema.CommitAgeKey(w.projectID(q), block, w.commit(q, position)))
	}
	if w.isFork(q) {
		w.derived(schema.CommitAgeKey(w.projectID(q), block, w.commit(w.forkSource(q), 0)))
	}
}

// content returns the digest of a content of a project.
func (w *writer) content(q, position int) ident.Hash { return w.hash(domainContent, q, position) }

func (w *writer) contents(q int) {
	for position := range contentsPerProject {
		w.add(schema.ContentKey(w.projectID(q), w.content(q, position)), &pb.ContentRow{Url: contentURL, BlockNumber: block})
	}
}

func (w *writer) collaboratorKey(q int) []byte {
	return schema.CollaboratorKey(w.projectID(q), w.address(w.other(w.owner(q), collaboratorDistance)))
}

func (w *writer) collaborator(q int) {
	w.add(w.collaboratorKey(q), &pb.CollaboratorRow{Timestamp: w.time(w.owner(q)), Permission: pb.Permission_PERMISSION_WRITE})
}

func (w *writer) collaboratorAge(q int) {
	w.derived(schema.AgeKey(w.collaboratorKey(q), w.time(w.owner(q))))
}

func (w *writer) forkParent(q int) {
	source := w.forkSource(q)
	id, commit := w.projectID(source), w.commit(source, 0)
	w.add(schema.ForkParentKey(w.projectID(q)), &pb.ForkParentRow{SourceProjectId: id[:], SourceCommitHash: commit[:]})
}

// The account before the owner of a project has merge requests for it, from its fork.

// requester returns the account with merge requests for a project, which is not a fork.
func (w *writer) requester(q int) int { return w.other(q, -1) }

func (w *writer) request(q int) ident.Hash { return w.hash(domainRequest, q, 0) }

func (w *writer) mergeRequest(q int) {
	requester := w.requester(q)
	fork := requester + w.accounts
	owner, source, commit := w.address(requester), w.projectID(fork), w.commit(fork, 0)
	w.add(schema.MergeRequestKey(w.projectID(q), w.request(q)), &pb.MergeRequestRow{
		Timestamp: w.time(requester), RequesterOwnerAddress: owner[:], SourceProjectId: source[:], SourceRef: []byte(mainRef),
		SourceCommitHash: commit[:], TargetRef: []byte(mainRef), Title: titles[:2*minTitle],
	})
}

func (w *writer) mergeRequestByRequester(i int) {
	q := w.other(i, 1)
	w.add(schema.MergeRequestByRequesterKey(w.address(i), w.projectID(q), w.request(q)),
		&pb.MergeRequestByRequesterRow{Timestamp: w.time(i)})
}

func (w *writer) mergeRequestPair(i int) {
	w.add(schema.MergeRequestPairKey(w.address(i), w.projectID(w.other(i, 1))), &pb.CounterRow{Count: 1})
}

func (w *writer) closedRequest(q, position int) ident.Hash { return w.hash(domainClosed, q, position) }

func (w *writer) closedMergeRequests(q int) {
	requester := w.requester(q)
	fork := requester + w.accounts
	owner, source := w.address(requester), w.projectID(fork)
	for position := range closedPerProject {
		commit := w.commit(fork, 1+position)
		w.add(schema.ClosedMergeRequestKey(w.projectID(q), w.closedRequest(q, position)), &pb.ClosedMergeRequestRow{
			BlockNumber: block, AddedAt: w.time(requester), ClosedAt: w.time(requester), RequesterOwnerAddress: owner[:],
			SourceProjectId: source[:], SourceRef: []byte(mainRef), SourceCommitHash: commit[:], TargetRef: []byte(mainRef),
			Title: titles[:3*minTitle], Outcome: pb.MergeRequestOutcome_MERGE_REQUEST_OUTCOME_WITHDRAWN, CloserOwnerAddress: owner[:],
		})
	}
}

func (w *writer) closedAges(q int) {
	for position := range closedPerProject {
		w.derived(schema.ClosedAgeKey(w.projectID(q), block, w.closedRequest(q, position)))
	}
}

func (w *writer) closedByRequester(i int) {
	q := w.other(i, 1)
	for position := range closedPerProject {
		w.derived(schema.ClosedByRequesterKey(w.address(i), block, w.projectID(q), w.closedRequest(q, position)))
	}
}
