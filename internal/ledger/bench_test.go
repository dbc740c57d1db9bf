package ledger_test

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/zeebo/blake3"
	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/merkle/merkletest"
	"makechain/internal/schema"
	"makechain/message"
)

const (
	benchTime     = 1_700_000_000
	benchProjects = 250
	benchNetwork  = pb.Network_NETWORK_DEVNET
	benchRef      = "refs/heads/main"
)

// benchState is a state written row by row: accounts with storage, a key and a project each. A project has a linear
// history and one ref at its tip.
type benchState struct {
	rows     []merkletest.Row
	authors  []*message.Author
	projects []ident.Hash
	tips     []ident.Hash
}

func benchHash(parts ...uint64) ident.Hash {
	var b []byte
	for _, p := range parts {
		b = binary.BigEndian.AppendUint64(b, p)
	}
	return blake3.Sum256(b)
}

func (s *benchState) put(tb testing.TB, key []byte, row proto.Message) {
	tb.Helper()
	value, err := schema.Encode(row)
	if err != nil {
		tb.Fatal(err)
	}
	s.rows = append(s.rows, merkletest.Row{Key: key, Value: value})
}

func newBenchState(tb testing.TB, projects, rows int) *benchState {
	tb.Helper()
	s := &benchState{}
	for i := range uint64(projects) {
		var owner ident.Address
		seed, name := benchHash(i, 1), fmt.Sprintf("user-%d", i)
		copy(owner[:], seed[:])
		author := message.NewAuthor(message.Seed(seed), benchNetwork, owner)
		project, root := benchHash(i, 2), benchHash(i, 3)
		s.put(tb, schema.AccountKey(owner), &pb.AccountRow{
			Username: name, UsernameLastSetAt: 1, StorageUnits: 100, NextExpiry: benchTime * 2, ProjectCount: 1, KeyCount: 1, CustodyNonce: 1,
			UnitsGranted: 100, ProjectsCreated: 1,
		})
		s.put(tb, schema.StorageGrantKey(owner, benchTime*2, benchHash(i, 4)), &pb.StorageGrantRow{Units: 100, Actor: owner[:]})
		s.put(tb, schema.UsernameKey(name), &pb.UsernameRow{OwnerAddress: owner[:]})
		s.put(tb, schema.DelegatedKeyKey(owner, author.Key()), &pb.DelegatedKeyRow{AddedAt: 1, RequestOwnerAddress: owner[:]})
		s.put(tb, schema.ProjectKey(project), &pb.ProjectRow{
			OwnerAddress: owner[:], Status: pb.ProjectStatus_PROJECT_STATUS_ACTIVE, CreatedAt: 1, RefCount: 1, CommitCount: 1,
		})
		s.put(tb, schema.CommitKey(project, root), &pb.CommitRow{TreeRoot: root[:], MessageHash: root[:], AuthorAddress: owner[:], Generation: 1})
		s.put(tb, schema.RefKey(project, []byte(benchRef)), &pb.RefRow{Timestamp: 1, Hash: root[:], Nonce: 1})
		s.authors, s.projects, s.tips = append(s.authors, author), append(s.projects, project), append(s.tips, root)
	}
	for i := uint64(0); len(s.rows) < rows; i++ {
		project, commit := benchHash(i/100, 5), benchHash(i, 6)
		s.put(tb, schema.CommitKey(project, commit), &pb.CommitRow{TreeRoot: commit[:], MessageHash: commit[:], Generation: 1})
	}
	return s
}

func (s *benchState) sign(tb testing.TB, author *message.Author, data *pb.MessageData) *message.Envelope {
	tb.Helper()
	m, err := author.Sign(benchTime, data)
	if err != nil {
		tb.Fatal(err)
	}
	if refusal := m.Validate(); refusal != nil {
		tb.Fatal(refusal)
	}
	return m
}

// mixedBlock returns 40 % commit bundles of two commits, 40 % ref updates and 20 % other messages.
func (s *benchState) mixedBlock(tb testing.TB, rounds int) []*message.Envelope {
	tb.Helper()
	var block []*message.Envelope
	for round := range uint64(rounds) {
		for i, project := range s.projects {
			author, n := s.authors[i], uint64(i)
			first, second := benchHash(n, round, 7), benchHash(n, round, 8)
			commit := func(hash, parent ident.Hash) message.Commit {
				return message.Commit{
					Hash: hash, Parents: []ident.Hash{parent}, TreeRoot: hash, AuthorTimestamp: benchTime,
					Title: "A change worth a line of words", MessageHash: hash, Author: author.Owner(),
				}
			}
			block = append(block,
				s.sign(tb, author, message.CommitBundle(project, message.Content{}, commit(first, s.tips[i]), commit(second, first))),
				s.sign(tb, author, message.RefUpdate(project, benchRef, message.RefMove{Old: s.tips[i], New: second, Nonce: round + 2})))
			s.tips[i] = second
			if i%2 == 0 {
				block = append(block, s.sign(tb, author, s.other(round, i)))
			}
		}
	}
	return ledger.Ordered(block)
}

func (s *benchState) other(round uint64, i int) *pb.MessageData {
	next := (i + 1 + int(round)) % len(s.projects)
	switch (uint64(i)/2 + round) % 7 {
	case 0:
		return message.ProjectMetadata(s.projects[i], pb.ProjectMetadataType_PROJECT_METADATA_DESCRIPTION, fmt.Sprintf("round %d", round))
	case 1:
		return message.AccountData(pb.AccountDataType_ACCOUNT_DATA_BIO, fmt.Sprintf("round %d", round))
	case 2:
		return message.Follow(s.authors[next].Owner())
	case 3:
		return message.Star(s.projects[next])
	case 4:
		return message.Like(s.projects[next], benchHash(uint64(next), 3))
	case 5:
		return message.CollaboratorAdd(s.projects[i], s.authors[next].Owner(), pb.Permission_PERMISSION_WRITE)
	default:
		return message.ProjectCreate(fmt.Sprintf("project-%d", round), pb.Visibility_VISIBILITY_PUBLIC, "", "MIT")
	}
}

// BenchmarkLedger executes blocks of mixed messages over a million rows in memory, on one core, without checking
// signatures.
func BenchmarkLedger(b *testing.B) {
	state := newBenchState(b, benchProjects, 1_000_000)
	view := merkletest.NewRows(state.rows...)
	messages := state.mixedBlock(b, 5)
	chain := ledger.New(ledger.Params{Network: benchNetwork})
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		if _, err := chain.Execute(view, ledger.Block{Height: 2, Time: benchTime}, messages); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*len(messages))/b.Elapsed().Seconds(), "messages/s")
}

// BenchmarkFastForward moves a ref by one commit, along 9,999 first parents, and across the worst graph, in which the
// old commit is reached only through second parents.
func BenchmarkFastForward(b *testing.B) {
	for _, c := range []struct {
		name    string
		commits int
		merges  bool
	}{{"one commit", 1, false}, {"9,999 first parents", 9_999, false}, {"9,000 second parents", 9_000, true}} {
		b.Run(c.name, func(b *testing.B) { benchFastForward(b, c.commits, c.merges) })
	}
}

func benchFastForward(b *testing.B, commits int, merges bool) {
	state := newBenchState(b, 1, 0)
	author, project, root := state.authors[0], state.projects[0], state.tips[0]
	chain, block := ledger.New(ledger.Params{Network: benchNetwork}), ledger.Block{Height: 2, Time: benchTime}
	view, tip, side := merkletest.NewRows(state.rows...), root, ident.Hash{}
	for n := 0; n < commits; {
		var bundle []message.Commit
		if merges && n == 0 {
			side = benchHash(9)
			bundle = append(bundle, message.Commit{Hash: side})
		}
		for ; n < commits && len(bundle) < message.MaxCommits; n++ {
			hash, parents := benchHash(10, uint64(n)), []ident.Hash{tip}
			if merges {
				parents = []ident.Hash{side, tip}
			}
			bundle, tip = append(bundle, message.Commit{Hash: hash, Parents: parents}), hash
		}
		session := chain.Begin(view, block)
		if _, refusal, err := session.Apply(state.sign(b, author, message.CommitBundle(project, message.Content{}, bundle...))); refusal != nil || err != nil {
			b.Fatal(refusal, err)
		}
		view = view.Apply(session.Changes())
	}
	update := state.sign(b, author, message.RefUpdate(project, benchRef, message.RefMove{New: tip, Nonce: 2}))
	var reads int
	b.ResetTimer()
	for range b.N {
		effects, refusal, err := chain.Begin(view, block).Apply(update)
		if refusal != nil || err != nil {
			b.Fatal(refusal, err)
		}
		reads = effects.Reads
	}
	b.ReportMetric(float64(reads), "reads/op")
}
