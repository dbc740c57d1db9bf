package faults_test

import (
	"fmt"
	"slices"
	"testing"
)

// TestPlan checks that plans are determined by their seeds, differ between seeds and are valid.
func TestPlan(t *testing.T) {
	t.Parallel()
	const seeds, count = 100, 8
	known := map[string]bool{}
	for _, s := range []shape{{validators: 4}, {validators: 4, followers: 2}, {7, 3, true, true}} {
		for seed := range uint64(seeds) {
			plan := newPlan(seed, s, s.kinds(), count)
			text := fmt.Sprint(plan)
			if again := fmt.Sprint(newPlan(seed, s, s.kinds(), count)); again != text {
				t.Fatalf("seed %d gives %s and %s", seed, text, again)
			}
			if known[text] {
				t.Errorf("seed %d of %+v gives the plan of another seed", seed, s)
			}
			known[text] = true
			checkPlan(t, s, plan, count)
		}
	}
}

func checkPlan(t *testing.T, s shape, plan []fault, count int) {
	t.Helper()
	seen := map[kind]bool{}
	for _, f := range plan {
		if seen[f.kind] || !slices.Contains(s.kinds(), f.kind) {
			t.Errorf("%+v has %s twice, or does not support it", s, f.kind)
		}
		seen[f.kind] = true
		last := slices.Max(f.victims)
		validators := f.victims[0] < s.validators
		if last >= s.nodes() || (f.kind == rollback || f.kind == twin) && validators || f.kind == outage && last >= s.validators {
			t.Errorf("%+v has invalid victims for %v", s, f)
		}
		delayed, cutOff := f.kind == slow || f.kind == clock || f.kind == slowFlush, f.kind == tear || f.kind == cut || f.kind == tornPages
		if f.lasts < shortestFault || f.lasts > longestFault || f.delay > 0 && !delayed || (f.bytes > 0) != cutOff || (f.part != "") != (f.kind == lose) {
			t.Errorf("%+v", f)
		}
	}
	if len(plan) != count {
		t.Errorf("%d faults, want %d", len(plan), count)
	}
}
