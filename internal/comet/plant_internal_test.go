package comet

import (
	"testing"

	"github.com/cometbft/cometbft/crypto/ed25519"
	"github.com/cometbft/cometbft/types"
)

// TestTurns works out the same turns to propose as an engine that has executed every block, for validators of any power.
func TestTurns(t *testing.T) {
	t.Parallel()
	for name, powers := range map[string][]int64{"one": {10}, "equal": {1, 1, 1, 1}, "unequal": {1, 7, 30, 2, 100}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			document := &types.GenesisDoc{InitialHeight: 1}
			var began []*types.Validator
			for i, power := range powers {
				key := ed25519.GenPrivKeyFromSecret([]byte{byte(i)}).PubKey()
				document.Validators = append(document.Validators, types.GenesisValidator{PubKey: key, Power: power})
				began = append(began, types.NewValidator(key, power))
			}
			seed := &Seed{document: document}
			executed := types.NewValidatorSet(began)
			for height := int64(1); height < 1_000; height++ {
				turns := seed.turns(types.NewValidatorSet(began), height)
				if turns.String() != executed.String() {
					t.Fatalf("at height %d: %v, want %v", height, turns, executed)
				}
				executed = executed.CopyIncrementProposerPriority(1)
			}
			strangers := types.NewValidatorSet([]*types.Validator{types.NewValidator(ed25519.GenPrivKeyFromSecret([]byte("s")).PubKey(), 5)})
			if seed.turns(strangers, 7) != strangers {
				t.Error("the turns of other validators are not as they were given")
			}
		})
	}
}
