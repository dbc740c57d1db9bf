package content

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/zeebo/blake3"

	pb "makechain/gen/makechain"
	"makechain/internal/gitbundle"
	"makechain/internal/gitid"
	"makechain/internal/ident"
	"makechain/internal/schema"
)

// maxReplaceTrials is the number of git bundles of a project that are tried as the replacement of earlier ones in a day.
const maxReplaceTrials = 4

// collectReplaced deletes git bundles that a later one without prerequisites has replaced, some time after the later one was
// named on the chain, if the remaining ones have everything that the refs on the chain reach.
func (s *Service) collectReplaced(ctx context.Context, deleter Deleter, id ident.Hash, now time.Time) error {
	entries := s.catalog.list(id)
	var bases []int // git bundles that may replace those before them, the newest first
	for i, e := range slices.Backward(entries) {
		if e.Removed != 0 {
			return nil
		}
		if e.Kept && e.Complete && i > 0 {
			bases = append(bases, i)
		}
	}
	if len(bases) == 0 {
		return nil
	}
	for _, e := range entries[:bases[0]] {
		if _, err := s.catalog.modify(id, e.digest, func(value *record) bool {
			isNew := value.Kept && value.Replaced == 0
			if isNew {
				value.Replaced = now.Unix()
			}
			return isNew
		}); err != nil {
			return err
		}
	}
	if now.Before(s.replaceAt[id]) {
		return nil
	}
	expired := func(value *record) bool {
		return value.Replaced != 0 && now.Sub(time.Unix(value.Replaced, 0)) > ReplacedTTL
	}
	for _, base := range bases[:min(len(bases), maxReplaceTrials)] {
		var replaced []ident.Hash
		var remaining []entry
		for i, e := range entries {
			if i < base && expired(&e.record) {
				replaced = append(replaced, e.digest)
			} else if e.Kept {
				remaining = append(remaining, e)
			}
		}
		if len(replaced) == 0 {
			return nil
		}
		suffices, err := s.suffices(ctx, id, remaining)
		if err != nil {
			return err
		}
		if suffices {
			return s.removeAll(ctx, deleter, id, replaced, expired)
		}
	}
	s.replaceAt[id] = now.Add(ReplacedTTL)
	return nil
}

// suffices reports whether git bundles have everything that the refs of a project on the chain reach. It builds a repository from
// them, because a git bundle need not have what it claims: an upload is verified together with the objects that are there.
func (s *Service) suffices(ctx context.Context, id ident.Hash, bundles []entry) (ok bool, err error) {
	trial := trialID(id)
	repositories := s.config.Repositories
	if err := repositories.Remove(ctx, trial); err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, repositories.Remove(context.WithoutCancel(ctx), trial)) }()
	for _, e := range bundles {
		if err := s.addAgain(ctx, trial, e.digest); err != nil {
			if _, refused := errors.AsType[*gitbundle.Error](err); !refused {
				return false, err
			}
		}
	}
	tips, err := s.readTips(ctx, id)
	if err != nil {
		return false, err
	}
	if !repositories.Exists(trial) {
		return false, nil
	}
	refs := make([]gitbundle.Ref, len(tips))
	for i, tip := range tips {
		refs[i] = gitbundle.Ref{Name: fmt.Sprintf("%s%d", branchPrefix, i), ID: tip}
	}
	if err := repositories.SetRefs(ctx, trial, refs, branchPrefix+"0"); err != nil {
		if errors.Is(err, gitbundle.ErrMissing) {
			err = nil
		}
		return false, err
	}
	// A ref may have been moved meanwhile to a commit that only the others have.
	now, err := s.readTips(ctx, id)
	return slices.Equal(now, tips), err
}

// trialID returns the id of the repository in which it is tried whether some git bundles of a project suffice.
func trialID(id ident.Hash) ident.Hash {
	return blake3.Sum256(append([]byte("makechain/content/trial\n"), id[:]...))
}

// readTips returns the objects that refs of a project point at, sorted: also of refs whose names git does not have.
func (s *Service) readTips(ctx context.Context, id ident.Hash) (tips []string, err error) {
	err = s.view(ctx, func(view View) error {
		var failed error
		err := view.Scan(schema.RefKey(id, nil), func(_, value []byte) bool {
			var row pb.RefRow
			if failed = schema.Decode(value, &row); failed != nil {
				return false
			}
			for _, object := range [][]byte{row.GetHash(), row.GetTagObject()} {
				if hash, ok := ident.HashFrom(object); ok {
					tips = append(tips, gitid.String(hash))
				}
			}
			return true
		})
		return errors.Join(failed, err)
	})
	slices.Sort(tips)
	return slices.Compact(tips), err
}
