// Package clitest runs single commands in tests, against a fake service or a real node.
package clitest

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"makechain/gen/makechain/makechainpbconnect"
	"makechain/internal/capture"
)

// Command prepares a command with arguments. It prints into the buffers, and neither its usage nor its error.
func Command(command *cobra.Command, args ...string) (prepared *cobra.Command, stdout, stderr *capture.Buffer) {
	stdout, stderr = new(capture.Buffer), new(capture.Buffer)
	command.SilenceErrors, command.SilenceUsage = true, true
	command.SetIn(strings.NewReader(""))
	command.SetOut(stdout)
	command.SetErr(stderr)
	command.SetArgs(args)
	return command, stdout, stderr
}

// Run runs a command and returns its output on both streams.
func Run(ctx context.Context, command *cobra.Command, args ...string) (stdout, stderr string, err error) {
	command, out, errs := Command(command, args...)
	err = command.ExecuteContext(ctx)
	return out.String(), errs.String(), err
}

// Serve serves a fake of the node's service and returns its address, for --node.
func Serve(t *testing.T, service makechainpbconnect.MakechainServiceHandler) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle(makechainpbconnect.NewMakechainServiceHandler(service))
	server := httptest.NewUnstartedServer(mux)
	server.Config.Protocols = new(http.Protocols)
	server.Config.Protocols.SetUnencryptedHTTP2(true)
	server.Config.Protocols.SetHTTP1(true)
	server.Start()
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}
