// Command conformance is the server that the Connect conformance suite tests: the server of a node, with
// its interceptors and limits, around the service of the suite.
//
// It reads from standard input what server the suite wants, answers on standard output where it listens,
// and serves until it is told to stop.
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
	var wanted suite.ServerCompatRequest
	if err := read(in, &wanted); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "conformance")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	config, err := configure(&wanted, dir)
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
		Host: address.Addr().String(), Port: uint32(address.Port()), PemCert: wanted.GetServerCreds().GetCert(),
	}); err != nil {
		return err
	}
	return srv.Serve(ctx)
}

// configure changes nothing about the server of a node but what the suite asks for.
func configure(wanted *suite.ServerCompatRequest, dir string) (server.Config, error) {
	config := server.Config{
		Addr:   "127.0.0.1:0",
		Log:    slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})),
		Limits: server.Limits{MaxRequestBytes: int(wanted.GetMessageReceiveLimit())},
	}
	if !wanted.GetUseTls() {
		return config, nil
	}
	config.CertFile, config.KeyFile = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	if err := os.WriteFile(config.CertFile, wanted.GetServerCreds().GetCert(), 0o600); err != nil {
		return config, err
	}
	return config, os.WriteFile(config.KeyFile, wanted.GetServerCreds().GetKey(), 0o600)
}

// read takes one message from the suite: its length in four bytes, then itself.
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

// write answers the suite in the same form.
func write(out io.Writer, message proto.Message) error {
	encoded, err := proto.Marshal(message)
	if err != nil {
		return err
	}
	_, err = out.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(encoded))), encoded...))
	return err
}
