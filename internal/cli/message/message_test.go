package message

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"connectrpc.com/connect"

	pb "makechain/gen/makechain"
	"makechain/gen/makechain/makechainpbconnect"
	"makechain/internal/cli/clitest"
)

// refusing is a fake service that has refused every message.
type refusing struct {
	makechainpbconnect.UnimplementedMakechainServiceHandler
}

// GetMessageStatus returns a refusal whose reason has an escape sequence.
func (refusing) GetMessageStatus(
	_ context.Context, r *connect.Request[pb.GetMessageStatusRequest],
) (*connect.Response[pb.GetMessageStatusResponse], error) {
	return connect.NewResponse(&pb.GetMessageStatusResponse{
		Hash: r.Msg.GetHash(), State: pb.MessageState_MESSAGE_STATE_REFUSED, Code: "name_taken", Stage: "state transition", Error: "\x1b[31mtaken",
	}), nil
}

// TestStatus checks the status of a refused message, and that its reason cannot control the terminal.
func TestStatus(t *testing.T) {
	t.Parallel()
	hash := strings.Repeat("ab", 32)
	stdout, _, err := clitest.Run(t.Context(), New(), "status", hash, "--node", clitest.Serve(t, refusing{}), "--config-dir", t.TempDir())
	want := "message  " + hash + "\nstate    refused\nstage    state transition\ncode     name_taken\nreason   \\x1b[31mtaken\n"
	if err != nil || stdout != want {
		t.Errorf("printed %q, %v, want %q", stdout, err, want)
	}
}

// TestSubmitInvalid checks that an input which is not a message is refused without a node.
func TestSubmitInvalid(t *testing.T) {
	t.Parallel()
	command, _, _ := clitest.Command(New(), "submit", "--node", "127.0.0.1:1")
	command.SetIn(bytes.NewReader([]byte("{")))
	if err := command.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), "standard input is not a message") {
		t.Errorf("%v", err)
	}
}
