package merkle

import (
	"bytes"
	"strings"
	"testing"
)

// FuzzBits compares the functions on single bits with a model that uses strings of digits.
//
// Rules: T1.2.
func FuzzBits(f *testing.F) {
	f.Add([]byte{}, []byte{}, uint16(0))
	f.Add([]byte{0x00}, []byte{}, uint16(3))
	f.Add([]byte{0x0d, 0x61}, []byte{0x0d, 0x61, 0x00}, uint16(9))
	f.Add([]byte("a longer key"), []byte("a longer kex"), uint16(20))
	f.Fuzz(func(t *testing.T, a, b []byte, at uint16) {
		if max(len(a), len(b)) > MaxKeySize {
			return
		}
		x := ModelBits(a) + strings.Repeat("0", 3*bitsPerByte)
		y := ModelBits(b) + strings.Repeat("0", 3*bitsPerByte)
		common := keyEnd
		if !bytes.Equal(a, b) {
			common = 0
			for x[common] == y[common] {
				common++
			}
			if before := x[common] < y[common]; before != (bytes.Compare(a, b) < 0) {
				t.Errorf("order of bits and order of bytes differ for %x and %x", a, b)
			}
		}
		from := int(at) % (len(a)*bitsPerByte + 1)
		if got := branch(a, b, min(from, common)); got != common {
			t.Errorf("branch of %x and %x is %d, want %d", a, b, got, common)
		}
		if got := '0' + byte(bitAt(a, from)); got != x[from] {
			t.Errorf("bit %d of %x is %c, want %c", from, a, got, x[from])
		}
		checkEdges(t, a, b, x, y, from)
		low := floor(a, from)
		if !strings.HasPrefix(ModelBits(low)+strings.Repeat("0", bitsPerByte), x[:from]) || bytes.Compare(low, a) > 0 {
			t.Errorf("floor of %x at %d is %x", a, from, low)
		}
	})
}

func checkEdges(t *testing.T, a, b []byte, x, y string, from int) {
	t.Helper()
	for n := range edgeBits + 1 {
		e := edgeOf(a, from, from+n)
		if got := digits(e); got != x[from:from+n] {
			t.Fatalf("edge of %x at %d has %q, want %q", a, from, got, x[from:from+n])
		}
		if from+n <= len(y) {
			same := 0
			for same < n && x[from+same] == y[from+same] {
				same++
			}
			if got := e.match(b, from); got != same {
				t.Fatalf("edge %q matches %d bits of %x, want %d", digits(e), got, b, same)
			}
		}
		for cut := range edgeBits + 2 {
			if got, want := digits(e.cut(cut)), x[from : from+n][min(cut, n):]; got != want {
				t.Fatalf("edge cut to %q, want %q", got, want)
			}
		}
		for m := range edgeBits + 1 {
			whole := x[from:from+n] + "1" + y[:m]
			if got := digits(e.extend(1, edgeOf(b, 0, m))); got != whole[:min(edgeBits, len(whole))] {
				t.Fatalf("edge extended to %q, want the start of %q", got, whole)
			}
		}
	}
}

func digits(e edge) string {
	var out []byte
	for i := e.len() - 1; i >= 0; i-- {
		out = append(out, '0'+byte(e>>i&1))
	}
	return string(out)
}
