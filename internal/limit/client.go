package limit

import "net/netip"

// ipv6ClientBits is the length of the IPv6 prefix that counts as one client: a network chooses the lower 64 bits itself.
const ipv6ClientBits = 64

// ClientNetwork returns the network that counts as one client: the address itself for IPv4, also in its IPv6 form, and the
// /64 network for IPv6. An invalid address results in the zero prefix.
func ClientNetwork(client netip.Addr) netip.Prefix {
	client = client.Unmap().WithZone("")
	bits := client.BitLen()
	if client.Is6() {
		bits = ipv6ClientBits
	}
	network, _ := client.Prefix(bits) // an invalid address results in the zero prefix
	return network
}
