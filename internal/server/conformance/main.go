// Command conformance is the server that the Connect conformance suite tests: the server of a node, with its interceptors
// and limits, around the service of the suite.
//
// It reads the requested configuration from standard input, writes its address to standard output and serves until it is
// stopped by a signal.
package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"google.golang.org/protobuf/proto"

	"makechain/internal/server"
	suite "makechain/internal/server/conformance/gen/connectrpc/conformance/v1"
	"makechain/internal/server/conformance/gen/connectrpc/conformance/v1/conformancev1connect"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Stdin, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, in io.Reader, out io.Writer) error {
	var request suite.ServerCompatRequest
	if err := read(in, &request); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "conformance")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	config, err := configure(&request, dir)
	if err != nil {
		return err
	}
	srv, err := server.New(config, server.Service[conformancev1connect.ConformanceServiceHandler](
		conformancev1connect.NewConformanceServiceHandler, service{}))
	if err != nil {
		return err
	}
	address, err := netip.ParseAddrPort(srv.Addr().String())
	if err != nil {
		return err
	}
	if err := write(out, &suite.ServerCompatResponse{
		Host: address.Addr().String(), Port: uint32(address.Port()), PemCert: request.GetServerCreds().GetCert(),
	}); err != nil {
		return err
	}
	return srv.Serve(ctx)
}

// configure returns the configuration of a node's server with the changes that the suite requests.
func configure(request *suite.ServerCompatRequest, dir string) (server.Config, error) {
	config := server.Config{
		Addr:   "127.0.0.1:0",
		Log:    slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})),
		Limits: server.Limits{MaxRequestBytes: int(request.GetMessageReceiveLimit())},

		IsLarge: func(string) bool { return true },
	}
	if !request.GetUseTls() {
		return config, nil
	}
	config.CertFile, config.KeyFile = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	if err := os.WriteFile(config.CertFile, request.GetServerCreds().GetCert(), 0o600); err != nil {
		return config, err
	}
	return config, os.WriteFile(config.KeyFile, request.GetServerCreds().GetKey(), 0o600)
}

// read reads one message of the suite: its length in four bytes, then its encoding.
func read(in io.Reader, message proto.Message) error {
	var length [4]byte
	if _, err := io.ReadFull(in, length[:]); err != nil {
		return fmt.Errorf("read the length of a message: %w", err)
	}
	encoded := make([]byte, binary.BigEndian.Uint32(length[:]))
	if _, err := io.ReadFull(in, encoded); err != nil {
		return fmt.Errorf("read a message: %w", err)
	}
	return proto.Unmarshal(encoded, message)
}

// write writes one message in the same form.
func write(out io.Writer, message proto.Message) error {
	encoded, err := proto.Marshal(message)
	if err != nil {
		return err
	}
	_, err = out.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(encoded))), encoded...))
	return err
}
