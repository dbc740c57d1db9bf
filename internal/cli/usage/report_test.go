package usage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"connectrpc.com/connect"
	"github.com/spf13/cobra"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/gen/makechain/makechainpbconnect"
	"makechain/internal/cli/clitest"
	"makechain/message"
)

// TestReport checks the exit code, message and advice of every kind of error.
func TestReport(t *testing.T) {
	t.Parallel()
	refused := func(code message.Code, skew time.Duration) error {
		return &client.RefusedError{Stage: message.StateTransition, Code: code, Reason: "because", Skew: skew}
	}
	for name, test := range map[string]struct {
		err       error
		code      int
		text, try string
	}{
		"nothing":      {nil, ExitOK, "", ""},
		"usage":        {Errorf(&cobra.Command{Use: "x"}, "wrong"), ExitUsage, "makechain: wrong\n", "x --help"},
		"wrapped":      {fmt.Errorf("outer: %w", Errorf(&cobra.Command{Use: "x"}, "wrong")), ExitUsage, "makechain: outer: wrong\n", "x --help"},
		"no name":      {&client.NameError{Name: "?", Want: "a name"}, ExitUsage, `makechain: "?" is not a valid name: want a name`, ""},
		"refused":      {refused(message.CodeNameTaken, 0), ExitFailed, "refused at state transition (name_taken): because", "another name"},
		"no advice":    {refused("unheard_of", 0), ExitFailed, "refused at state transition (unheard_of): because", ""},
		"clock ahead":  {refused(message.CodeTooEarly, 10*time.Minute), ExitFailed, "too_early", "10m0s ahead of the node's"},
		"clock behind": {refused(message.CodeTooLate, -10*time.Minute), ExitFailed, "too_late", "10m0s behind the node's"},
		"other clock":  {refused(message.CodeTooLate, 0), ExitFailed, "too_late", "5 minutes"},
		"not found":    {&client.NotFoundError{Kind: "project", Name: "alice/x"}, ExitFailed, `there is no project "alice/x"`, "makechain project list"},
		"ambiguous":    {&client.AmbiguousError{Kind: "commit", Name: "abcd", Candidates: []string{"abcd1", "abcd2"}}, ExitFailed, "\n  abcd1\n  abcd2\n", "more digits"},
		"advised":      {Advise(errors.New("no luck"), "again, %s", "slowly"), ExitFailed, "makechain: no luck\n", "again, slowly"},
		"no node":      {connect.NewError(connect.CodeUnavailable, &net.OpError{Op: "dial", Err: errors.New("connection refused")}), ExitUnreachable, "cannot reach the node: connection refused", "makechain node"},
		"interrupted":  {fmt.Errorf("wait: %w", context.Canceled), ExitInterrupted, "makechain: interrupted\n", ""},
		"too slow":     {fmt.Errorf("wait: %w", context.DeadlineExceeded), ExitFailed, "in time", ""},
		"forgotten":    {client.ErrUnknownMessage, ExitFailed, "does not know", "again"},
		"another":      {errors.New("disk full"), ExitFailed, "makechain: disk full\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			Report(&out, test.err)
			if code := ExitCode(test.err); code != test.code || !strings.Contains(out.String(), test.text) {
				t.Errorf("ends with %d after %q, want %d and %q", code, out.String(), test.code, test.text)
			}
			_, try, advised := strings.Cut(out.String(), "try: ")
			if advised != (test.try != "") || !strings.Contains(try, test.try) {
				t.Errorf("advises %q, want %q", try, test.try)
			}
		})
	}
}

// TestOtherServers checks the message for servers that are not nodes.
func TestOtherServers(t *testing.T) {
	t.Parallel()
	plain, secure := httptest.NewServer(http.NotFoundHandler()), httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	page := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") }))
	page.Config.Protocols = new(http.Protocols)
	page.Config.Protocols.SetUnencryptedHTTP2(true)
	page.Start()
	for _, s := range []*httptest.Server{plain, secure, page} {
		t.Cleanup(s.Close)
	}
	for name, test := range map[string]struct{ target, text, try string }{
		"HTTP/1.1":              {plain.Listener.Addr().String(), "no node answers at this address", "--node"},
		"TLS":                   {secure.Listener.Addr().String(), "no node answers at this address", "https://"},
		"HTTP/2 without gRPC":   {page.Listener.Addr().String(), "no node answers at this address", "--node"},
		"https on a plain port": {"https://" + plain.Listener.Addr().String(), "does not use TLS", "without https://"},
		"closes":                {listen(t, func(net.Conn) {}), "no node answers at this address", "--node"},
		"sends a banner": {listen(t, func(c net.Conn) {
			_, _ = io.WriteString(c, "SSH-2.0-example\r\n") // the client may have disconnected
			_, _ = io.Copy(io.Discard, c)
		}), "no node answers at this address", "--node"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := client.New(test.target)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			_, err = client.Call(t.Context(), c.GetHealth, &pb.GetHealthRequest{})
			var out strings.Builder
			Report(&out, err)
			if text := out.String(); !strings.Contains(text, test.text) || !strings.Contains(text, "try: ") || !strings.Contains(text, test.try) {
				t.Errorf("prints %q, want %q and %q", text, test.text, test.try)
			}
			if code := ExitCode(err); code != ExitUnreachable {
				t.Errorf("exit code %d, want %d", code, ExitUnreachable)
			}
		})
	}
}

// listen serves TCP connections with a function and closes them afterwards.
func listen(t *testing.T, serve func(net.Conn)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // listening does not block
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			accepted, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer func() { _ = accepted.Close() }()
				serve(accepted)
			}()
		}
	}()
	return listener.Addr().String()
}

// TestReportWireError checks that the text of a node cannot control the terminal.
func TestReportWireError(t *testing.T) {
	t.Parallel()
	c, err := client.New(clitest.Serve(t, failing{}))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, err = client.Call(t.Context(), c.GetProject, &pb.GetProjectRequest{ProjectId: []byte{1}})
	var out strings.Builder
	Report(&out, err)
	if want := "makechain: the node answers invalid_argument: project_id: \\x1b[31m1 bytes\n"; out.String() != want || ExitCode(err) != ExitFailed {
		t.Errorf("%q, want %q", out.String(), want)
	}
}

// failing is a service that refuses to show projects.
type failing struct {
	makechainpbconnect.UnimplementedMakechainServiceHandler
}

// GetProject returns an error with an escape sequence.
func (failing) GetProject(context.Context, *connect.Request[pb.GetProjectRequest]) (*connect.Response[pb.GetProjectResponse], error) {
	return nil, connect.NewError(connect.CodeInvalidArgument, errors.New("project_id: \x1b[31m1 bytes"))
}
