package rpc

import (
	"net/netip"
	"testing"
	"time"

	pb "makechain/gen/makechain"
)

// pinOf returns a list that takes about the given memory.
func pinOf(bytes int) *pin {
	return &pin{rows: &pb.CompactRangeProof{Rows: []*pb.RangeRow{{Value: make([]byte, bytes-pinnedRowBytes)}}}}
}

func (p *pins) total(client netip.Prefix) (all, own int) {
	for _, list := range p.byID {
		all += list.bytes
		if list.client == client {
			own += list.bytes
		}
	}
	return all, own
}

// TestPinsAreBounded checks that what is kept is bounded for a client and in total while many clients request the first pages of
// many lists, that a client drops its own lists first, and that the newest list is always kept.
//
// Rules: T3.10.
func TestPinsAreBounded(t *testing.T) {
	t.Parallel()
	var kept pins
	now := time.Unix(1_000, 0)
	honest := netip.MustParsePrefix("192.0.2.1/32")
	first := pinID{number: 1}
	kept.add(first, pinOf(1<<20), honest, now)
	for i := range uint64(200) { // one client
		attacker := netip.MustParsePrefix("198.51.100.7/32")
		now = now.Add(time.Millisecond)
		kept.add(pinID{number: 2 + i}, pinOf(1<<20), attacker, now)
		if _, own := kept.total(attacker); own > clientPinnedBytes || own == 0 {
			t.Fatalf("a client holds %d bytes", own)
		}
	}
	if kept.get(first, now) == nil {
		t.Error("one client made the node drop the list of another")
	}
	for i := range 200 { // many clients
		attacker := netip.PrefixFrom(netip.AddrFrom4([4]byte{203, 0, 113, byte(i)}), 32)
		now = now.Add(time.Millisecond)
		id := pinID{number: 1_000 + uint64(i)}
		kept.add(id, pinOf(5<<20), attacker, now)
		if all, _ := kept.total(attacker); all > maxPinnedBytes || kept.get(id, now) == nil {
			t.Fatalf("all clients hold %d bytes", all)
		}
	}
	huge := pinID{number: 5_000}
	kept.add(huge, pinOf(clientPinnedBytes+1), honest, now)
	if all, _ := kept.total(honest); all > maxPinnedBytes || kept.get(huge, now) == nil {
		t.Errorf("after a large list %d bytes", all)
	}
	kept.expire(now.Add(2 * pinTime))
	if len(kept.byID) > 0 {
		t.Errorf("%d lists are left", len(kept.byID))
	}
}
