package comet

import "testing"

// TestLacking compares heights with those that peers claim.
func TestLacking(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		own   uint64
		peers []uint64
		want  uint64
	}{
		"alone":                       {7, nil, 0},
		"up to date":                  {7, []uint64{7, 7, 7}, 0},
		"ahead":                       {7, []uint64{3, 4}, 0},
		"behind one":                  {7, []uint64{19}, 12},
		"behind all":                  {7, []uint64{19, 17, 18}, 11},
		"one liar of three":           {7, []uint64{7, 1 << 62, 7}, 0},
		"with a newcomer":             {7, []uint64{0, 9}, 2},
		"two newcomers do not matter": {7, []uint64{0, 9, 0, 9}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := lacking(test.own, test.peers); got != test.want {
				t.Errorf("lacks %d, want %d", got, test.want)
			}
		})
	}
}
