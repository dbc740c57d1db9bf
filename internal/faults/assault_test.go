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

	"makechain/internal/node/nodetest"
	"makechain/message"
)

const (
	// garbages is how many messages of random bytes each channel gets, and longestGarbage how long they are at most.
	garbages, longestGarbage = 5, 4 << 10
	// tooLong is more than the largest message of consensus and of transactions.
	tooLong = 4 << 20
	// mutants is how many changed copies of a good transaction are sent.
	mutants = 40
)

// assault is a message that no honest peer sends.
type assault struct {
	name    string
	channel byte
	payload []byte
	endless bool // it never says where it ends
}

// channels are those that a node listens to.
func channels() []byte {
	return []byte{
		consensus.StateChannel, consensus.DataChannel, consensus.VoteChannel, consensus.VoteSetBitsChannel, mempool.MempoolChannel,
		evidence.EvidenceChannel, blocksync.BlocksyncChannel, statesync.SnapshotChannel, statesync.ChunkChannel,
	}
}

// assaults are all there are.
func assaults(t *testing.T, random *rand.Rand) []assault {
	t.Helper()
	all := append(absurdities(t), transactions(t, random)...)
	for _, channel := range channels() {
		for i := range garbages {
			all = append(all, assault{name: fmt.Sprintf("garbage on %#x", channel), channel: channel, payload: garbage(random, i)})
		}
	}
	for _, channel := range []byte{consensus.DataChannel, mempool.MempoolChannel} {
		all = append(all, assault{name: fmt.Sprintf("no end on %#x", channel), channel: channel, payload: make([]byte, tooLong), endless: true})
	}
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// garbage is random bytes, and none of them the first time.
func garbage(random *rand.Rand, i int) []byte {
	bytes := make([]byte, min(i, 1)*random.IntN(longestGarbage))
	for i := range bytes {
		bytes[i] = byte(random.Uint32())
	}
	return bytes
}

// encodable is a message of the engine.
type encodable interface{ Marshal() ([]byte, error) }

// absurdities are messages that can be read and make no sense.
func absurdities(t *testing.T) []assault {
	t.Helper()
	bits := bitspb.BitArray{Bits: math.MaxInt64}
	few := bitspb.BitArray{Bits: 1 << 20, Elems: []uint64{math.MaxUint64}}
	parts := typespb.PartSetHeader{Total: math.MaxUint32, Hash: make([]byte, 32)}
	block := typespb.BlockID{Hash: make([]byte, 32), PartSetHeader: parts}
	var all []assault
	add := func(channel byte, m encodable) {
		payload, err := m.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, assault{name: fmt.Sprintf("%v", m), channel: channel, payload: payload})
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
		add(statesync.SnapshotChannel, &statesyncpb.Message{Sum: &statesyncpb.Message_SnapshotsResponse{SnapshotsResponse: &statesyncpb.SnapshotsResponse{Height: uint64(height), Format: math.MaxUint32, Chunks: math.MaxUint32, Hash: make([]byte, 32), Metadata: make([]byte, longestGarbage)}}})
		add(statesync.ChunkChannel, &statesyncpb.Message{Sum: &statesyncpb.Message_ChunkRequest{ChunkRequest: &statesyncpb.ChunkRequest{Height: uint64(height), Format: 1, Index: math.MaxUint32}}})
		add(statesync.ChunkChannel, &statesyncpb.Message{Sum: &statesyncpb.Message_ChunkResponse{ChunkResponse: &statesyncpb.ChunkResponse{Height: uint64(height), Format: 1, Index: math.MaxUint32, Chunk: make([]byte, longestGarbage)}}})
	}
	add(consensus.VoteChannel, &consensuspb.Message{Sum: &consensuspb.Message_Vote{Vote: &consensuspb.Vote{}}})
	add(blocksync.BlocksyncChannel, &blocksyncpb.Message{Sum: &blocksyncpb.Message_BlockResponse{BlockResponse: &blocksyncpb.BlockResponse{}}})
	add(blocksync.BlocksyncChannel, &blocksyncpb.Message{Sum: &blocksyncpb.Message_BlockResponse{BlockResponse: &blocksyncpb.BlockResponse{Block: &typespb.Block{}}}})
	add(evidence.EvidenceChannel, &typespb.EvidenceList{Evidence: []typespb.Evidence{{}}})
	add(evidence.EvidenceChannel, &typespb.EvidenceList{Evidence: []typespb.Evidence{{Sum: &typespb.Evidence_DuplicateVoteEvidence{DuplicateVoteEvidence: &typespb.DuplicateVoteEvidence{}}}}})
	return all
}

// transactions are bytes that are almost messages, or far too many.
func transactions(t *testing.T, random *rand.Rand) []assault {
	t.Helper()
	good := nodetest.NewAccount(t).AddKey().Transaction()
	sent := [][]byte{nil, {0}, make([]byte, message.MaxSize), make([]byte, message.MaxSize+1), good[:len(good)/2]}
	for range mutants {
		mutant := append([]byte(nil), good...)
		mutant[random.IntN(len(mutant))] ^= 1 << random.IntN(8)
		sent = append(sent, mutant)
	}
	var all []assault
	for i, tx := range sent {
		m := &mempoolpb.Message{Sum: &mempoolpb.Message_Txs{Txs: &mempoolpb.Txs{Txs: [][]byte{tx}}}}
		payload, err := m.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, assault{name: fmt.Sprintf("transaction %d", i), channel: mempool.MempoolChannel, payload: payload})
	}
	return all
}
