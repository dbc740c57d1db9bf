package load_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/encoding/protodelim"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/node/nodetest"
	"makechain/internal/schema"
)

// What makes a process of this test a client instead of tests.
const (
	roleVariable    = "MAKECHAIN_LOAD_ROLE"
	addressVariable = "MAKECHAIN_LOAD_ADDRESS"
	workVariable    = "MAKECHAIN_LOAD_WORK" // a directory of files, one for each writer

	writersRole = "writers"
	readersRole = "readers"
)

const (
	readers = 4
	// readPause is the time between two calls of a reader: 4 readers make 400 calls a second.
	readPause = 10 * time.Millisecond
)

func TestMain(m *testing.M) {
	work := map[string]func(context.Context, *clients) error{writersRole: writeAll, readersRole: readAll}[os.Getenv(roleVariable)]
	if work == nil {
		os.Exit(m.Run())
	}
	if err := runClients(work); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// clients are several who work on a node at a time.
type clients struct {
	*nodetest.Client

	files []string
	calls atomic.Int64
}

// runClients works until its input ends, and prints how many calls it made.
func runClients(work func(context.Context, *clients) error) error {
	files, err := filepath.Glob(filepath.Join(os.Getenv(workVariable), "*"))
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // it ends when the parent says so, or ends itself
		stop()
	}()
	c := &clients{Client: nodetest.Dial(os.Getenv(addressVariable)), files: files}
	defer c.Close()
	if err := work(ctx, c); err != nil && ctx.Err() == nil {
		return err
	}
	_, err = fmt.Fprintln(os.Stdout, c.calls.Load())
	return err
}

// together does something for each number at a time, until one fails.
func together(n int, do func(i int) error) error {
	failures := make([]error, n)
	var working sync.WaitGroup
	for i := range n {
		working.Go(func() { failures[i] = do(i) })
	}
	working.Wait()
	return errors.Join(failures...)
}

// writeAll has each writer send what is in its file.
func writeAll(ctx context.Context, c *clients) error {
	return together(len(c.files), func(i int) error { return c.write(ctx, c.files[i]) })
}

// errNoWork is no measurement: the writers were to go on until the end.
var errNoWork = errors.New("a writer has nothing left to send")

// write submits batches, each when the one before has committed, so that messages wait for blocks and never for
// room in the mempool.
func (c *clients) write(ctx context.Context, name string) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // it was only read
	for batches := bufio.NewReader(file); ; {
		var batch pb.BatchSubmitRequest
		if err := protodelim.UnmarshalFrom(batches, &batch); errors.Is(err, io.EOF) {
			return errNoWork
		} else if err != nil {
			return err
		}
		last := len(batch.GetMessages()) - 1
		final := &pb.SubmitMessageRequest{Message: batch.GetMessages()[last], Wait: pb.SubmitWait_SUBMIT_WAIT_COMMITTED}
		batch.Messages = batch.GetMessages()[:last]
		verdicts, err := c.BatchSubmitMessages(ctx, connect.NewRequest(&batch))
		if err != nil {
			return err
		}
		fate, err := c.SubmitMessage(ctx, connect.NewRequest(final))
		if err != nil {
			return err
		}
		if verdicts.Msg.GetRejectedCount() > 0 || fate.Msg.GetBlockNumber() == 0 {
			return fmt.Errorf("good messages are refused: %v, %v", verdicts.Msg, fate.Msg)
		}
		c.calls.Add(2)
	}
}

// readAll has readers call at a steady rate. The projects are the names of the writers' files.
func readAll(ctx context.Context, c *clients) error {
	return together(readers, func(i int) error {
		project, err := ident.ParseHash(filepath.Base(c.files[i]))
		if err != nil {
			return err
		}
		pause := time.NewTicker(readPause)
		defer pause.Stop()
		for turn := 0; ; turn++ {
			select {
			case <-ctx.Done():
				return nil
			case <-pause.C:
			}
			if err := c.read(ctx, project, turn); err != nil {
				return err
			}
			c.calls.Add(1)
		}
	})
}

// read makes one call of several kinds.
func (c *clients) read(ctx context.Context, project ident.Hash, turn int) (err error) {
	switch turn % 4 {
	case 0:
		_, err = c.ListCommits(ctx, connect.NewRequest(&pb.ListCommitsRequest{ProjectId: project[:]}))
	case 1:
		_, err = c.GetOperationProof(ctx, connect.NewRequest(&pb.GetOperationProofRequest{Key: schema.ProjectKey(project)}))
	case 2:
		_, err = c.GetProject(ctx, connect.NewRequest(&pb.GetProjectRequest{ProjectId: project[:]}))
	default:
		_, err = c.GetProjectActivity(ctx, connect.NewRequest(&pb.GetProjectActivityRequest{ProjectId: project[:], Limit: 20}))
	}
	return err
}
