package testnet

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// configFile holds the flags of a node in its home, as makechain node reads it.
const configFile = "config.toml"

// writeConfig tells a node where to listen and whom to stay connected with: all others, because each may be the only
// one left.
func (o *Options) writeConfig(index int, node *Node, network *Network) error {
	listen := o.listening(index)
	var text strings.Builder
	fmt.Fprintf(&text, "# %s, a %s of %s. The keys are the flags of makechain node.\n", node.Name, node.Role(), network.ChainID)
	for _, setting := range []struct{ key, value string }{
		{"p2p-addr", listen.p2p}, {"grpc-addr", listen.grpc}, {"rest-addr", listen.rest}, {"metrics-addr", listen.metrics},
	} {
		fmt.Fprintf(&text, "%s = %s\n", setting.key, strconv.Quote(setting.value))
	}
	if o.BlockInterval > 0 {
		fmt.Fprintf(&text, "block-interval = %s\n", strconv.Quote(o.BlockInterval.String()))
	}
	text.WriteString("peers = [\n")
	for _, peer := range network.Peers(node.Name) {
		fmt.Fprintf(&text, "  %s,\n", strconv.Quote(peer))
	}
	text.WriteString("]\n")
	return os.WriteFile(filepath.Join(node.Home, configFile), []byte(text.String()), publicMode)
}
