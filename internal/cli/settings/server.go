package settings

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"runtime/debug"
	"syscall"

	"github.com/spf13/pflag"

	"makechain/internal/cli/usage"
	"makechain/internal/server"
)

// ServerFlags are the flags of a command that serves requests.
type ServerFlags struct {
	config  server.Config
	proxies []net.IPNet
}

// Register adds the flags to a command.
func (s *ServerFlags) Register(flags *pflag.FlagSet) {
	flags.StringVar(&s.config.CertFile, "tls-cert", "", "PEM file of the server's certificate")
	flags.StringVar(&s.config.KeyFile, "tls-key", "", "PEM file of the certificate's key")
	flags.StringSliceVar(&s.config.AllowedOrigins, "cors-origins", nil, "allowed CORS origins (default all)")
	flags.Float64Var(&s.config.Limits.RequestsPerSecond, "rate-limit", server.DefaultRequestsPerSecond,
		"requests per second of one remote client address; -1 for no limit")
	flags.IPNetSliceVar(&s.proxies, "trusted-proxies", nil, "networks of proxies whose X-Forwarded-For is trusted, such as 10.0.0.0/8")
}

// Server returns the configuration that the flags describe.
func (s *ServerFlags) Server() server.Config {
	config := s.config
	for _, network := range s.proxies {
		bits, _ := network.Mask.Size()
		if address, isValid := netip.AddrFromSlice(network.IP); isValid {
			config.TrustedProxies = append(config.TrustedProxies, netip.PrefixFrom(address, bits))
		}
	}
	return config
}

// AdviseOnPorts adds a next step to the error of a port that another program uses.
func AdviseOnPorts(err error, next string) error {
	if errors.Is(err, syscall.EADDRINUSE) {
		return usage.Advise(err, "%s", next)
	}
	return err
}

// LogFlags are the flags of a command that logs.
type LogFlags struct {
	level, format string
}

// Register adds the flags to a command.
func (l *LogFlags) Register(flags *pflag.FlagSet) {
	flags.StringVar(&l.level, "log-level", "info", "debug, info, warn or error")
	flags.StringVar(&l.format, "log-format", "text", "text or json")
}

// Logger returns the logger that the flags describe.
func (l *LogFlags) Logger(out io.Writer) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(l.level)); err != nil {
		return nil, &usage.Error{Err: fmt.Errorf("--log-level: %q is not debug, info, warn or error", l.level)}
	}
	options := &slog.HandlerOptions{Level: level}
	switch l.format {
	case "text":
		return slog.New(slog.NewTextHandler(out, options)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(out, options)), nil
	default:
		return nil, &usage.Error{Err: fmt.Errorf("--log-format: %q is not text or json", l.format)}
	}
}

// UnknownVersion stands for information that the Go tool did not record in the program.
const UnknownVersion = "unknown"

// Version returns the version of the program.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return UnknownVersion
	}
	return info.Main.Version
}
