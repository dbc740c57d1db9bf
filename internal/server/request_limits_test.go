package server

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"runtime"
	"strings"
	"sync"
	"testing"

	"connectrpc.com/connect"
	"github.com/klauspost/compress/gzip"

	pb "makechain/gen/makechain"
	"makechain/gen/makechain/makechainpbconnect"
	"makechain/internal/limit"
)

const (
	batchMethod = makechainpbconnect.MakechainServiceBatchSubmitMessagesProcedure
	statsMethod = makechainpbconnect.MakechainServiceGetChainStatsProcedure
)

// compress returns content as a gzip stream.
func compress(t *testing.T, content []byte) []byte {
	t.Helper()
	var compressed bytes.Buffer
	w := gzip.NewWriter(&compressed)
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return compressed.Bytes()
}

// An encodedCall is the encoding of a request in one of the protocols.
type encodedCall struct {
	name        string
	http2       bool
	contentType string
	encoding    string // the header with the compression
	envelope    bool
}

func encodedCalls() []encodedCall {
	return []encodedCall{
		{"gRPC", true, "application/grpc", "Grpc-Encoding", true},
		{"gRPC-web", false, "application/grpc-web+proto", "Grpc-Encoding", true},
		{"Connect", false, "application/proto", "Content-Encoding", false},
		{"Connect over HTTP/2", true, "application/proto", "Content-Encoding", false},
	}
}

// send sends a request, compressed if it says so, and returns the whole response as text.
func (c encodedCall) send(t *testing.T, client *http.Client, url string, message []byte, compressed bool) string {
	t.Helper()
	if c.envelope {
		flags := byte(0)
		if compressed {
			flags = 1
		}
		message = append(binary.BigEndian.AppendUint32([]byte{flags}, uint32(len(message))), message...)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewReader(message))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", c.contentType)
	request.Header.Set("TE", "trailers")
	if compressed {
		request.Header.Set(c.encoding, "gzip")
	}
	response, err := client.Do(request)
	if err != nil {
		t.Error(err)
		return ""
	}
	var text strings.Builder
	_, err = io.Copy(&text, response.Body)
	if err = errors.Join(err, response.Body.Close(), response.Header.Write(&text), response.Trailer.Write(&text)); err != nil {
		t.Error(err)
	}
	return text.String()
}

// TestCompressedBatches sends 40 batches of two million empty messages at a time, each of 4 kB compressed and 4 MiB
// decompressed. Decoded, each would take 400 MB.
func TestCompressedBatches(t *testing.T) { //nolint:paralleltest // it measures what the process allocates
	const requests = 40
	text := []byte(`{"messages":[` + strings.Repeat("{},", 1<<20) + `{}]}`)
	binaryBatch, jsonBatch := compress(t, bytes.Repeat([]byte{1<<3 | 2, 0}, 2<<20)), compress(t, text)
	r := start(t, Config{IsLarge: limit.IsLarge}, &services{})
	inJSON := encodedCall{"Connect with JSON", false, "application/json", "Content-Encoding", false}
	for _, c := range append(encodedCalls(), inJSON) { //nolint:paralleltest // as above
		t.Run(c.name, func(t *testing.T) {
			batch := binaryBatch
			if c.contentType == "application/json" {
				batch = jsonBatch
			}
			client := protocol{http2: c.http2}.client(t)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			var calls sync.WaitGroup
			for range requests {
				calls.Go(func() {
					got := c.send(t, client, r.url+batchMethod, batch, true)
					if !strings.Contains(got, "too many elements") && !strings.Contains(got, limit.ErrBusy.Error()) {
						t.Errorf("the response is %q", got)
					}
				})
			}
			calls.Wait()
			runtime.ReadMemStats(&after)
			if each := (after.TotalAlloc - before.TotalAlloc) / requests; each > 80<<20 {
				t.Errorf("each request allocated %d bytes, want at most 80 MiB", each)
			}
		})
	}
}

// TestDecompressionStops sends 32 MiB of zeros, compressed. The error is the one of the decompressor: Connect's own has the
// size of the message, which it finds out by decompressing all of it.
func TestDecompressionStops(t *testing.T) {
	t.Parallel()
	bomb := compress(t, make([]byte, 32<<20))
	r := start(t, Config{IsLarge: limit.IsLarge}, &services{})
	for _, c := range encodedCalls() {
		for method, want := range map[string]string{
			batchMethod: "the request has more than 4194304 bytes after decompression",
			statsMethod: "the request has more than 65536 bytes after decompression",
		} {
			if got := c.send(t, protocol{http2: c.http2}.client(t), r.url+method, bomb, true); !strings.Contains(got, want) {
				t.Errorf("%s %s: the response is %q, want %q", c.name, method, got, want)
			}
		}
	}
}

// TestDecompressor counts what is decompressed.
func TestDecompressor(t *testing.T) {
	t.Parallel()
	const most = 64 << 10
	zeros := func(n int) []byte { return compress(t, make([]byte, n)) }
	for name, c := range map[string]struct {
		compressed []byte
		read       int
		code       connect.Code // 0 for none
	}{
		"less than the limit":    {zeros(100), 100, 0},
		"the limit":              {zeros(most), most, 0},
		"one more":               {zeros(most + 1), most + 1, connect.CodeResourceExhausted},
		"many more":              {zeros(64 << 20), most + 1, connect.CodeResourceExhausted},
		"two streams":            {append(zeros(100), zeros(100)...), 100, connect.CodeInvalidArgument},
		"a million empty stream": {bytes.Repeat(zeros(0), 1_000_000), 0, connect.CodeInvalidArgument},
	} {
		d := &decompressor{limit: most}
		compressed := bytes.NewBuffer(c.compressed)
		if err := d.Reset(compressed); err != nil {
			t.Fatal(err)
		}
		n, err := io.Copy(io.Discard, struct{ io.Reader }{d})
		var coded *connect.Error
		if int(n) != c.read || (err != nil) != (c.code != 0) || err != nil && (!errors.As(err, &coded) || coded.Code() != c.code) {
			t.Errorf("%s: read %d bytes, %v", name, n, err)
		}
	}
}

// TestRequestSizes checks the limit of each kind of method, and that the rest of a request that is too large is not read.
func TestRequestSizes(t *testing.T) {
	t.Parallel()
	r := start(t, Config{IsLarge: limit.IsLarge}, &services{})
	unknown := func(size int) []byte { // a field that no message has
		size -= 6
		return append(binary.AppendUvarint([]byte{0xfa, 0x3e}, uint64(size)), make([]byte, size)...)
	}
	for _, c := range encodedCalls() {
		for _, test := range []struct {
			method string
			size   int
			want   string
		}{
			{batchMethod, 4<<20 - 10, "is not implemented"},
			{batchMethod, 4<<20 + 10, "larger than configured max 4194304"},
			{statsMethod, 64<<10 - 10, "is not implemented"},
			{statsMethod, 64<<10 + 10, "larger than configured max 65536"},
		} {
			got := c.send(t, protocol{http2: c.http2}.client(t), r.url+test.method, unknown(test.size), false)
			if !strings.Contains(got, test.want) {
				t.Errorf("%s: %d bytes to %s: the response is %q", c.name, test.size, test.method, got)
			}
		}
	}
}

// TestRequestBudget checks that a request beyond the share of its client is refused, that others are not, and that the
// memory is released.
func TestRequestBudget(t *testing.T) {
	t.Parallel()
	entered, leave := make(chan struct{}, 1), make(chan struct{})
	r := start(t, Config{
		IsLarge: limit.IsLarge, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
		Limits: Limits{MaxBytesInFlight: 8 << 20, MaxRequestBytes: 600 << 10},
	}, &services{batch: func(ctx context.Context) error {
		entered <- struct{}{}
		select {
		case <-leave:
		case <-ctx.Done():
		}
		return nil
	}})
	submit := func(address string) error {
		request := connect.NewRequest(&pb.BatchSubmitRequest{Messages: []*pb.Message{{Hash: make([]byte, 500<<10)}}})
		request.Header().Set("X-Forwarded-For", address)
		_, err := grpc().chain(t, r).BatchSubmitMessages(t.Context(), request)
		return err
	}
	first := make(chan error, 2)
	go func() { first <- submit("192.0.2.1") }()
	await(t, entered, "the first call")
	err := submit("192.0.2.1")
	if wantCode(t, err, connect.CodeResourceExhausted); err != nil && !strings.Contains(err.Error(), limit.ErrBusy.Error()) {
		t.Errorf("the error is %v", err)
	}
	go func() {
		err := submit("192.0.2.2")
		if err != nil {
			t.Errorf("the call of another client: %v", err)
		}
		first <- err
	}()
	await(t, entered, "the call of another client")
	close(leave)
	for range 2 {
		if err := await(t, first, "the end of the calls"); err != nil {
			t.Error(err)
		}
	}
	if err := submit("192.0.2.1"); err != nil {
		t.Errorf("after the first call: %v", err)
	}
}
