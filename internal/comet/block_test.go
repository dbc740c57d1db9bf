package comet_test

import (
	"bytes"
	"crypto/sha256"
	"testing"

	cmtproto "github.com/cometbft/cometbft/proto/tendermint/types"
	"github.com/cometbft/cometbft/types"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	pb "makechain/gen/makechain"
	"makechain/internal/comet"
	"makechain/message"
)

// TestBlock compares all fields of a block with messages of every phase with those of CometBFT.
//
// Rules: P11.1.
func TestBlock(t *testing.T) {
	t.Parallel()
	app := newMemoryApp()
	engine := start(t, testConfig(newHome(t)), app)
	awaitBlock(t, engine, 1)
	envelopes := []*message.Envelope{
		projectMessage(t, 2, 0), accountMessage(t, 0), projectMessage(t, 1, 0), accountMessage(t, 1), projectMessage(t, 2, 1),
	}
	number := submitTogether(t, engine, app, envelopes)
	block, parent := awaitBlock(t, engine, number), awaitBlock(t, engine, number-1)

	signed := decodeHeader(t, block)
	commit := signed.Commit
	height := &pb.Height{BlockNumber: number}
	hash, root := signed.Hash(), app.rootAfter(number)
	if !bytes.Equal(commit.BlockID.Hash, hash) || signed.Height != int64(number) {
		t.Fatalf("signatures on %v, header %v", commit.BlockID, signed.Header)
	}
	seconds := uint64(signed.Time.Unix())
	commits := &pb.Commits{Height: height, Value: hash, Signatures: []*pb.CommitSignature{
		{Signer: engine.Status().ValidatorKey, Signature: commit.Signatures[0].Signature},
	}}
	at := func(envelope, index int) *pb.Message {
		m := envelopes[envelope].Proto()
		m.BlockNumber, m.Index = number, uint32(index)
		return m
	}
	first, second := bytes.Repeat([]byte{1}, 32), bytes.Repeat([]byte{2}, 32)
	ofFirst, ofSecond := []*pb.Message{at(2, 2)}, []*pb.Message{at(0, 3), at(4, 4)}
	want := &pb.GetBlockResponse{
		Block: &pb.Block{
			Header: &pb.BlockHeader{
				Height: height, Timestamp: seconds, Version: 6, ChainId: network,
				ParentHash: parent.GetBlock().GetHash(), StateRoot: root, TransactionsRoot: signed.DataHash,
			},
			Hash:    hash,
			Witness: &pb.ShardWitness{ShardRefs: []*pb.ShardChunkRef{{Height: height, ShardRoot: root, ShardHash: hash}}},
			Commits: commits,
			Chunks: []*pb.ShardChunk{{
				Header:  &pb.ShardHeader{Height: height, Timestamp: seconds, ParentHash: parent.GetBlock().GetHash(), ShardRoot: root},
				Hash:    hash,
				Txns:    []*pb.ProjectTransaction{{ProjectId: first, UserMessages: ofFirst}, {ProjectId: second, UserMessages: ofSecond}},
				Commits: commits,
			}},
			ConsensusFinalization: block.GetBlock().GetConsensusFinalization(),
		},
		ExecutionPayload: &pb.ExecutionPayload{
			Digest:          signed.DataHash,
			AccountMessages: []*pb.Message{at(1, 0), at(3, 1)},
			ProjectMessages: []*pb.ProjectMessages{{ProjectId: first, Messages: ofFirst}, {ProjectId: second, Messages: ofSecond}},
			Timestamp:       seconds, BlockNumber: number, ParentHash: parent.GetBlock().GetHash(),
			ChainId: uint32(network), Version: 6,
		},
	}
	if diff := cmp.Diff(want, block, protocmp.Transform()); diff != "" {
		t.Errorf("block (-want +got):\n%s", diff)
	}
}

// submitTogether submits messages so that one block contains all of them, and returns its number.
func submitTogether(t *testing.T, engine *comet.Engine, app *memoryApp, envelopes []*message.Envelope) uint64 {
	t.Helper()
	app.mu.Lock()
	app.least = len(envelopes)
	app.mu.Unlock()
	for _, envelope := range envelopes {
		if err := engine.Submit(envelope.Transaction()); err != nil {
			t.Fatal(err)
		}
	}
	for number := uint64(2); ; number++ {
		awaitBlock(t, engine, number)
		transactions, err := engine.Transactions(number)
		if err != nil || len(transactions) == len(envelopes) {
			return number
		}
	}
}

func decodeHeader(t *testing.T, block *pb.GetBlockResponse) *types.SignedHeader {
	t.Helper()
	message := new(cmtproto.SignedHeader)
	if err := message.Unmarshal(block.GetBlock().GetConsensusFinalization()); err != nil {
		t.Fatal(err)
	}
	signed, err := types.SignedHeaderFromProto(message)
	if err != nil {
		t.Fatal(err)
	}
	return signed
}

// TestGenesisBlock checks that block 0 has no messages, a zero parent and the root of the empty tree, and is the parent of
// block 1.
//
// Rules: P11.3.
func TestGenesisBlock(t *testing.T) {
	t.Parallel()
	home := newHome(t)
	engine := start(t, testConfig(home), newMemoryApp())
	g, err := comet.Genesis(home)
	if err != nil {
		t.Fatal(err)
	}
	zero, empty := make([]byte, 32), sha256.Sum256(nil)
	height, seconds := &pb.Height{}, uint64(g.Time.Unix())
	commits := &pb.Commits{Height: height, Value: zero}
	want := &pb.GetBlockResponse{
		Block: &pb.Block{
			Header: &pb.BlockHeader{
				Height: height, Timestamp: seconds, Version: 6, ChainId: network,
				ParentHash: zero, StateRoot: empty[:], TransactionsRoot: empty[:],
			},
			Hash:    zero,
			Witness: &pb.ShardWitness{ShardRefs: []*pb.ShardChunkRef{{Height: height, ShardRoot: empty[:], ShardHash: zero}}},
			Commits: commits,
			Chunks: []*pb.ShardChunk{{
				Header: &pb.ShardHeader{Height: height, Timestamp: seconds, ParentHash: zero, ShardRoot: empty[:]},
				Hash:   zero, Commits: commits,
			}},
		},
		ExecutionPayload: &pb.ExecutionPayload{
			Digest: empty[:], Timestamp: seconds, ParentHash: zero, ChainId: uint32(network), Version: 6,
		},
	}
	block, err := engine.Block(0)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, block, protocmp.Transform()); diff != "" {
		t.Errorf("genesis (-want +got):\n%s", diff)
	}
	if parent := awaitBlock(t, engine, 1).GetBlock().GetHeader().GetParentHash(); !bytes.Equal(parent, zero) {
		t.Errorf("the first block has parent %x", parent)
	}
}

// TestFullBlock checks that the response for a block at the limit of P6.5 is smaller than the 4 MiB that clients accept.
//
// Rules: P6.5.
func TestFullBlock(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("fills a block")
	}
	app := newMemoryApp()
	engine := start(t, testConfig(newHome(t)), app)
	awaitBlock(t, engine, 1)
	var envelopes []*message.Envelope
	const limit = 3 << 19 // bytes
	for size := 0; ; {
		next := projectMessage(t, byte(len(envelopes)/500), len(envelopes))
		if size += len(next.Transaction()); size > limit {
			break
		}
		envelopes = append(envelopes, next)
	}
	number := submitTogether(t, engine, app, envelopes)
	block := awaitBlock(t, engine, number)
	if size := proto.Size(block); size >= 4<<20 {
		t.Errorf("the response for a full block of %d messages has %d bytes", len(envelopes), size)
	} else {
		t.Logf("the response for a full block of %d messages has %d bytes", len(envelopes), size)
	}
}
