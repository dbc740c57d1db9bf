package push

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/zeebo/blake3"

	"makechain/internal/gitbundle"
	"makechain/internal/gitid"
	"makechain/internal/gitrepo"
	"makechain/message"
)

// DefaultMaxContent is the size in bytes above which the content of a push is split at commits.
const DefaultMaxContent = 256 << 20

// Uploader stores git bundles in content stores.
type Uploader interface {
	// Upload stores a git bundle. When it returns nil, enough stores have it durably. It returns ErrRefusedContent when too
	// many stores refuse the bundle itself, which is so when they lack the commits that it builds on.
	Upload(ctx context.Context, project, digest message.Hash, file string) error
	// Confirm checks that enough stores still have git bundles that nothing on the chain names yet.
	Confirm(ctx context.Context, project message.Hash, digests []message.Hash) error
}

// ErrRefusedContent is returned by Uploader.Upload.
var ErrRefusedContent = errors.New("the stores refuse the content")

// content is an uploaded git bundle.
type content struct {
	digest message.Hash
	last   message.Hash // its last commit; zero when it has none
	named  bool
}

// uploadContent uploads the objects of the plan that the stores do not have yet, before the chain is touched: first without
// those that refs of the chain reach, and, when the stores do not have these, everything.
func (s *sender) uploadContent(ctx context.Context) error {
	if s.Uploader == nil {
		return nil
	}
	for _, known := range [][]message.Hash{s.plan.known, nil} {
		err := s.uploadExcept(ctx, known)
		if err == nil || known == nil || !errors.Is(err, ErrRefusedContent) {
			return err
		}
	}
	return nil
}

// uploadExcept uploads the objects that are not reachable from known commits.
func (s *sender) uploadExcept(ctx context.Context, known []message.Hash) error {
	s.contents = nil
	var wanted gitrepo.Range
	for _, update := range s.plan.Updates {
		if update.Action != Delete {
			wanted.Include = append(wanted.Include, update.Commit)
		}
	}
	wanted.Exclude = known
	commits, err := s.Repo.List(ctx, wanted)
	if err != nil {
		return err
	}
	isNew := make(map[message.Hash]bool, len(commits))
	for _, commit := range commits {
		isNew[commit] = true
	}
	var refs []gitbundle.Ref
	for i, update := range s.plan.Updates {
		if update.Action == Delete || !isNew[update.Commit] && update.TagObject == (message.Hash{}) {
			continue
		}
		name := update.Name
		if !gitbundle.IsRefName(name) {
			name = fmt.Sprintf("refs/makechain/%d", i)
		}
		refs = append(refs, gitbundle.Ref{Name: name, ID: gitid.String(update.object())})
	}
	if len(refs) == 0 {
		return nil
	}
	return s.uploadBundle(ctx, commits, refs, known)
}

// uploadBundle uploads commits, parents first, with their objects and those of refs. If that is too large for one git bundle
// it is split at a commit.
func (s *sender) uploadBundle(ctx context.Context, commits []message.Hash, refs []gitbundle.Ref, known []message.Hash) error {
	file, err := os.CreateTemp("", "makechain-*.bundle")
	if err != nil {
		return err
	}
	defer os.Remove(file.Name()) //nolint:errcheck // a temporary file
	maximum := s.MaxContent
	if maximum == 0 {
		maximum = DefaultMaxContent
	}
	sum := blake3.New()
	to := &limitedWriter{to: io.MultiWriter(file, sum), remaining: maximum}
	err = errors.Join(s.Repo.WriteBundle(ctx, refs, known, to), file.Close())
	if to.exceeded && len(commits) > 1 {
		return s.uploadHalves(ctx, commits, refs, known)
	}
	if to.exceeded {
		return fmt.Errorf("the objects of one commit are larger than %d bytes, the maximum of a git bundle", maximum)
	}
	if err != nil {
		return err
	}
	made := content{digest: message.Hash(sum.Sum(nil))}
	if len(commits) > 0 {
		made.last = commits[len(commits)-1]
	}
	if err := s.Uploader.Upload(ctx, s.Project, made.digest, file.Name()); err != nil {
		return err
	}
	s.contents = append(s.contents, made)
	return nil
}

// uploadHalves uploads the first half of the commits, then the second, which builds on it.
func (s *sender) uploadHalves(ctx context.Context, commits []message.Hash, refs []gitbundle.Ref, known []message.Hash) error {
	first := commits[:len(commits)/2]
	isHead := make(map[message.Hash]bool, len(first))
	err := s.Repo.ReadCommits(ctx, first, func(commit *gitrepo.Commit) error {
		isHead[commit.Hash] = true
		for _, parent := range commit.Parents {
			delete(isHead, parent)
		}
		return nil
	})
	if err != nil {
		return err
	}
	var heads []gitbundle.Ref
	var tips []message.Hash
	for _, commit := range first {
		if isHead[commit] {
			heads = append(heads, gitbundle.Ref{Name: fmt.Sprintf("refs/makechain/%d", len(heads)), ID: gitid.String(commit)})
			tips = append(tips, commit)
		}
	}
	if err := s.uploadBundle(ctx, first, heads, known); err != nil {
		return err
	}
	return s.uploadBundle(ctx, commits[len(commits)/2:], refs, slices.Concat(known, tips))
}

// errTooLarge is returned by limitedWriter.
var errTooLarge = errors.New("the git bundle is too large")

// limitedWriter writes up to a number of bytes.
type limitedWriter struct {
	to        io.Writer
	remaining int64
	exceeded  bool
}

func (w *limitedWriter) Write(data []byte) (int, error) {
	if w.remaining -= int64(len(data)); w.remaining < 0 {
		w.exceeded = true
		return 0, errTooLarge
	}
	return w.to.Write(data)
}

// isLastOfContent reports whether a commit is the last one of an uploaded git bundle.
func (s *sender) isLastOfContent(commit message.Hash) bool {
	return slices.ContainsFunc(s.contents, func(c content) bool { return c.last == commit })
}

// contentOf returns the content that the message with a bundle of commits names: that of which it has the last commit, which
// is also its own last one.
func (s *sender) contentOf(b *bundle) message.Content {
	last := b.commits[len(b.commits)-1].Hash
	for i := range s.contents {
		if s.contents[i].last == last {
			s.contents[i].named = true
			return message.Content{Digest: s.contents[i].digest}
		}
	}
	return s.Content
}

// nameContents makes the ref updates of the plan name the content whose last commit the chain has already. If there is more of
// it than there are updates, which only happens after an interruption, temporary refs name it. Then it asks the stores again,
// because some time may have passed since the upload.
func (s *sender) nameContents(ctx context.Context) error {
	if len(s.contents) == 0 {
		return nil
	}
	var digests []message.Hash
	for _, c := range s.contents {
		digests = append(digests, c.digest)
	}
	if err := s.Uploader.Confirm(ctx, s.Project, digests); err != nil {
		return err
	}
	next := 0
	for _, c := range s.contents {
		if c.named {
			continue
		}
		for next < len(s.plan.Updates) && s.plan.Updates[next].Action == Delete {
			next++
		}
		if next < len(s.plan.Updates) {
			s.plan.Updates[next].content = c.digest
			next++
			continue
		}
		if err := s.holdContent(ctx, &c); err != nil {
			return err
		}
	}
	return nil
}

// holderName returns the name of the temporary ref that names content.
func holderName(digest message.Hash) string {
	return fmt.Sprintf("%scontent-%x", TemporaryRefPrefix, digest[:shortDigits/2])
}

// holdContent names content with a temporary ref, which is deleted at the end of the push.
func (s *sender) holdContent(ctx context.Context, c *content) error {
	hold := RefUpdate{
		Ref:    Ref{Name: holderName(c.digest), Type: RefType(""), Commit: c.last},
		Action: Create, nonce: 1, content: c.digest,
	}
	if err := s.sendUpdate(ctx, &hold, true); err != nil {
		return err
	}
	s.holders = append(s.holders, RefUpdate{Ref: hold.Ref, Action: Delete, Old: c.last, nonce: 2, floor: hold.floor})
	return nil
}
