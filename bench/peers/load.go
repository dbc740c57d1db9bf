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
)

const (
	// drainTime is how long a contender may take to commit what it has accepted.
	drainTime = 30 * time.Second
	// pollTime lies between two looks at what is committed.
	pollTime = 20 * time.Millisecond
	// waitField is SubmitMessageRequest.wait.
	waitField = 100
)

// load is the clients of a contender.
type load struct {
	address string
	clients int
	http    *http.Client
}

func newLoad(address string, clients int) *load {
	transport := &http.Transport{MaxIdleConnsPerHost: clients, DisableCompression: true}
	return &load{address: address, clients: clients, http: &http.Client{Transport: transport}}
}

// pace is the time between two batches of all clients together. Zero has each send one when the one before has committed.
type pace time.Duration

func newPace(rate int) pace { return pace(batchSize * time.Second / time.Duration(rate)) }

// due is when a batch is to be sent, by its number, unless it is to be sent at once.
func (p pace) due(begin time.Time, number int) time.Time {
	if p == 0 {
		return time.Now()
	}
	return begin.Add(time.Duration(number) * time.Duration(p))
}

// send has the clients send a requestFile, a lane each.
func (l *load) send(ctx context.Context, requestFile *workload.RequestFile, pace pace, r *round) error {
	r.warmUp = int(requestFile.Messages) / batchSize / warmUpShare
	begin := time.Now()
	var sending errgroup.Group
	for client := range l.clients {
		sending.Go(func() error {
			lane, err := requestFile.Open(client)
			if err != nil {
				return err
			}
			defer func() { _ = lane.Close() }() // it was only read
			var request workload.Request
			for number := client; ; number += l.clients {
				if err := lane.Next(&request); errors.Is(err, io.EOF) {
					return r.spent()
				} else if err != nil {
					return err
				}
				due := pace.due(begin, number)
				if err := sleepUntil(ctx, due); err != nil {
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

func sleepUntil(ctx context.Context, due time.Time) error {
	select {
	case <-time.After(time.Until(due)):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// batch makes two calls for a batch, of which the second returns when its message has committed.
func (l *load) batch(ctx context.Context, body []byte) error {
	first, last, err := split(body)
	if err != nil {
		return err
	}
	var verdicts pb.BatchSubmitResponse
	if err := l.call(ctx, makechainpbconnect.MakechainServiceBatchSubmitMessagesProcedure, first, &verdicts); err != nil {
		return err
	}
	if err := verdict(&verdicts); err != nil {
		return err
	}
	var fate pb.SubmitMessageResponse
	if err := l.call(ctx, makechainpbconnect.MakechainServiceSubmitMessageProcedure, last, &fate); err != nil {
		return err
	}
	if fate.GetBlockNumber() == 0 {
		return fmt.Errorf("a good message is not committed: %s: %s", fate.GetCode(), fate.GetError())
	}
	return nil
}

// split makes two requests of a batch: one of all messages but the last, and one of the last that is to be waited for.
func split(batch []byte) (first, last []byte, err error) {
	messages, err := messagesOf(batch)
	if err != nil {
		return nil, nil, err
	}
	begin := len(batch) - protowire.SizeTag(messagesField) - protowire.SizeBytes(len(messages[len(messages)-1]))
	last = bytes.Clone(batch[begin:])
	last = protowire.AppendTag(last, waitField, protowire.VarintType)
	last = protowire.AppendVarint(last, uint64(pb.SubmitWait_SUBMIT_WAIT_COMMITTED))
	return batch[:begin], last, nil
}

// verdict is the first refusal of a batch.
func verdict(answer *pb.BatchSubmitResponse) error {
	for _, result := range answer.GetResults() {
		if !result.GetAccepted() {
			return fmt.Errorf("a good message is refused: %s: %s", result.GetCode(), result.GetError())
		}
	}
	return nil
}

// call makes a call in Connect's way, which is a plain POST.
func (l *load) call(ctx context.Context, procedure string, body []byte, answer proto.Message) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+l.address+procedure, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", connectType)
	response, err := l.http.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }() // it was only read
	encoded, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s: %s", procedure, response.Status, encoded)
	}
	return proto.Unmarshal(encoded, answer)
}

// committed is how many messages the contender has committed.
func (l *load) committed(ctx context.Context) (uint64, error) {
	var stats pb.GetChainStatsResponse
	err := l.call(ctx, makechainpbconnect.MakechainServiceGetChainStatsProcedure, nil, &stats)
	return stats.GetTotalMessages(), err
}

// drained waits until the contender has committed as many messages as it should, and no more.
func (l *load) drained(ctx context.Context, total uint64) error {
	ctx, cancel := context.WithTimeout(ctx, drainTime)
	defer cancel()
	for {
		got, err := l.committed(ctx)
		if err != nil || got == total {
			return err
		}
		if err = sleepUntil(ctx, time.Now().Add(pollTime)); err != nil || got > total {
			return errors.Join(fmt.Errorf("%d messages are committed, and %d were sent", got, total), err)
		}
	}
}
