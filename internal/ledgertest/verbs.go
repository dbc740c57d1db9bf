package ledgertest

import (
	"fmt"
	"strings"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/message"
)

// build returns the message of a line, with the block's time by default.
func (s *scenario) build(l *line) (*message.Envelope, error) {
	by := s.actor(l.actor)
	author := by.With(l.key)
	s.registerKey(by, l.key)
	at := uint32(l.time("at", s.Block.Time, s.Block.Time))
	data, m, err := s.body(l, by, author, at)
	if err != nil {
		return nil, err
	}
	if err := l.finish(); err != nil {
		return nil, err
	}
	if m != nil {
		return m, nil
	}
	return author.Sign(at, data)
}

// body returns the body of a verb, or a complete message for a verb whose body contains signatures.
func (s *scenario) body(l *line, by *Actor, author *message.Author, at uint32) (*pb.MessageData, *message.Envelope, error) {
	switch l.verb {
	case "signer-add", "signer-remove", "keychain-authorize", "keychain-revoke":
		m, err := s.custody(l, by, author, at)
		return nil, m, err
	case "storage-claim":
		m, err := s.storageClaim(l, by, author, at)
		return nil, m, err
	case "verification-add":
		data, err := s.verificationAdd(l, by)
		return data, nil, err
	case "verification-remove":
		address, err := s.outsideAddress(l)
		return message.VerificationRemove(address), nil, err
	case "username-create":
		return message.UsernameCreate(l.need("name")), nil, nil
	case "username-update":
		return message.UsernameUpdate(l.need("name")), nil, nil
	case "account-data":
		field := l.enum("field", "ACCOUNT_DATA_", pb.AccountDataType_value)
		return message.AccountData(pb.AccountDataType(field), l.text("value", "")), nil, nil
	case "follow":
		return message.Follow(s.actor(l.need("target")).Address), nil, nil
	case "unfollow":
		return message.Unfollow(s.actor(l.need("target")).Address), nil, nil
	case "project-create":
		return message.ProjectCreate(l.need("name"), l.visibility(), l.text("description", ""), l.text("license", "")), nil, nil
	default:
		return s.projectBody(l)
	}
}

// projectBody returns the body of a verb about a project.
func (s *scenario) projectBody(l *line) (*pb.MessageData, *message.Envelope, error) {
	project := s.project(l, "project")
	switch l.verb {
	case "fork":
		return message.Fork(project, s.commit(l.need("commit")), l.need("name"), l.visibility()), nil, nil
	case "project-metadata":
		field := l.enum("field", "PROJECT_METADATA_", pb.ProjectMetadataType_value)
		return message.ProjectMetadata(project, pb.ProjectMetadataType(field), l.text("value", "")), nil, nil
	case "project-archive":
		return message.ProjectArchive(project), nil, nil
	case "project-remove":
		return message.ProjectRemove(project), nil, nil
	case "ref-update":
		return message.RefUpdate(project, l.need("ref"), s.refMove(l)), nil, nil
	case "ref-delete":
		return message.RefDelete(project, l.need("ref"), s.optionalCommit(l, "expected"), l.number("nonce", 1)), nil, nil
	case "commit-bundle":
		var content message.Content
		if content.URL = l.text("url", ""); content.URL != "" {
			content.Digest = s.commit("pack")
		}
		return message.CommitBundle(project, content, s.commits(l)...), nil, nil
	case "collaborator-add":
		permission := l.enum("permission", "PERMISSION_", pb.Permission_value)
		return message.CollaboratorAdd(project, s.actor(l.need("target")).Address, pb.Permission(permission)), nil, nil
	case "collaborator-remove":
		return message.CollaboratorRemove(project, s.actor(l.need("target")).Address), nil, nil
	case "merge-request-add":
		return message.MergeRequestAdd(project, s.proposal(l)), nil, nil
	case "merge-request-remove":
		outcome := pb.MergeRequestOutcome_MERGE_REQUEST_OUTCOME_UNSPECIFIED
		if l.has("outcome") {
			outcome = pb.MergeRequestOutcome(l.enum("outcome", "MERGE_REQUEST_OUTCOME_", pb.MergeRequestOutcome_value))
		}
		return message.MergeRequestClose(project, s.project(l, "request"), outcome, s.optionalCommit(l, "merge-commit")), nil, nil
	case "star":
		return message.Star(project), nil, nil
	case "unstar":
		return message.Unstar(project), nil, nil
	case "like":
		return message.Like(project, s.commit(l.need("commit"))), nil, nil
	case "unlike":
		return message.Unlike(project, s.commit(l.need("commit"))), nil, nil
	default:
		return nil, nil, fmt.Errorf("unknown verb %q", l.verb)
	}
}

// actor returns the actor of a name and registers it.
func (s *scenario) actor(name string) *Actor {
	a := s.Actor(name)
	s.registerActor(a)
	return a
}

// project parses the id of a project or a merge request.
func (s *scenario) project(l *line, argument string) ident.Hash {
	h, err := s.hash(l.need(argument))
	if err != nil {
		l.fail("%s: %v", argument, err)
	}
	return h
}

func (l *line) visibility() pb.Visibility {
	if l.has("private") {
		return pb.Visibility_VISIBILITY_PRIVATE
	}
	return pb.Visibility_VISIBILITY_PUBLIC
}

func (s *scenario) optionalCommit(l *line, argument string) ident.Hash {
	if !l.has(argument) {
		return ident.Hash{}
	}
	return s.commit(l.need(argument))
}

func (s *scenario) refMove(l *line) message.RefMove {
	move := message.RefMove{
		Old: s.optionalCommit(l, "old"), New: s.commit(l.need("new")), Force: l.has("force"), Nonce: l.number("nonce", 1),
		TagObject: s.optionalCommit(l, "object"), ContentDigest: s.optionalCommit(l, "content"),
	}
	if l.has("tag") {
		move.Type = pb.RefType_REF_TYPE_TAG
	}
	return move
}

// commits parses commits with their parents: c1,c2<c1,c3<c1+c2.
func (s *scenario) commits(l *line) []message.Commit {
	var commits []message.Commit
	for _, text := range l.list("commits") {
		name, parents, _ := strings.Cut(text, "<")
		commit := NewCommit(s.commit(name))
		commit.AuthorName = l.text("author", "")
		for parent := range strings.SplitSeq(parents, "+") {
			if parent != "" {
				commit.Parents = append(commit.Parents, s.commit(parent))
			}
		}
		commits = append(commits, commit)
	}
	return commits
}

// NewCommit returns a commit with valid fields.
func NewCommit(hash ident.Hash, parents ...ident.Hash) message.Commit {
	return message.Commit{Hash: hash, Parents: parents, TreeRoot: Hash("tree"), MessageHash: Hash("message"), AuthorTimestamp: Start}
}

func (s *scenario) proposal(l *line) message.MergeProposal {
	proposal := message.MergeProposal{
		Source: s.project(l, "source"), SourceRef: l.text("ref", "main"), SourceCommit: s.commit(l.need("commit")),
		TargetRef: l.text("target-ref", "main"), Title: l.text("title", "please"),
	}
	if l.has("replaces") {
		proposal.Replaces = s.project(l, "replaces")
	}
	return proposal
}
