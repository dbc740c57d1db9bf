package index_test

import (
	"strconv"
	"testing"

	"makechain/internal/index"
	"makechain/internal/ledgertest"
	"makechain/message"
)

// BenchmarkRows computes the rows of a block of 400 ref updates and as many commit bundles.
func BenchmarkRows(b *testing.B) {
	s := &everyType{chain: newChain(b)}
	s.createAccounts()
	const pairs = 200
	var messages []*message.Envelope
	for i := range pairs {
		name := strconv.Itoa(i)
		for _, project := range []struct {
			by  string
			id  [32]byte
			ref string
		}{{"alice", s.project, name}, {"bobby", s.gone, name}} {
			messages = append(messages, s.bundle(project.id, project.by, name),
				s.sign(project.by, message.RefUpdate(project.id, project.ref, message.RefMove{New: ledgertest.Hash(name), Nonce: 1})))
		}
	}
	result, err := s.ledger.Assemble(s.rows, s.block, messages, nil)
	if err != nil || len(result.Applied) != len(messages) {
		b.Fatalf("%d of %d messages apply, %v", len(result.Applied), len(messages), err)
	}
	block := committed(s.block, result)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := index.Rows(s.rows, block, nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(messages)), "ns/message")
}
