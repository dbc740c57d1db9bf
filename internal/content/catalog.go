package content

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"makechain/internal/ident"
)

// diskFactor is the disk space of stored bytes relative to their size: the git bundle and its copy in the repository.
const diskFactor = 2

// A catalog is what is stored for which project, in memory and in the files of records, and what running uploads have
// reserved. Its methods may be called concurrently.
type catalog struct {
	records records
	storing locks // of digests: a digest is stored for one project, or deleted, at a time

	mu       sync.Mutex                           // guards the fields below
	projects map[ident.Hash]map[ident.Hash]record // by project and digest
	users    map[ident.Hash]int                   // records of each digest; bytes without any are deleted
	bytes    int64                                // of all stored digests
	// reserved are the sizes of running uploads.
	reserved []*reservation
}

// A reservation is space for an upload that is running.
type reservation struct {
	owner, uploader string // addresses
	size            int64
}

// allowance is what an upload may use.
type allowance struct {
	total    int64 // of the service, on disk
	owner    int64 // of the owner's projects
	uploader int64 // of uploads that the chain does not name yet
	free     int64 // of the disk, of which minFree must remain
	minFree  int64
}

func openCatalog(dir string) (*catalog, error) {
	c := &catalog{records: records{dir}, projects: map[ident.Hash]map[ident.Hash]record{}, users: map[ident.Hash]int{}}
	err := c.records.load(func(project, digest ident.Hash, value *record) { c.insert(project, digest, *value) })
	return c, err
}

// insert adds a record in memory. mu must be held.
func (c *catalog) insert(project, digest ident.Hash, value record) {
	held := c.projects[project]
	if held == nil {
		held = map[ident.Hash]record{}
		c.projects[project] = held
	}
	if _, exists := held[digest]; !exists {
		if c.users[digest]++; c.users[digest] == 1 {
			c.bytes += value.Size
		}
	}
	held[digest] = value
}

// contains reports whether a digest is stored for a project.
func (c *catalog) contains(project, digest ident.Hash) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	value, found := c.projects[project][digest]
	return found && !value.removing
}

// has reports whether anything is stored for a project.
func (c *catalog) has(project ident.Hash) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.projects[project] != nil
}

// projectIDs returns the projects for which something is stored.
func (c *catalog) projectIDs() []ident.Hash {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.SortedFunc(maps.Keys(c.projects), func(a, b ident.Hash) int { return slices.Compare(a[:], b[:]) })
}

// entry is a record with its digest.
type entry struct {
	digest ident.Hash
	record
}

// list returns the records of a project in the order in which they were added.
func (c *catalog) list(project ident.Hash) []entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	var entries []entry
	for digest, value := range c.projects[project] {
		entries = append(entries, entry{digest, value})
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.Added, b.Added) })
	return entries
}

// projectsWith returns the projects for which a digest is stored.
func (c *catalog) projectsWith(digest ident.Hash) []ident.Hash {
	c.mu.Lock()
	defer c.mu.Unlock()
	var ids []ident.Hash
	for id, held := range c.projects {
		if _, found := held[digest]; found {
			ids = append(ids, id)
		}
	}
	return ids
}

// reserve reserves space for an upload. The caller releases it with the function that is returned, after the record was
// added or the upload failed.
func (c *catalog) reserve(r *reservation, allowed allowance) (release func(), refused *problem) {
	c.mu.Lock()
	defer c.mu.Unlock()
	running, owner, uploader := int64(0), c.ownerBytes(r.owner), c.unnamedBytes(r.uploader)
	for _, other := range c.reserved {
		running += other.size
		if other.owner == r.owner {
			owner += other.size
		}
		if other.uploader == r.uploader {
			uploader += other.size
		}
	}
	total := c.bytes + running
	switch {
	case allowed.free-diskFactor*(running+r.size) < allowed.minFree: // running uploads may not have been written yet
		return nil, denied(codeInsufficientStorage, "this service accepts no uploads that leave less than %d bytes of its disk free", allowed.minFree)
	case total+r.size > allowed.total/diskFactor:
		return nil, denied(codeInsufficientStorage, "this service has no space left for content: %d bytes of the %d that it may use are taken",
			diskFactor*total, allowed.total)
	case owner+r.size > allowed.owner:
		return nil, denied(codeContentQuota, "the projects of %s have %d bytes of content here and may have %d by its storage units: %d more are too many",
			r.owner, owner, allowed.owner, r.size)
	case uploader+r.size > allowed.uploader:
		return nil, denied(codeContentQuota, "account %s has uploaded %d bytes that nothing on the chain names yet, of at most %d: %d more are too many",
			r.uploader, uploader, allowed.uploader, r.size)
	}
	c.reserved = append(c.reserved, r)
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.reserved = slices.DeleteFunc(c.reserved, func(other *reservation) bool { return other == r })
	}, nil
}

// ownerBytes returns the size of what is stored for the projects of an owner. mu must be held.
func (c *catalog) ownerBytes(owner string) (sum int64) {
	for _, held := range c.projects {
		for _, value := range held {
			if value.Owner == owner {
				sum += value.Size
			}
		}
	}
	return sum
}

// unnamedBytes returns the size of what an account has uploaded and the chain does not name. mu must be held.
func (c *catalog) unnamedBytes(uploader string) (sum int64) {
	for _, held := range c.projects {
		for _, value := range held {
			if !value.Kept && value.Uploader == uploader {
				sum += value.Size
			}
		}
	}
	return sum
}

// fetchedBytes returns the size of what was fetched from other stores.
func (c *catalog) fetchedBytes() (sum int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, held := range c.projects {
		for _, value := range held {
			if value.Fetched {
				sum += value.Size
			}
		}
	}
	return sum
}

// add adds a record durably, unless there is one. store stores the bytes, also if there is a record, because they may be lost: it
// is called after the record was written and before it is listed; if it fails, no record is added.
func (c *catalog) add(ctx context.Context, project, digest ident.Hash, value record, store func() error) error {
	unlock, err := c.storing.lock(ctx, digest)
	if err != nil {
		return err
	}
	defer unlock()
	exists, err := c.begin(project, digest, &value)
	if err != nil {
		return err
	}
	err = store()
	if exists {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		return errors.Join(err, c.records.remove(project, digest))
	}
	c.insert(project, digest, value)
	return nil
}

// begin writes a record, unless there is one. The digest must be locked.
func (c *catalog) begin(project, digest ident.Hash, value *record) (exists bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	held := c.projects[project]
	if _, exists := held[digest]; exists {
		return true, nil
	}
	for _, existing := range held {
		value.Added = max(value.Added, existing.Added+1)
	}
	return false, c.records.save(project, digest, value)
}

// modify changes a record durably if change returns true. It reports whether there is a record.
func (c *catalog) modify(project, digest ident.Hash, change func(*record) bool) (found bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	value, found := c.projects[project][digest]
	if !found || !change(&value) {
		return found, nil
	}
	if err := c.records.save(project, digest, &value); err != nil {
		return true, err
	}
	c.projects[project][digest] = value
	return true, nil
}

// remove deletes a record if expired returns true. before is called first, with whether no other record has the digest: it deletes
// the bytes, or returns an error to keep the record. Bytes are deleted before their record, because a record without bytes is found
// when the service starts, and bytes without a record are not. Nothing is done while the digest is being stored.
func (c *catalog) remove(project, digest ident.Hash, expired func(*record) bool, before func(last bool) error) (removed bool, err error) {
	unlock, ok := c.storing.tryLock(digest)
	if !ok {
		return false, nil
	}
	defer unlock()
	last, ok := c.startRemoval(project, digest, expired)
	if !ok {
		return false, nil
	}
	err = before(last)
	c.mu.Lock()
	defer c.mu.Unlock()
	held := c.projects[project]
	value := held[digest]
	if err == nil {
		err = c.records.remove(project, digest)
	}
	if err != nil {
		value.removing = false
		held[digest] = value
		return false, err
	}
	if c.users[digest]--; c.users[digest] == 0 {
		delete(c.users, digest)
		c.bytes -= value.Size
	}
	delete(held, digest)
	if len(held) == 0 {
		delete(c.projects, project)
	}
	return true, nil
}

// startRemoval marks an expired record, so that nobody relies on it any longer. The digest must be locked.
func (c *catalog) startRemoval(project, digest ident.Hash, expired func(*record) bool) (last, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	value, found := c.projects[project][digest]
	if !found || !expired(&value) {
		return false, false
	}
	value.removing = true
	c.projects[project][digest] = value
	return c.users[digest] == 1, true
}

// totals returns what is stored.
func (c *catalog) totals() (projects, digests int, bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.projects), len(c.users), c.bytes
}
