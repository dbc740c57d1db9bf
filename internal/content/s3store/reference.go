package s3store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/minio/minio-go/v7"

	"makechain/internal/backoff"
	"makechain/internal/ident"
)

// Several services can share a bucket, and each one has records of its own content only. So that none deletes what another one
// needs, a service that needs a git bundle has an empty object references/<digest>/<service>, and one that is about to delete it
// has an empty object deletions/<digest>/<service>. Names of services are chosen at random.
//
//	Put:    write the reference; wait while there are deletions; send the bytes unless the bucket has them
//	Delete: write the deletion; delete the own reference; delete the bytes unless there are references; delete the deletion
//
// Storage of this kind is consistent: whoever lists after a write sees it. A Put whose reference Delete did not see wrote it after
// Delete had listed references, hence it sees the deletion, or begins to look for the bytes after they were deleted.
const (
	references = "references/"
	deletions  = "deletions/"
	// copies is the name of the service that never deletes.
	copies = "copies"

	// deletionTimeout limits a Delete. deletionTTL is the age of a deletion that was interrupted for good; the difference
	// allows for clocks that differ.
	deletionTimeout = 5 * time.Minute
	deletionTTL     = time.Hour
	// deletionWait is how long Put waits for deletions, and deletionPoll how often it looks at first.
	deletionWait = 10 * time.Second
	deletionPoll = 50 * time.Millisecond
)

// errDeleting is returned by Put when the bytes are being deleted.
var errDeleting = errors.New("the content is being deleted, try again later")

func (b *Bucket) group(kind string, hash ident.Hash) string {
	return b.config.Prefix + kind + hash.String() + "/"
}

// mark writes an empty object.
func (b *Bucket) mark(ctx context.Context, name string) error {
	_, err := b.core.Client.PutObject(ctx, b.config.Bucket, name, bytes.NewReader(nil), 0, minio.PutObjectOptions{})
	return failure(err)
}

func (b *Bucket) remove(ctx context.Context, name string) error {
	return failure(b.core.RemoveObject(ctx, b.config.Bucket, name, minio.RemoveObjectOptions{}))
}

// othersHave reports whether other services have objects in a group that were written after a time.
func (b *Bucket) othersHave(ctx context.Context, group string, after time.Time) (bool, error) {
	ctx, cancel := context.WithCancel(ctx) // ends the listing
	defer cancel()
	for info := range b.core.Client.ListObjects(ctx, b.config.Bucket, minio.ListObjectsOptions{Prefix: group, Recursive: true}) {
		if info.Err != nil {
			return false, failure(info.Err)
		}
		if info.Key != group+b.service && info.LastModified.After(after) {
			return true, nil
		}
	}
	return false, nil
}

// refer writes the reference of this service, and waits until no other one deletes the bytes. The reference stays if Put fails
// later, because the service may need the bytes for another project.
func (b *Bucket) refer(ctx context.Context, hash ident.Hash) error {
	if err := b.mark(ctx, b.group(references, hash)+b.service); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, deletionWait, errDeleting)
	defer cancel()
	retry := backoff.New(deletionPoll, time.Second)
	for {
		deleting, err := b.othersHave(ctx, b.group(deletions, hash), time.Now().Add(-deletionTTL))
		if err != nil || !deleting {
			return err
		}
		if retry.Wait(ctx) != nil {
			return failure(context.Cause(ctx))
		}
	}
}

// Delete deletes the bytes with a digest, unless another service needs them. It returns nil if there are none. After an error
// it must be called again. The caller does not put the same digest meanwhile.
func (b *Bucket) Delete(ctx context.Context, hash ident.Hash) error {
	ctx, cancel := context.WithTimeout(ctx, deletionTimeout)
	defer cancel()
	if err := b.deleteBytes(ctx, hash); err != nil {
		return fmt.Errorf("delete content %s: %w", hash, err)
	}
	return nil
}

func (b *Bucket) deleteBytes(ctx context.Context, hash ident.Hash) error {
	deletion := b.group(deletions, hash) + b.service
	if err := b.mark(ctx, deletion); err != nil {
		return err
	}
	if err := b.remove(ctx, b.group(references, hash)+b.service); err != nil {
		return errors.Join(err, b.remove(ctx, deletion))
	}
	needed, err := b.othersHave(ctx, b.group(references, hash), time.Time{})
	if err != nil {
		return errors.Join(err, b.remove(ctx, deletion))
	}
	if !needed {
		// If this fails the bytes may still be deleted, so the deletion stays until the next attempt.
		if err := b.remove(ctx, b.object(hash)); err != nil {
			return err
		}
	}
	return b.remove(ctx, deletion)
}
