package content

import (
	"container/heap"
	"context"
	"sync"
	"time"

	"makechain/internal/ident"
)

const (
	// maxFetching is the number of projects whose content is fetched at a time, and maxQueued of those that wait.
	maxFetching = 4
	maxQueued   = 100_000
	// fetchRetry and maxFetchRetry are the shortest and the longest time between two attempts to fetch the content of a
	// project. Each failure doubles it.
	fetchRetry    = 30 * time.Second
	maxFetchRetry = 6 * time.Hour
	// secondLook is the time after which a project that has changed is looked at again: what is read with proofs can be a
	// block behind.
	secondLook = 10 * time.Second
)

// A fetchQueue has the projects whose content may have to be fetched. Its methods may be called concurrently.
type fetchQueue struct {
	now func() time.Time

	mu       sync.Mutex // guards the fields below
	projects map[ident.Hash]*queuedProject
	waiting  dueFirst      // those that are not being fetched
	changed  chan struct{} // closed and replaced when a project is added
}

// queuedProject is a project in the queue.
type queuedProject struct {
	id       ident.Hash
	at       time.Time // when it is due
	looks    int       // how often it is looked at before it leaves the queue
	failures int
	index    int // in waiting, negative while it is being fetched
}

// dueFirst is a heap.Interface of projects, by the time when they are due.
type dueFirst []*queuedProject

func (d *dueFirst) Len() int           { return len(*d) }
func (d *dueFirst) Less(i, j int) bool { return (*d)[i].at.Before((*d)[j].at) }
func (d *dueFirst) Swap(i, j int) {
	projects := *d
	projects[i], projects[j] = projects[j], projects[i]
	projects[i].index, projects[j].index = i, j
}

// Push adds a project at the end.
func (d *dueFirst) Push(added any) {
	p := added.(*queuedProject) //nolint:forcetypeassert // only projects are added
	p.index = len(*d)
	*d = append(*d, p)
}

// Pop removes the project at the end.
func (d *dueFirst) Pop() any {
	last := (*d)[len(*d)-1]
	last.index = -1
	*d = (*d)[:len(*d)-1]
	return last
}

func newFetchQueue(now func() time.Time) *fetchQueue {
	return &fetchQueue{now: now, projects: map[ident.Hash]*queuedProject{}, changed: make(chan struct{})}
}

// add adds a project that has changed. One that waits because it failed is tried again soon.
func (q *fetchQueue) add(project ident.Hash) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if known := q.projects[project]; known != nil {
		known.looks = 2
		if soon := q.now().Add(fetchRetry); known.index >= 0 && known.at.After(soon) {
			known.at = soon
			heap.Fix(&q.waiting, known.index)
			q.wake()
		}
		return
	}
	if len(q.projects) >= maxQueued {
		return
	}
	added := &queuedProject{id: project, at: q.now(), looks: 2}
	q.projects[project] = added
	heap.Push(&q.waiting, added)
	q.wake()
}

// wake wakes everyone who waits in next. mu must be held.
func (q *fetchQueue) wake() {
	close(q.changed)
	q.changed = make(chan struct{})
}

// next waits for the project that is due first and not being fetched. The caller calls done with it.
func (q *fetchQueue) next(ctx context.Context) (ident.Hash, error) {
	for {
		project, wait, changed := q.take()
		if wait == 0 {
			return project, nil
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-changed:
		case <-ctx.Done():
		}
		timer.Stop()
		if err := ctx.Err(); err != nil {
			return project, err
		}
	}
}

// take returns the project that is due first, or how long to wait for one.
func (q *fetchQueue) take() (project ident.Hash, wait time.Duration, changed <-chan struct{}) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		return project, maxFetchRetry, q.changed
	}
	first := q.waiting[0]
	if wait = first.at.Sub(q.now()); wait > 0 {
		return first.id, wait, q.changed
	}
	heap.Pop(&q.waiting)
	return first.id, 0, nil
}

// done ends the fetching of a project. It stays in the queue if that failed, or if it has changed meanwhile.
func (q *fetchQueue) done(project ident.Hash, failed bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	p := q.projects[project]
	switch {
	case failed:
		p.at = q.now().Add(min(fetchRetry<<min(p.failures, 16), maxFetchRetry))
		p.failures++
	case p.looks > 1:
		p.looks--
		p.failures = 0
		p.at = q.now().Add(secondLook)
	default:
		delete(q.projects, project)
		return
	}
	heap.Push(&q.waiting, p)
	q.wake()
}
