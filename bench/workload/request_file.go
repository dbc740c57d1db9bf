package workload

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"makechain/internal/ident"
)

// Plan describes requests, and when they will be sent, which determines the timestamps of messages.
type Plan struct {
	Lanes    int           // each sends its requests in sequence
	Batch    int           // messages per request
	Requests int           // of all lanes, which take them round-robin
	Start    time.Time     // of the first request
	Interval time.Duration // between two requests
	Sampled  int           // number of accounts whose messages are listed in Request.Sampled
}

// Request is the request of one call.
type Request struct {
	Messages int
	Body     []byte // encoded
	// Commit is one of the commits in the request, if HasCommit is set.
	HasCommit       bool
	Project, Commit ident.Hash
	Sampled         []ident.Hash // messages of sampled accounts

	size int64 // of the messages as transactions
}

// Transactions returns the messages of a request as transactions.
func (r *Request) Transactions() ([][]byte, error) {
	transactions := make([][]byte, 0, r.Messages)
	for body := r.Body; len(body) > 0; {
		length, n := binary.Uvarint(body[1:])
		if body[0] != messageTag || n <= 0 || uint64(len(body)-1-n) < length {
			return nil, errors.New("a stored request is corrupt")
		}
		body = body[1+n:]
		transactions, body = append(transactions, body[:length]), body[length:]
	}
	return transactions, nil
}

// RequestFile is a set of encoded requests on disk, in sending order, with a file per lane.
type RequestFile struct {
	Messages, Bytes int64 // of all messages as transactions

	dir   string
	lanes int
}

// LaneOf returns the lane of an account, by its number. An account sends in one lane only, so that its messages keep their
// order.
func (p *Plan) LaneOf(account int) int { return account % p.Lanes }

// requestsOf returns the number of requests of a lane.
func (p *Plan) requestsOf(lane int) int { return (p.Requests - lane + p.Lanes - 1) / p.Lanes }

// Sign signs the requests of a plan, on all cores, and stores them in a directory.
func (p *Population) Sign(ctx context.Context, dir string, plan Plan) (*RequestFile, error) {
	if plan.Lanes < 1 || plan.Lanes > len(p.Accounts) {
		return nil, fmt.Errorf("%d lanes for %d accounts: want at least 1 and at most one per account", plan.Lanes, len(p.Accounts))
	}
	requestFile := &RequestFile{dir: dir, lanes: plan.Lanes}
	signing, ctx := errgroup.WithContext(ctx)
	signing.SetLimit(runtime.GOMAXPROCS(0))
	for lane := range plan.Lanes {
		signing.Go(func() error { return p.signLane(ctx, requestFile, &plan, lane) })
	}
	if err := signing.Wait(); err != nil {
		return nil, fmt.Errorf("sign messages: %w", err)
	}
	return requestFile, nil
}

// signLane signs and stores the requests of one lane.
func (p *Population) signLane(ctx context.Context, requestFile *RequestFile, plan *Plan, lane int) error {
	file, err := os.Create(requestFile.path(lane))
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(file, fileBuffer)
	err = p.eachRequest(ctx, plan, lane, plan.requestsOf(lane), func(request *Request) error {
		atomic.AddInt64(&requestFile.Messages, int64(request.Messages))
		atomic.AddInt64(&requestFile.Bytes, request.size)
		return writeRequest(out, request)
	})
	return errors.Join(err, out.Flush(), file.Close())
}

// Replay advances accounts to their state after each lane has sent the given number of requests. The population must be in
// the state from before the plan was signed: see Clone.
func (p *Population) Replay(ctx context.Context, plan Plan, sent []int) error {
	replaying, ctx := errgroup.WithContext(ctx)
	replaying.SetLimit(runtime.GOMAXPROCS(0))
	for lane, requests := range sent {
		replaying.Go(func() error {
			return p.eachRequest(ctx, &plan, lane, requests, func(*Request) error { return nil })
		})
	}
	return replaying.Wait()
}

// eachRequest calls use with the first requests of a lane. The accounts of the lane take turns round-robin.
func (p *Population) eachRequest(ctx context.Context, plan *Plan, lane, requests int, use func(*Request) error) error {
	next := lane
	for i := range requests {
		if err := ctx.Err(); err != nil {
			return err
		}
		at := uint32(plan.Start.Add(time.Duration(lane+i*plan.Lanes) * plan.Interval).Unix())
		var request Request
		for range plan.Batch {
			if err := p.addNext(&request, plan, next, at); err != nil {
				return err
			}
			if next += plan.Lanes; next >= len(p.Accounts) {
				next = lane
			}
		}
		if err := use(&request); err != nil {
			return err
		}
	}
	return nil
}

// addNext appends the next message of an account to a request.
func (p *Population) addNext(request *Request, plan *Plan, account int, at uint32) error {
	m, err := p.Accounts[account].Next(at)
	if err != nil {
		return err
	}
	tx := m.Transaction()
	// Field 1 is the message of a submission and the repeated messages of a batch.
	request.Body = append(request.Body, messageTag)
	request.Body = binary.AppendUvarint(request.Body, uint64(len(tx)))
	request.Body = append(request.Body, tx...)
	request.Messages++
	request.size += int64(len(tx))
	if bundle := m.Data.GetCommitBundle(); bundle != nil {
		commits := bundle.GetCommits()
		request.HasCommit, request.Project = true, ident.Hash(bundle.GetProjectId())
		request.Commit = ident.Hash(commits[len(commits)-1].GetHash())
	}
	if account < plan.Sampled {
		request.Sampled = append(request.Sampled, m.Hash)
	}
	return nil
}

func (p *RequestFile) path(lane int) string { return filepath.Join(p.dir, "lane-"+strconv.Itoa(lane)) }

// Lanes returns the number of lanes.
func (p *RequestFile) Lanes() int { return p.lanes }

// Remove deletes the files.
func (p *RequestFile) Remove() error {
	var err error
	for lane := range p.lanes {
		err = errors.Join(err, os.Remove(p.path(lane)))
	}
	return err
}

// Open opens the requests of a lane, which must be closed.
func (p *RequestFile) Open(lane int) (*Lane, error) {
	file, err := os.Open(p.path(lane))
	if err != nil {
		return nil, err
	}
	return &Lane{file: file, in: bufio.NewReaderSize(file, fileBuffer)}, nil
}

// Lane reads the requests of one lane, one at a time.
type Lane struct {
	file *os.File
	in   *bufio.Reader
}

// Close closes the file.
func (l *Lane) Close() error { return l.file.Close() }

const (
	// messageTag is the tag of field 1 with a message as value.
	messageTag = 1<<3 | 2
	// fileBuffer is small, because there is one per lane.
	fileBuffer = 32 << 10
	// headSize is the size of the header of a request in a file: length, messages, sampled messages, whether it has a commit.
	headSize = 4 + 2 + 2 + 1
)

func writeRequest(out io.Writer, r *Request) error {
	head := binary.LittleEndian.AppendUint32(make([]byte, 0, headSize), uint32(len(r.Body)))
	head = binary.LittleEndian.AppendUint16(head, uint16(r.Messages))
	head = binary.LittleEndian.AppendUint16(head, uint16(len(r.Sampled)))
	if r.HasCommit {
		head = append(append(append(head, 1), r.Project[:]...), r.Commit[:]...)
	} else {
		head = append(head, 0)
	}
	for _, hash := range r.Sampled {
		head = append(head, hash[:]...)
	}
	if _, err := out.Write(head); err != nil {
		return err
	}
	_, err := out.Write(r.Body)
	return err
}

// Next reads the next request into the memory of the previous one. It returns io.EOF after the last one.
func (l *Lane) Next(r *Request) error {
	var head [headSize]byte
	if _, err := io.ReadFull(l.in, head[:]); err != nil {
		return err
	}
	size := int(binary.LittleEndian.Uint32(head[0:]))
	r.Messages = int(binary.LittleEndian.Uint16(head[4:]))
	r.Sampled = append(r.Sampled[:0], make([]ident.Hash, binary.LittleEndian.Uint16(head[6:]))...)
	if r.HasCommit = head[8] == 1; r.HasCommit {
		if _, err := io.ReadFull(l.in, r.Project[:]); err != nil {
			return err
		}
		if _, err := io.ReadFull(l.in, r.Commit[:]); err != nil {
			return err
		}
	}
	for i := range r.Sampled {
		if _, err := io.ReadFull(l.in, r.Sampled[i][:]); err != nil {
			return err
		}
	}
	r.Body = append(r.Body[:0], make([]byte, size)...)
	_, err := io.ReadFull(l.in, r.Body)
	return err
}
