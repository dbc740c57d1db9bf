package loadtest

import (
	"crypto/ed25519"
	"slices"
	"time"
)

// referenceSamples is the number of verifications in a measurement, which takes less than a millisecond.
const referenceSamples = 9

// reference measures the speed of the machine during a load. On a machine that is shared with others the same instructions can take
// twice as long at another time, and so do the messages of a node. It is the elapsed time of one signature alone. VerificationSeconds, the
// unit of costs, is CPU time per signature of a batch, and takes too long to measure beside a load.
type reference struct {
	key                ed25519.PublicKey
	message, signature []byte
}

func newReference() *reference {
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	message := make([]byte, 64)
	return &reference{ed25519.PublicKey(key[ed25519.SeedSize:]), message, ed25519.Sign(key, message)}
}

// verify returns the median time of a signature verification, in which interruptions by other threads do not count.
func (r *reference) verify() time.Duration {
	var samples [referenceSamples]time.Duration
	for i := range samples {
		start := time.Now()
		ed25519.Verify(r.key, r.message, r.signature)
		samples[i] = time.Since(start)
	}
	slices.Sort(samples[:])
	return samples[len(samples)/2]
}
