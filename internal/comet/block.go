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
	// onlyShard is the index of the only shard.
	onlyShard = 0
)

// Block returns a block for the API (P11.1), nil when it does not exist or was not executed yet.
func (e *Engine) Block(number uint64) (response *pb.GetBlockResponse, err error) {
	defer e.checkRead(&err)
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
	return head.response(content), nil
}

// genesisBlock returns block 0 (P11.3). CometBFT has none, so its hash is zero, like the parent of block 1.
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
	return head.response(&content{})
}

// blockHash replaces an empty hash by zeros.
func blockHash(hash []byte) []byte {
	if len(hash) == 0 {
		return make([]byte, ident.HashSize)
	}
	return hash
}

// signatures returns the signatures for the block. A commit may also contain votes for nil, which are left out.
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

// content has the messages of a block: those of accounts, then those of each project.
type content struct {
	accounts []*pb.Message
	projects []*pb.ProjectMessages
}

// readContent groups the messages of a block, which are ordered (P6.1), and sets their positions.
func readContent(number uint64, transactions [][]byte) (*content, error) {
	grouped := new(content)
	var project ident.Hash
	for i, tx := range transactions {
		envelope, refusal := message.Decode(tx)
		if refusal != nil {
			return nil, fmt.Errorf("transaction %d of block %d is not a message: %w", i, number, refusal)
		}
		m := envelope.Proto()
		m.BlockNumber, m.Index = number, uint32(i)
		of, isProject := envelope.Project()
		if !isProject {
			grouped.accounts = append(grouped.accounts, m)
			continue
		}
		if len(grouped.projects) == 0 || of != project {
			project = of
			grouped.projects = append(grouped.projects, &pb.ProjectMessages{ProjectId: of[:]})
		}
		group := grouped.projects[len(grouped.projects)-1]
		group.Messages = append(group.Messages, m)
	}
	return grouped, nil
}

// head has the fields of a block other than its messages.
type head struct {
	number, time                     uint64
	network                          pb.Network
	hash, parent, root, transactions []byte
	signatures                       []*pb.CommitSignature
	finalization                     []byte
}

// response returns the block for the API. There is one shard: its chunk repeats the header and contains the project messages,
// and the witness refers to it.
func (h *head) response(content *content) *pb.GetBlockResponse {
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
