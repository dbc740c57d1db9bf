package content

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"makechain/internal/backoff"
	"makechain/internal/gitbundle"
	"makechain/internal/ident"
)

const (
	// maintenanceInterval is the time between two searches for what can be deleted or has to be rebuilt.
	maintenanceInterval = 10 * time.Second
	// positionInterval is how often the position is written at most. After a crash the blocks since then are followed again.
	positionInterval = time.Minute
)

// positionFile has the position in the directory of a service.
const positionFile = "position.json"

// position is the file with the block up to which the chain has been followed.
type position struct {
	ChainID string `json:"chain_id"`
	Height  uint64 `json:"height"`
}

func (s *Service) positionPath() string { return filepath.Join(s.config.Dir, positionFile) }

// readPosition returns the position, 0 if there is none. The content of another chain is refused.
func (s *Service) readPosition() (uint64, error) {
	encoded, err := os.ReadFile(s.positionPath())
	if errors.Is(err, fs.ErrNotExist) {
		return 0, s.writePosition(0)
	}
	if err != nil {
		return 0, err
	}
	var at position
	if err := json.Unmarshal(encoded, &at); err != nil {
		return 0, fmt.Errorf("content position %s: %w", s.positionPath(), err)
	}
	if at.ChainID != s.config.ChainID {
		return 0, fmt.Errorf("%s has the content of chain %s, not of %s", s.config.Dir, at.ChainID, s.config.ChainID)
	}
	return at.Height, nil
}

func (s *Service) writePosition(height uint64) error {
	encoded, err := json.Marshal(position{s.config.ChainID, height})
	if err != nil {
		return err
	}
	return writeFile(s.positionPath(), encoded)
}

// Run follows the chain, fetches missing content and deletes what is no longer needed, until ctx ends. Errors are logged, and the
// work is tried again.
func (s *Service) Run(ctx context.Context) error {
	var group sync.WaitGroup
	group.Go(func() { s.maintain(ctx) })
	group.Go(func() { s.fetchAll(ctx) })
	defer group.Wait()
	retry := backoff.New(time.Second, time.Minute)
	for ctx.Err() == nil {
		err := s.follow(ctx, retry.Reset)
		if err == nil || ctx.Err() != nil {
			continue
		}
		s.config.Log.WarnContext(ctx, "cannot follow the chain", "error", err)
		if retry.Wait(ctx) != nil {
			break
		}
	}
	return nil
}

// follow follows the blocks of the chain from the position on. progress is called after each.
func (s *Service) follow(ctx context.Context, progress func()) error {
	at := s.positionNow()
	if at == 0 {
		if err := s.resync(ctx, &at); err != nil {
			return err
		}
	}
	written := time.Time{}
	for {
		block, err := s.config.Chain.Next(ctx, at)
		if errors.Is(err, ErrBlocksPruned) {
			if err := s.resync(ctx, &at); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return errors.Join(err, s.writePosition(at))
		}
		for _, project := range block.Projects {
			if err := s.sync(ctx, project); err != nil {
				return fmt.Errorf("follow project %s in block %d: %w", project, block.Height, err)
			}
			if s.config.Fetcher != nil {
				s.fetches.add(project)
			}
		}
		at = block.Height
		s.setPosition(at)
		progress()
		if now := s.config.Now(); now.Sub(written) >= positionInterval {
			if err := s.writePosition(at); err != nil {
				return err
			}
			written = now
		}
	}
}

// resync brings all projects up to date with the newest block, which becomes the position.
func (s *Service) resync(ctx context.Context, at *uint64) error {
	status, err := s.config.Chain.Status(ctx)
	if err != nil {
		return err
	}
	for _, project := range s.catalog.projectIDs() {
		if err := s.sync(ctx, project); err != nil {
			return fmt.Errorf("follow project %s: %w", project, err)
		}
	}
	*at = status.Height
	s.setPosition(*at)
	return s.writePosition(*at)
}

func (s *Service) positionNow() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.position
}

func (s *Service) setPosition(height uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.position = height
}

// sync brings the records and the repository of a project up to date with the chain.
func (s *Service) sync(ctx context.Context, id ident.Hash) error {
	if !s.catalog.has(id) {
		return nil
	}
	unlock, err := s.refs.lock(ctx, id)
	if err != nil {
		return err
	}
	defer unlock()
	at, err := s.syncRecords(ctx, id)
	if err != nil || at == nil {
		return err
	}
	if err := s.setRefs(ctx, id, id, at); err != nil {
		// A damaged repository must not keep the service from following other projects.
		s.config.Log.ErrorContext(ctx, "cannot set the refs of a repository, it will be rebuilt", "project", id.String(), "error", err)
		return s.marks.set(id)
	}
	return nil
}

// projectRefs are the refs of a project on the chain, and the branch that HEAD points to.
type projectRefs struct {
	refs []gitbundle.Ref
	head string
}

// syncRecords brings the records of a project up to date with the chain and returns its refs, nil if it is removed.
func (s *Service) syncRecords(ctx context.Context, id ident.Hash) (at *projectRefs, err error) {
	err = s.view(ctx, func(view View) error {
		p, err := readProject(view, id)
		if err != nil || p == nil {
			return err
		}
		if err := s.markNamed(view, id); err != nil {
			return err
		}
		at = &projectRefs{}
		at.refs, at.head, err = readRefs(view, id)
		return err
	})
	if err == nil && at == nil {
		err = s.markRemoved(ctx, id)
	}
	return at, err
}

// markNamed marks the records that the chain names.
func (s *Service) markNamed(view View, id ident.Hash) error {
	for _, e := range s.catalog.list(id) {
		if e.Kept {
			continue
		}
		named, err := isNamed(view, id, e.digest)
		if err != nil {
			return err
		}
		if !named {
			continue
		}
		if _, err := s.catalog.modify(id, e.digest, func(value *record) bool { value.Kept = true; return true }); err != nil {
			return err
		}
	}
	return nil
}

// markRemoved marks the records of a removed project, and its repository to be removed.
func (s *Service) markRemoved(ctx context.Context, id ident.Hash) error {
	status, err := s.config.Chain.Status(ctx)
	if err != nil {
		return err
	}
	for _, e := range s.catalog.list(id) {
		if _, err := s.catalog.modify(id, e.digest, func(value *record) bool {
			if value.Removed != 0 {
				return false
			}
			value.Removed = status.Time.Unix()
			return true
		}); err != nil {
			return err
		}
	}
	return s.marks.set(id)
}

// setRefs makes the refs of a repository of a project, which may be a new one, those of the chain. A ref whose object is not there
// yet stays as it was. The refs of the project must be locked.
func (s *Service) setRefs(ctx context.Context, id, repository ident.Hash, at *projectRefs) error {
	ids := make([]string, len(at.refs))
	for i, ref := range at.refs {
		ids[i] = ref.ID
	}
	missing, err := s.config.Repositories.Missing(ctx, repository, ids)
	if err != nil {
		return err
	}
	earlier := map[string]string{}
	if repository == id {
		s.mu.Lock()
		for _, ref := range s.set[id] {
			earlier[ref.Name] = ref.ID
		}
		s.mu.Unlock()
	}
	absent := map[string]bool{}
	for _, id := range missing {
		absent[id] = true
	}
	present := make([]gitbundle.Ref, 0, len(at.refs))
	for _, ref := range at.refs {
		if absent[ref.ID] {
			if ref.ID = earlier[ref.Name]; ref.ID == "" {
				continue
			}
		}
		present = append(present, ref)
	}
	if err := s.config.Repositories.SetRefs(ctx, repository, present, at.head); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.set[id], s.changed[id] = present, true
	return nil
}
