package faults_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cometbft/cometbft/blocksync"
	"github.com/cometbft/cometbft/consensus"
	"github.com/cometbft/cometbft/evidence"
	"github.com/cometbft/cometbft/mempool"
	blocksyncpb "github.com/cometbft/cometbft/proto/tendermint/blocksync"
	consensuspb "github.com/cometbft/cometbft/proto/tendermint/consensus"
	bitspb "github.com/cometbft/cometbft/proto/tendermint/libs/bits"
	mempoolpb "github.com/cometbft/cometbft/proto/tendermint/mempool"
	statesyncpb "github.com/cometbft/cometbft/proto/tendermint/statesync"
	typespb "github.com/cometbft/cometbft/proto/tendermint/types"
	"github.com/cometbft/cometbft/statesync"

	"makechain/internal/comet/comettest"
	"makechain/internal/node/nodetest"
	"makechain/message"
)

const (
	// garbageCount is the number of random messages per channel, and maxGarbage their maximum size.
	garbageCount, maxGarbage = 5, 4 << 10
	// oversized is more than the maximum size of consensus messages and transactions.
	oversized = 4 << 20
	// mutantCount is the number of mutated copies of a valid transaction.
	mutantCount = 40
)

// attack is a message that no correct peer sends.
type attack struct {
	name    string
	channel byte
	payload []byte
	endless bool // without the end-of-message flag
}

// attacks returns all attacks in random order.
func attacks(t *testing.T, random *rand.Rand) []attack {
	t.Helper()
	all := append(absurdMessages(t), transactions(t, random)...)
	for _, channel := range comettest.Channels() {
		for i := range garbageCount {
			all = append(all, attack{name: fmt.Sprintf("garbage on %#x", channel), channel: channel, payload: garbage(random, i)})
		}
	}
	for _, channel := range []byte{consensus.DataChannel, mempool.MempoolChannel} {
		all = append(all, attack{name: fmt.Sprintf("endless message on %#x", channel), channel: channel, payload: make([]byte, oversized), endless: true})
	}
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// garbage returns random bytes, or none if i is 0.
func garbage(random *rand.Rand, i int) []byte {
	bytes := make([]byte, min(i, 1)*random.IntN(maxGarbage))
	for i := range bytes {
		bytes[i] = byte(random.Uint32())
	}
	return bytes
}

// encodable is a message of CometBFT.
type encodable interface{ Marshal() ([]byte, error) }

// absurdMessages returns well-formed messages with absurd values.
func absurdMessages(t *testing.T) []attack {
	t.Helper()
	bits := bitspb.BitArray{Bits: math.MaxInt64}
	few := bitspb.BitArray{Bits: 1 << 20, Elems: []uint64{math.MaxUint64}}
	parts := typespb.PartSetHeader{Total: math.MaxUint32, Hash: make([]byte, 32)}
	block := typespb.BlockID{Hash: make([]byte, 32), PartSetHeader: parts}
	var all []attack
	add := func(channel byte, m encodable) {
		payload, err := m.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, attack{name: fmt.Sprintf("%v", m), channel: channel, payload: payload})
	}
	state := func(m *consensuspb.Message) { add(consensus.StateChannel, m) }
	for _, height := range []int64{math.MinInt64, 0, 1, math.MaxInt64} {
		state(&consensuspb.Message{Sum: &consensuspb.Message_NewRoundStep{NewRoundStep: &consensuspb.NewRoundStep{Height: height, Round: math.MaxInt32, Step: 1}}})
		state(&consensuspb.Message{Sum: &consensuspb.Message_HasVote{HasVote: &consensuspb.HasVote{Height: height, Type: 1, Index: math.MaxInt32}}})
		state(&consensuspb.Message{Sum: &consensuspb.Message_VoteSetMaj23{VoteSetMaj23: &consensuspb.VoteSetMaj23{Height: height, Type: 1, BlockID: block}}})
		for _, array := range []bitspb.BitArray{bits, few} {
			state(&consensuspb.Message{Sum: &consensuspb.Message_NewValidBlock{NewValidBlock: &consensuspb.NewValidBlock{
				Height: height, BlockPartSetHeader: parts, BlockParts: &array,
			}}})
			add(consensus.DataChannel, &consensuspb.Message{Sum: &consensuspb.Message_ProposalPol{ProposalPol: &consensuspb.ProposalPOL{Height: height, ProposalPol: array}}})
			add(consensus.VoteSetBitsChannel, &consensuspb.Message{Sum: &consensuspb.Message_VoteSetBits{VoteSetBits: &consensuspb.VoteSetBits{Height: height, Type: 1, BlockID: block, Votes: array}}})
		}
		add(consensus.DataChannel, &consensuspb.Message{Sum: &consensuspb.Message_Proposal{Proposal: &consensuspb.Proposal{Proposal: typespb.Proposal{Type: typespb.ProposalType, Height: height, BlockID: block, Signature: make([]byte, 64)}}}})
		add(consensus.DataChannel, &consensuspb.Message{Sum: &consensuspb.Message_BlockPart{BlockPart: &consensuspb.BlockPart{Height: height, Part: typespb.Part{Index: math.MaxUint32}}}})
		add(consensus.VoteChannel, &consensuspb.Message{Sum: &consensuspb.Message_Vote{Vote: &consensuspb.Vote{Vote: &typespb.Vote{Type: 1, Height: height, BlockID: block, ValidatorAddress: make([]byte, 20), ValidatorIndex: math.MaxInt32, Signature: make([]byte, 64)}}}})
		add(blocksync.BlocksyncChannel, &blocksyncpb.Message{Sum: &blocksyncpb.Message_BlockRequest{BlockRequest: &blocksyncpb.BlockRequest{Height: height}}})
		add(blocksync.BlocksyncChannel, &blocksyncpb.Message{Sum: &blocksyncpb.Message_StatusResponse{StatusResponse: &blocksyncpb.StatusResponse{Height: height, Base: 1}}})
		add(blocksync.BlocksyncChannel, &blocksyncpb.Message{Sum: &blocksyncpb.Message_NoBlockResponse{NoBlockResponse: &blocksyncpb.NoBlockResponse{Height: height}}})
		add(statesync.SnapshotChannel, &statesyncpb.Message{Sum: &statesyncpb.Message_SnapshotsResponse{SnapshotsResponse: &statesyncpb.SnapshotsResponse{Height: uint64(height), Format: math.MaxUint32, Chunks: math.MaxUint32, Hash: make([]byte, 32), Metadata: make([]byte, maxGarbage)}}})
		add(statesync.ChunkChannel, &statesyncpb.Message{Sum: &statesyncpb.Message_ChunkRequest{ChunkRequest: &statesyncpb.ChunkRequest{Height: uint64(height), Format: 1, Index: math.MaxUint32}}})
		add(statesync.ChunkChannel, &statesyncpb.Message{Sum: &statesyncpb.Message_ChunkResponse{ChunkResponse: &statesyncpb.ChunkResponse{Height: uint64(height), Format: 1, Index: math.MaxUint32, Chunk: make([]byte, maxGarbage)}}})
	}
	add(consensus.VoteChannel, &consensuspb.Message{Sum: &consensuspb.Message_Vote{Vote: &consensuspb.Vote{}}})
	add(blocksync.BlocksyncChannel, &blocksyncpb.Message{Sum: &blocksyncpb.Message_BlockResponse{BlockResponse: &blocksyncpb.BlockResponse{}}})
	add(blocksync.BlocksyncChannel, &blocksyncpb.Message{Sum: &blocksyncpb.Message_BlockResponse{BlockResponse: &blocksyncpb.BlockResponse{Block: &typespb.Block{}}}})
	add(evidence.EvidenceChannel, &typespb.EvidenceList{Evidence: []typespb.Evidence{{}}})
	add(evidence.EvidenceChannel, &typespb.EvidenceList{Evidence: []typespb.Evidence{{Sum: &typespb.Evidence_DuplicateVoteEvidence{DuplicateVoteEvidence: &typespb.DuplicateVoteEvidence{}}}}})
	return all
}

// transactions returns transactions that are truncated, mutated or too large.
func transactions(t *testing.T, random *rand.Rand) []attack {
	t.Helper()
	good := nodetest.NewAccount(t).AddKey().Transaction()
	sent := [][]byte{nil, {0}, make([]byte, message.MaxSize), make([]byte, message.MaxSize+1), good[:len(good)/2]}
	for range mutantCount {
		mutant := append([]byte(nil), good...)
		mutant[random.IntN(len(mutant))] ^= 1 << random.IntN(8)
		sent = append(sent, mutant)
	}
	var all []attack
	for i, tx := range sent {
		m := &mempoolpb.Message{Sum: &mempoolpb.Message_Txs{Txs: &mempoolpb.Txs{Txs: [][]byte{tx}}}}
		payload, err := m.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, attack{name: fmt.Sprintf("transaction %d", i), channel: mempool.MempoolChannel, payload: payload})
	}
	return all
}
