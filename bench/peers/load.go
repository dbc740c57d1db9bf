package peers

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"makechain/bench/workload"
	pb "makechain/gen/makechain"
	"makechain/gen/makechain/makechainpbconnect"
	"makechain/internal/backoff"
)

const (
	// drainTime is how long an application may take to commit accepted messages.
	drainTime = 30 * time.Second
	// pollTime is the time between two reads of the number of committed messages.
	pollTime = 20 * time.Millisecond
	// waitField is the number of SubmitMessageRequest.wait.
	waitField = 100
)

// load is the clients of an application.
type load struct {
	address string
	clients int
	http    *http.Client
}

func newLoad(address string, clients int) *load {
	transport := &http.Transport{MaxIdleConnsPerHost: clients, DisableCompression: true}
	return &load{address: address, clients: clients, http: &http.Client{Transport: transport}}
}

// interval is the time between two batches of all clients together. With zero, each client sends a batch when the previous
// one has committed.
type interval time.Duration

func newInterval(rate int) interval { return interval(batchSize * time.Second / time.Duration(rate)) }

// due returns the time at which a batch is due, by its number.
func (p interval) due(start time.Time, number int) time.Time {
	if p == 0 {
		return time.Now()
	}
	return start.Add(time.Duration(number) * time.Duration(p))
}

// send sends the requests of a file, with one lane per client.
func (l *load) send(ctx context.Context, requestFile *workload.RequestFile, pace interval, r *round) error {
	r.warmUp = int(requestFile.Messages) / batchSize / warmUpShare
	start := time.Now()
	var sending errgroup.Group
	for client := range l.clients {
		sending.Go(func() error {
			lane, err := requestFile.Open(client)
			if err != nil {
				return err
			}
			defer func() { _ = lane.Close() }() // only read
			var request workload.Request
			for number := client; ; number += l.clients {
				if err := lane.Next(&request); errors.Is(err, io.EOF) {
					return r.clientDone()
				} else if err != nil {
					return err
				}
				due := pace.due(start, number)
				if err := backoff.Sleep(ctx, time.Until(due)); err != nil {
					return err
				}
				if err := l.batch(ctx, request.Body); err != nil {
					return err
				}
				if err := r.add(time.Since(due)); err != nil {
					return err
				}
			}
		})
	}
	return sending.Wait()
}

// batch submits a batch with two calls. The second waits until its message has committed.
func (l *load) batch(ctx context.Context, body []byte) error {
	first, last, err := split(body)
	if err != nil {
		return err
	}
	var results pb.BatchSubmitResponse
	if err := l.call(ctx, makechainpbconnect.MakechainServiceBatchSubmitMessagesProcedure, first, &results); err != nil {
		return err
	}
	if err := firstRefusal(&results); err != nil {
		return err
	}
	var committed pb.SubmitMessageResponse
	if err := l.call(ctx, makechainpbconnect.MakechainServiceSubmitMessageProcedure, last, &committed); err != nil {
		return err
	}
	if committed.GetBlockNumber() == 0 {
		return fmt.Errorf("a valid message did not commit: %s: %s", committed.GetCode(), committed.GetError())
	}
	return nil
}

// split returns a batch of all messages but the last, and a submission of the last one that waits for its commit.
func split(batch []byte) (first, last []byte, err error) {
	messages, err := messagesOf(batch)
	if err != nil {
		return nil, nil, err
	}
	end := len(batch) - protowire.SizeTag(messagesField) - protowire.SizeBytes(len(messages[len(messages)-1]))
	last = bytes.Clone(batch[end:])
	last = protowire.AppendTag(last, waitField, protowire.VarintType)
	last = protowire.AppendVarint(last, uint64(pb.SubmitWait_SUBMIT_WAIT_COMMITTED))
	return batch[:end], last, nil
}

// firstRefusal returns the first refusal of a batch.
func firstRefusal(response *pb.BatchSubmitResponse) error {
	for _, result := range response.GetResults() {
		if !result.GetAccepted() {
			return fmt.Errorf("a valid message was refused: %s: %s", result.GetCode(), result.GetError())
		}
	}
	return nil
}

// call makes a unary Connect call, which is a POST.
func (l *load) call(ctx context.Context, procedure string, body []byte, message proto.Message) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+l.address+procedure, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", connectType)
	response, err := l.http.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }() // only read
	encoded, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s: %s", procedure, response.Status, encoded)
	}
	return proto.Unmarshal(encoded, message)
}

// committed returns the number of messages that the application has committed.
func (l *load) committed(ctx context.Context) (uint64, error) {
	var stats pb.GetChainStatsResponse
	err := l.call(ctx, makechainpbconnect.MakechainServiceGetChainStatsProcedure, nil, &stats)
	return stats.GetTotalMessages(), err
}

// drained waits until the application has committed the given number of messages. More are an error.
func (l *load) drained(ctx context.Context, total uint64) error {
	ctx, cancel := context.WithTimeout(ctx, drainTime)
	defer cancel()
	for {
		got, err := l.committed(ctx)
		if err != nil || got == total {
			return err
		}
		if err = backoff.Sleep(ctx, pollTime); err != nil || got > total {
			return errors.Join(fmt.Errorf("%d messages committed, %d were sent", got, total), err)
		}
	}
}
