package message

import (
	"fmt"
	"testing"

	pb "makechain/gen/makechain"
)

// benchAuthor returns the author of the benchmark messages.
func benchAuthor(key byte) *Author {
	return NewAuthor(Seed{key}, pb.Network_NETWORK_DEVNET, Address{key})
}

func benchRefUpdate(b *testing.B, key byte) *Envelope {
	b.Helper()
	move := RefMove{Old: Hash{2}, New: Hash{3}, Nonce: 7}
	e, err := benchAuthor(key).Sign(1_700_000_000, RefUpdate(Hash{1}, "refs/heads/main", move))
	if err != nil {
		b.Fatal(err)
	}
	return e
}

func benchBundle(b *testing.B, commits int) *Envelope {
	b.Helper()
	list := make([]Commit, commits)
	for i := range list {
		list[i] = Commit{
			Hash: Hash{byte(i), byte(i >> 8)}, Parents: []Hash{{9}}, TreeRoot: Hash{8}, AuthorTimestamp: 1_700_000_000,
			Title: fmt.Sprintf("a commit with a title of common length, number %d", i),
		}
	}
	e, err := benchAuthor(1).Sign(1_700_000_000, CommitBundle(Hash{1}, Content{}, list...))
	if err != nil {
		b.Fatal(err)
	}
	return e
}

// BenchmarkDecode measures decoding, the canonical check and hashing.
func BenchmarkDecode(b *testing.B) {
	for _, c := range []struct {
		name     string
		envelope *Envelope
	}{
		{"ref update", benchRefUpdate(b, 1)},
		{"10 commits", benchBundle(b, 10)},
		{"1000 commits", benchBundle(b, 1000)},
	} {
		b.Run(c.name, func(b *testing.B) {
			tx := c.envelope.Transaction()
			b.SetBytes(int64(len(tx)))
			b.ReportAllocs()
			for b.Loop() {
				if _, r := Decode(tx); r != nil {
					b.Fatal(r)
				}
			}
		})
	}
}

// BenchmarkOpen measures the same for a message of the API.
func BenchmarkOpen(b *testing.B) {
	m := benchRefUpdate(b, 1).Proto()
	b.ReportAllocs()
	for b.Loop() {
		if _, r := Open(m); r != nil {
			b.Fatal(r)
		}
	}
}

// BenchmarkCanonicalCheck measures the canonical check alone.
func BenchmarkCanonicalCheck(b *testing.B) {
	data, err := Canonical(benchRefUpdate(b, 1).Data)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := dataTable().check(data); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkVerifySingle measures one signature.
func BenchmarkVerifySingle(b *testing.B) {
	e := benchRefUpdate(b, 1)
	for b.Loop() {
		if r := e.VerifySignature(); r != nil {
			b.Fatal(r)
		}
	}
}

// BenchmarkVerifyBatch measures batches of 100 signatures, by 100 signers and by one.
func BenchmarkVerifyBatch(b *testing.B) {
	const size = 100
	for name, signers := range map[string]int{"signers=100": size, "signers=1": 1} {
		b.Run(name, func(b *testing.B) {
			batch := make([]*Envelope, size)
			for i := range batch {
				batch[i] = benchRefUpdate(b, byte(i%signers))
			}
			for b.Loop() {
				for _, r := range VerifyBatch(batch) {
					if r != nil {
						b.Fatal(r)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*size), "ns/message")
		})
	}
}

// BenchmarkValidate measures the checks of P5.
func BenchmarkValidate(b *testing.B) {
	for _, c := range []struct {
		name     string
		envelope *Envelope
	}{
		{"ref update", benchRefUpdate(b, 1)},
		{"10 commits", benchBundle(b, 10)},
		{"1000 commits", benchBundle(b, 1000)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if r := c.envelope.Validate(); r != nil {
					b.Fatal(r)
				}
			}
		})
	}
}

// BenchmarkSign measures building and signing a message.
func BenchmarkSign(b *testing.B) {
	author := benchAuthor(1)
	data := RefUpdate(Hash{1}, "refs/heads/main", RefMove{New: Hash{3}, Nonce: 1})
	for b.Loop() {
		if _, err := author.Sign(1_700_000_000, data); err != nil {
			b.Fatal(err)
		}
	}
}
