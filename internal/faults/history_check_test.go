package faults_test

import (
	"testing"

	"github.com/anishathalye/porcupine"

	"makechain/internal/ident"
)

// TestRefs checks the linearizability model with known histories.
func TestRefs(t *testing.T) {
	t.Parallel()
	at := func(nonce uint64) position {
		if nonce == 0 {
			return position{}
		}
		return position{ident.Hash{byte(nonce)}, nonce}
	}
	read := func(nonce uint64, call, returned int64) porcupine.Operation {
		return porcupine.Operation{Input: move{ref: "main", old: at(nonce)}, Call: call, Return: returned}
	}
	write := func(nonce uint64, call, returned int64) porcupine.Operation {
		return porcupine.Operation{Input: move{ref: "main", write: true, old: at(nonce - 1), next: at(nonce)}, Call: call, Return: returned}
	}
	for name, test := range map[string]struct {
		history []porcupine.Operation
		want    bool
	}{
		"in order":               {[]porcupine.Operation{read(0, 1, 2), write(1, 3, 4), read(1, 5, 6), write(2, 7, 8), read(2, 9, 10)}, true},
		"read while it is moved": {[]porcupine.Operation{write(1, 1, 9), read(0, 2, 3), read(1, 4, 5)}, true},
		"stale read":             {[]porcupine.Operation{write(1, 1, 2), read(0, 3, 4)}, false},
		"read that goes back":    {[]porcupine.Operation{write(1, 1, 9), read(1, 2, 3), read(0, 4, 5)}, false},
		"read of nothing known":  {[]porcupine.Operation{read(1, 1, 2)}, false},
		"moved twice from one":   {[]porcupine.Operation{write(1, 1, 9), write(1, 2, 8)}, false},
		"move that was lost":     {[]porcupine.Operation{write(1, 1, 2), write(1, 3, 4)}, false},
		"refs of their own": {[]porcupine.Operation{
			write(1, 1, 2), {Input: move{ref: "other"}, Call: 3, Return: 4},
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := porcupine.CheckOperations(refs(), test.history); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}
