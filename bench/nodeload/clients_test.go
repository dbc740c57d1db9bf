package nodeload_test

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

// Variables that make a process of this test run clients instead of tests.
const (
	roleVariable    = "MAKECHAIN_LOAD_ROLE"
	addressVariable = "MAKECHAIN_LOAD_ADDRESS"
	workVariable    = "MAKECHAIN_LOAD_WORK" // directory with one file per writer

	writersRole = "writers"
	readersRole = "readers"
)

const (
	readers = 4
	// readInterval is the time between two calls of a reader: 4 readers make 400 calls per second.
	readInterval = 10 * time.Millisecond
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

// clients is a set of concurrent clients of a node.
type clients struct {
	*nodetest.Client

	files []string
	calls atomic.Int64
}

// runClients works until its input ends, and prints the number of calls.
func runClients(work func(context.Context, *clients) error) error {
	files, err := filepath.Glob(filepath.Join(os.Getenv(workVariable), "*"))
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // ends when the parent closes it or exits
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

// together calls do for each number concurrently, and joins the errors.
func together(n int, do func(i int) error) error {
	failures := make([]error, n)
	var working sync.WaitGroup
	for i := range n {
		working.Go(func() { failures[i] = do(i) })
	}
	working.Wait()
	return errors.Join(failures...)
}

// writeAll sends the messages of all files, one writer per file.
func writeAll(ctx context.Context, c *clients) error {
	return together(len(c.files), func(i int) error { return c.write(ctx, c.files[i]) })
}

// errNoWork invalidates the measurement: writers must be busy until the end.
var errNoWork = errors.New("a writer has nothing left to send")

// write submits batches, each when the previous one has committed, so that the mempool is never full.
func (c *clients) write(ctx context.Context, name string) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // only read
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
		results, err := c.BatchSubmitMessages(ctx, connect.NewRequest(&batch))
		if err != nil {
			return err
		}
		committed, err := c.SubmitMessage(ctx, connect.NewRequest(final))
		if err != nil {
			return err
		}
		if results.Msg.GetRejectedCount() > 0 || committed.Msg.GetBlockNumber() == 0 {
			return fmt.Errorf("valid messages were refused: %v, %v", results.Msg, committed.Msg)
		}
		c.calls.Add(2)
	}
}

// readAll runs readers at a steady rate. The names of the files are project ids.
func readAll(ctx context.Context, c *clients) error {
	return together(readers, func(i int) error {
		project, err := ident.ParseHash(filepath.Base(c.files[i]))
		if err != nil {
			return err
		}
		ticker := time.NewTicker(readInterval)
		defer ticker.Stop()
		for n := 0; ; n++ {
			select {
			case <-ctx.Done():
				return nil
			case <-ticker.C:
			}
			if err := c.read(ctx, project, n); err != nil {
				return err
			}
			c.calls.Add(1)
		}
	})
}

// read makes one of several calls.
func (c *clients) read(ctx context.Context, project ident.Hash, n int) (err error) {
	switch n % 4 {
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
