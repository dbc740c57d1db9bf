package workload_test

import (
	"math"
	"testing"

	"makechain/bench/workload"
	pb "makechain/gen/makechain"
	"makechain/internal/ledgertest"
	"makechain/message"
)

// setUp creates a population on a chain in memory.
func setUp(t *testing.T, world *ledgertest.Chain, options workload.Options) *workload.Population {
	t.Helper()
	options.Network = ledgertest.Network
	population, err := workload.New(options)
	if err != nil {
		t.Fatal(err)
	}
	for _, make := range []func(*workload.Account, uint32) ([]*message.Envelope, error){(*workload.Account).Setup, (*workload.Account).Fork} {
		for _, account := range population.Accounts {
			messages, err := make(account, world.Now())
			if err != nil {
				t.Fatal(err)
			}
			if messages[0].Type() == pb.MessageType_MESSAGE_TYPE_SIGNER_ADD {
				author := message.NewAuthor(message.Seed{1}, ledgertest.Network, account.Address())
				world.Fund(&ledgertest.Actor{Author: author, Address: account.Address()}, workload.Units)
			}
			for _, m := range messages {
				world.Must(m)
			}
		}
	}
	world.Next(1)
	return population
}

// TestEveryMessageApplies checks that all messages are valid, also with few accounts that repeat their targets often, and that
// the resulting state is sound. The timestamps of the first half are ahead, as those of a load without a rate on a fast node;
// those of the second half start at the clock again, as those of the next load.
func TestEveryMessageApplies(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("sends many messages")
	}
	for name, test := range map[string]struct {
		options   workload.Options
		perSecond int
		types     int // message types that are reached
	}{
		"two accounts":  {workload.Options{Seed: 1, Accounts: 2, Projects: 1}, 4_000, 20},
		"a few":         {workload.Options{Seed: 2, Accounts: 7, Projects: 3}, 500, 19},
		"many accounts": {workload.Options{Seed: 3, Accounts: 100, Projects: 5}, 100, 18},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			world := ledgertest.New(t)
			population := setUp(t, world, test.options)
			types := map[pb.MessageType]int{}
			const messages, ahead = 12_000, 100
			for i := range messages {
				at := world.Now()
				if i < messages/2 {
					at += ahead
				}
				m, err := population.Accounts[i%len(population.Accounts)].Next(at)
				if err != nil {
					t.Fatal(err)
				}
				if _, refusal := world.Apply(m); refusal != nil {
					t.Fatalf("message %d, %s: %v", i, m.Type(), refusal)
				}
				types[m.Type()]++
				if i%test.perSecond == test.perSecond-1 {
					world.Next(1)
				}
			}
			world.Check()
			for what, got := range map[string]int{
				"commit bundles": types[pb.MessageType_MESSAGE_TYPE_COMMIT_BUNDLE],
				"ref updates":    types[pb.MessageType_MESSAGE_TYPE_REF_UPDATE],
			} {
				if share := float64(got) / messages; math.Abs(share-0.4) > 0.02 {
					t.Errorf("%s are %.1f %%, want 40", what, 100*share)
				}
			}
			if len(types) != test.types {
				t.Errorf("%d types of messages: %v", len(types), types)
			}
		})
	}
}

// TestSeed checks that messages are determined by the seed.
func TestSeed(t *testing.T) {
	t.Parallel()
	last := func(seed uint64) message.Hash {
		world := ledgertest.New(t)
		population := setUp(t, world, workload.Options{Seed: seed, Accounts: 3, Projects: 2})
		var m *message.Envelope
		for i := range 500 {
			var err error
			if m, err = population.Accounts[i%3].Next(world.Now()); err != nil {
				t.Fatal(err)
			}
		}
		return m.Hash
	}
	first := last(1)
	if again := last(1); again != first {
		t.Errorf("the same seed gives %s and %s", first, again)
	}
	if other := last(2); other == first {
		t.Error("two seeds give the same messages")
	}
}

// TestNewErrors checks that invalid options are rejected.
func TestNewErrors(t *testing.T) {
	t.Parallel()
	for _, options := range []workload.Options{
		{Accounts: 1, Projects: 1}, {Accounts: 2}, {Accounts: 2, Projects: workload.MaxProjects + 1},
	} {
		if _, err := workload.New(options); err == nil {
			t.Errorf("%+v was accepted", options)
		}
	}
}
