package storage

import "testing"

// TestEther checks amounts in ether in both directions.
func TestEther(t *testing.T) {
	t.Parallel()
	for text, wei := range map[string]string{
		"0": "0", "1": "1000000000000000000", "0.02": "20000000000000000", "1.000000000000000001": "1000000000000000001", "12.5": "12500000000000000000",
	} {
		got, err := parseEther(text)
		if err != nil || got.String() != wei || formatEther(got) != text {
			t.Errorf("%s is %s wei, and %s ether (%v), want %s", text, got, formatEther(got), err, wei)
		}
	}
	for _, text := range []string{"", ".", "-1", "+1", "1_0", "1.0000000000000000001", "1e3", "0x1", "1.-1", "1" + string(make([]byte, 3))} {
		if got, err := parseEther(text); err == nil {
			t.Errorf("%q is %s wei, want an error", text, got)
		}
	}
}
