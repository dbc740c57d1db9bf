package content

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/zeebo/blake3"

	"makechain/internal/content/digest"
	"makechain/internal/gitbundle"
	"makechain/internal/ident"
)

// repairInterval is the time between two attempts to rebuild a repository.
const repairInterval = 10 * time.Minute

// maintain calls Maintain until ctx ends.
func (s *Service) maintain(ctx context.Context) {
	ticker := time.NewTicker(maintenanceInterval)
	defer ticker.Stop()
	for {
		if err := s.Maintain(ctx); err != nil && ctx.Err() == nil {
			s.config.Log.ErrorContext(ctx, "cannot maintain content", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// Maintain reads what is blocked, rebuilds repositories, deletes what is no longer needed and makes repositories compact. Run
// calls it regularly.
func (s *Service) Maintain(ctx context.Context) error {
	s.maintenance.Lock()
	defer s.maintenance.Unlock()
	failed := s.blocked.reload()
	if !s.checked {
		failed = errors.Join(failed, s.removeIncomplete(ctx))
	}
	return errors.Join(failed, s.repair(ctx), s.collect(ctx), s.compact(ctx))
}

// collect deletes uploads that nothing on the chain has named in time, git bundles that later ones have replaced, and the content of
// removed projects. Time is that of
// the newest block, and nothing is deleted before all blocks up to it have been followed.
func (s *Service) collect(ctx context.Context) error {
	deleter, ok := s.config.Store.(Deleter)
	if !ok {
		return nil
	}
	status, err := s.config.Chain.Status(ctx)
	if err != nil {
		return err
	}
	if status.CatchingUp || s.positionNow() < status.Height {
		return nil
	}
	var failed error
	for _, project := range s.catalog.projectIDs() {
		err := s.collectProject(ctx, deleter, project, status.Time)
		if err == nil {
			err = s.collectReplaced(ctx, deleter, project, status.Time)
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("collect content of project %s: %w", project, err))
		}
	}
	return failed
}

func (s *Service) collectProject(ctx context.Context, deleter Deleter, id ident.Hash, now time.Time) error {
	var expired []ident.Hash
	for _, e := range s.catalog.list(id) {
		if isExpired(&e.record, now) {
			expired = append(expired, e.digest)
		}
	}
	return s.removeAll(ctx, deleter, id, expired, func(value *record) bool { return isExpired(value, now) })
}

// removeAll deletes git bundles that are expired, and rebuilds the repository without them.
func (s *Service) removeAll(ctx context.Context, deleter Deleter, id ident.Hash, digests []ident.Hash, expired func(*record) bool) error {
	if len(digests) == 0 {
		return nil
	}
	end, err := s.marks.begin(id)
	if err != nil {
		return err
	}
	err = s.removeExpired(ctx, deleter, id, digests, expired)
	if err == nil {
		err = s.rebuildProject(ctx, id)
	}
	end(err == nil)
	return err
}

// removeExpired deletes those of the git bundles that are still expired: they may have been renewed meanwhile.
func (s *Service) removeExpired(ctx context.Context, deleter Deleter, id ident.Hash, digests []ident.Hash, expired func(*record) bool) error {
	for _, digest := range digests {
		removed, err := s.catalog.remove(id, digest, expired, func(last bool) error {
			if !last {
				return nil
			}
			return deleter.Delete(ctx, digest)
		})
		if err != nil {
			return err
		}
		if removed {
			s.config.Log.InfoContext(ctx, "content deleted", "project", id.String(), "digest", digest.String())
		}
	}
	return nil
}

// isExpired reports whether the bytes of a record are no longer needed at a block time.
func isExpired(value *record, now time.Time) bool {
	if value.Removed != 0 {
		return now.Sub(time.Unix(value.Removed, 0)) > RemovedTTL
	}
	return !value.Kept && now.Sub(time.Unix(value.Renewed, 0)) > UnnamedTTL
}

// repair rebuilds the repositories of projects whose change was interrupted.
func (s *Service) repair(ctx context.Context) error {
	interrupted, err := s.marks.interrupted()
	if err != nil {
		return err
	}
	var failed error
	for _, id := range interrupted {
		if s.config.Now().Before(s.repairAt[id]) {
			continue
		}
		if err := s.repairProject(ctx, id); err != nil {
			s.repairAt[id] = s.config.Now().Add(repairInterval)
			failed = errors.Join(failed, fmt.Errorf("rebuild the repository of project %s: %w", id, err))
		}
	}
	return failed
}

func (s *Service) repairProject(ctx context.Context, id ident.Hash) error {
	end, err := s.marks.begin(id)
	if err != nil {
		return err
	}
	err = s.rebuildProject(ctx, id)
	end(err == nil)
	return err
}

// rebuildProject builds the repository of a project from its git bundles, beside the present one, which is served meanwhile.
func (s *Service) rebuildProject(ctx context.Context, id ident.Hash) error {
	beside := id
	for i := range beside {
		beside[i] = ^beside[i] // no project has this id, which is a hash
	}
	if err := s.config.Repositories.Remove(ctx, beside); err != nil {
		return err
	}
	for added := map[ident.Hash]bool{}; ; {
		for _, e := range s.catalog.list(id) {
			if added[e.digest] || e.Removed != 0 {
				continue
			}
			if err := s.addAgain(ctx, beside, e.digest); err != nil {
				if _, refused := errors.AsType[*gitbundle.Error](err); !refused {
					return err
				}
				// What it builds on was never named by the chain and is deleted.
				s.config.Log.WarnContext(ctx, "content is not in the repository", "project", id.String(), "digest", e.digest.String(), "error", err)
			}
			added[e.digest] = true
		}
		if replaced, err := s.replaceRepository(ctx, id, beside, added); replaced || err != nil {
			return err
		}
	}
}

// replaceRepository replaces the repository of a project by a new one with refs, unless something was uploaded that it does not
// have.
func (s *Service) replaceRepository(ctx context.Context, id, by ident.Hash, added map[ident.Hash]bool) (replaced bool, err error) {
	unlock, err := s.refs.lock(ctx, id)
	if err != nil {
		return false, err
	}
	defer unlock()
	at, err := s.syncRecords(ctx, id)
	if err != nil {
		return false, err
	}
	switch {
	case at == nil: // the project is removed
		err = s.config.Repositories.Remove(ctx, by)
	case s.config.Repositories.Exists(by):
		err = s.setRefs(ctx, id, by, at)
	}
	if err != nil {
		return false, err
	}
	replaced, err = s.config.Repositories.Replace(ctx, id, by, func() bool {
		for _, e := range s.catalog.list(id) {
			if !added[e.digest] && e.Removed == 0 {
				return false
			}
		}
		return true
	})
	if replaced && err == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.changed[id] = true
		if at == nil {
			delete(s.set, id)
		}
	}
	return replaced, err
}

// addAgain adds a stored git bundle to a repository.
func (s *Service) addAgain(ctx context.Context, repository, digest ident.Hash) error {
	file, err := s.copyStored(ctx, digest)
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(file) }() // Open deletes what is left
	_, err = s.config.Repositories.Add(ctx, repository, ident.Hash{}, file, nil)
	return err
}

// copyStored copies stored bytes to a file in quarantine, and checks their digest.
func (s *Service) copyStored(ctx context.Context, hash ident.Hash) (path string, err error) {
	stored, err := s.config.Store.Get(ctx, hash, 0, -1)
	if err != nil {
		return "", err
	}
	defer func() { _ = stored.Close() }() // it was only read
	file, err := os.CreateTemp(s.quarantine(), "")
	if err != nil {
		return "", err
	}
	hasher := blake3.New()
	if _, err = io.Copy(io.MultiWriter(file, hasher), stored); err == nil {
		err = digest.Check(hash, hasher)
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return "", errors.Join(err, os.Remove(file.Name()))
	}
	return file.Name(), nil
}

// compact maintains the repositories that have been added to.
func (s *Service) compact(ctx context.Context) error {
	s.mu.Lock()
	changed := s.changed
	s.changed = map[ident.Hash]bool{}
	s.mu.Unlock()
	var failed error
	for id := range changed {
		failed = errors.Join(failed, s.config.Repositories.Maintain(ctx, id))
	}
	return failed
}
