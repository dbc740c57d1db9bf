package comet

import "testing"

// TestBehindMedian checks the lag computed from the heights that peers announce.
func TestBehindMedian(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		own   uint64
		peers []uint64
		want  uint64
	}{
		"no peers":                    {7, nil, 0},
		"up to date":                  {7, []uint64{7, 7, 7}, 0},
		"ahead":                       {7, []uint64{3, 4}, 0},
		"behind one":                  {7, []uint64{19}, 12},
		"behind all":                  {7, []uint64{19, 17, 18}, 11},
		"one wrong height of three":   {7, []uint64{7, 1 << 62, 7}, 0},
		"one new peer":                {7, []uint64{0, 9}, 2},
		"as many new peers as others": {7, []uint64{0, 9, 0, 9}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := behindMedian(test.own, test.peers); got != test.want {
				t.Errorf("%d blocks behind, want %d", got, test.want)
			}
		})
	}
}
