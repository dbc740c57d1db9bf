package comet

import (
	"fmt"

	"github.com/cometbft/cometbft/types"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/merkle"
	"makechain/internal/validators"
	"makechain/message"
)

const (
	// blockVersion is the version of the block format of the API (P11.1).
	blockVersion = 6
	// onlyShard is the index of the one shard there is.
	onlyShard = 0
)

// Block is a block as the API answers it (P11.1), or nil when it is not there or not yet executed.
func (e *Engine) Block(number uint64) (answer *pb.GetBlockResponse, err error) {
	defer e.answered(&err)
	if number == 0 {
		return e.genesisBlock(), nil
	}
	block := e.loadBlock(number)
	if block == nil {
		return nil, nil
	}
	signed, err := e.loadSigned(number)
	if signed == nil || err != nil {
		return nil, err
	}
	root := e.loadRoot(number)
	if root == nil {
		return nil, nil
	}
	messages, _ := validators.Split(block.Txs.ToSliceOfBytes())
	content, err := readContent(number, messages)
	if err != nil {
		return nil, err
	}
	finalization, err := signed.header.ToProto().Marshal()
	if err != nil {
		return nil, fmt.Errorf("header of block %d: %w", number, err)
	}
	head := &head{
		number:       number,
		time:         uint64(block.Time.Unix()),
		network:      e.genesis.Network,
		hash:         signed.id.Hash,
		parent:       blockHash(block.LastBlockID.Hash),
		root:         root,
		transactions: block.DataHash,
		signatures:   signatures(signed),
		finalization: finalization,
	}
	return head.answer(content), nil
}

// genesisBlock is block 0 (P11.3). CometBFT has none, so its hash is zero like the parent of block 1.
func (e *Engine) genesisBlock() *pb.GetBlockResponse {
	root := merkle.EmptyRoot()
	head := &head{
		time:         uint64(e.genesis.Time.Unix()),
		network:      e.genesis.Network,
		hash:         blockHash(nil),
		parent:       blockHash(nil),
		root:         root[:],
		transactions: types.Txs{}.Hash(),
	}
	return head.answer(&content{})
}

// blockHash writes the empty hash of no block as zeros, so that it is as long as any other.
func blockHash(hash []byte) []byte {
	if len(hash) == 0 {
		return make([]byte, ident.HashSize)
	}
	return hash
}

// signatures are those on the block itself. The votes for no block that a commit may hold do not count.
func signatures(signed *signedHeader) []*pb.CommitSignature {
	var list []*pb.CommitSignature
	for i, vote := range signed.header.Commit.Signatures {
		_, validator := signed.validators.GetByIndex(int32(i))
		if vote.BlockIDFlag == types.BlockIDFlagCommit && validator != nil {
			list = append(list, &pb.CommitSignature{Signer: validator.PubKey.Bytes(), Signature: vote.Signature})
		}
	}
	return list
}

// content is the messages of a block: those of accounts, then those of each project.
type content struct {
	accounts []*pb.Message
	projects []*pb.ProjectMessages
}

// readContent sorts the messages of a block, which are in order (P6.1), and gives each its position.
func readContent(number uint64, transactions [][]byte) (*content, error) {
	sorted := new(content)
	var project ident.Hash
	for i, tx := range transactions {
		envelope, refusal := message.Decode(tx)
		if refusal != nil {
			return nil, fmt.Errorf("transaction %d of block %d is no message: %w", i, number, refusal)
		}
		m := envelope.Proto()
		m.BlockNumber, m.Index = number, uint32(i)
		of, isProject := envelope.Project()
		if !isProject {
			sorted.accounts = append(sorted.accounts, m)
			continue
		}
		if len(sorted.projects) == 0 || of != project {
			project = of
			sorted.projects = append(sorted.projects, &pb.ProjectMessages{ProjectId: of[:]})
		}
		group := sorted.projects[len(sorted.projects)-1]
		group.Messages = append(group.Messages, m)
	}
	return sorted, nil
}

// head is all of a block but its messages.
type head struct {
	number, time                     uint64
	network                          pb.Network
	hash, parent, root, transactions []byte
	signatures                       []*pb.CommitSignature
	finalization                     []byte
}

// answer writes the block. There is one shard: its chunk repeats what the header says and holds the project
// messages, and the witness names it.
func (h *head) answer(content *content) *pb.GetBlockResponse {
	height := &pb.Height{ShardIndex: onlyShard, BlockNumber: h.number}
	commits := &pb.Commits{Height: height, Value: h.hash, Signatures: h.signatures}
	chunk := &pb.ShardChunk{
		Header:  &pb.ShardHeader{Height: height, Timestamp: h.time, ParentHash: h.parent, ShardRoot: h.root},
		Hash:    h.hash,
		Commits: commits,
	}
	for _, group := range content.projects {
		chunk.Txns = append(chunk.Txns, &pb.ProjectTransaction{ProjectId: group.GetProjectId(), UserMessages: group.GetMessages()})
	}
	return &pb.GetBlockResponse{
		Block: &pb.Block{
			Header: &pb.BlockHeader{
				Height:           height,
				Timestamp:        h.time,
				Version:          blockVersion,
				ChainId:          h.network,
				ParentHash:       h.parent,
				StateRoot:        h.root,
				TransactionsRoot: h.transactions,
			},
			Hash:                  h.hash,
			Witness:               &pb.ShardWitness{ShardRefs: []*pb.ShardChunkRef{{Height: height, ShardRoot: h.root, ShardHash: h.hash}}},
			Commits:               commits,
			Chunks:                []*pb.ShardChunk{chunk},
			ConsensusFinalization: h.finalization,
		},
		ExecutionPayload: &pb.ExecutionPayload{
			Digest:          h.transactions,
			AccountMessages: content.accounts,
			ProjectMessages: content.projects,
			Timestamp:       h.time,
			BlockNumber:     h.number,
			ParentHash:      h.parent,
			ChainId:         uint32(h.network),
			Version:         blockVersion,
		},
	}
}
