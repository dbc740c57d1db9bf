package main

import (
	"errors"
	"net"
	"net/netip"
	"syscall"

	"github.com/spf13/pflag"

	"makechain/internal/server"
)

// serverFlags say whom a command serves, and how.
type serverFlags struct {
	config  server.Config
	proxies []net.IPNet
}

func (s *serverFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&s.config.CertFile, "tls-cert", "", "PEM file of the server's certificate")
	flags.StringVar(&s.config.KeyFile, "tls-key", "", "PEM file of the certificate's key")
	flags.StringSliceVar(&s.config.AllowedOrigins, "cors-origins", nil, "web origins that may call (default all)")
	flags.Float64Var(&s.config.Limits.RequestsPerSecond, "rate-limit", server.DefaultRequestsPerSecond,
		"requests a second of one client address on another machine; -1 for no limit")
	flags.IPNetSliceVar(&s.proxies, "trusted-proxies", nil, "networks whose X-Forwarded-For is believed, such as 10.0.0.0/8")
}

// server is the configuration that the flags describe.
func (s *serverFlags) server() server.Config {
	config := s.config
	for _, network := range s.proxies {
		bits, _ := network.Mask.Size()
		if address, isValid := netip.AddrFromSlice(network.IP); isValid {
			config.TrustedProxies = append(config.TrustedProxies, netip.PrefixFrom(address, bits))
		}
	}
	return config
}

// adviseOnPorts says what to do when another program has the port.
func adviseOnPorts(err error, next string) error {
	if errors.Is(err, syscall.EADDRINUSE) {
		return advise(err, "%s", next)
	}
	return err
}
