package faults_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"

	abci "github.com/cometbft/cometbft/abci/types"
	"github.com/cometbft/cometbft/privval"
	"github.com/cometbft/cometbft/types"

	"makechain/internal/comet"
)

const (
	// wrongRoot is the log text of a node that receives a block with a wrong app hash.
	wrongRoot = "wrong Block.Header.AppHash"
	// forgedSuffix is the suffix of the copy of a home that a byzantine node uses.
	forgedSuffix = ".forged"
)

// wrongRootProposer wraps an application. It changes the app hash of a block when its node is the next proposer, because that
// app hash is in the header of the next block.
type wrongRootProposer struct {
	comet.Application

	own          types.Address
	validators   *types.ValidatorSet // of genesis
	lastProposal int64               // height of the latest proposal that the node saw
}

func newWrongRootProposer(home string) (*wrongRootProposer, error) {
	document, err := types.GenesisDocFromFile(filepath.Join(home, genesisName))
	if err != nil {
		return nil, err
	}
	key := privval.LoadFilePVEmptyState(filepath.Join(home, validatorKey), "")
	validators := make([]*types.Validator, len(document.Validators))
	for i, v := range document.Validators {
		validators[i] = types.NewValidator(v.PubKey, v.Power)
	}
	return &wrongRootProposer{own: key.GetAddress(), validators: types.NewValidatorSet(validators)}, nil
}

func (f *wrongRootProposer) wrap(app comet.Application) comet.Application {
	f.Application = app
	return f
}

func (f *wrongRootProposer) PrepareProposal(ctx context.Context, r *abci.RequestPrepareProposal) (*abci.ResponsePrepareProposal, error) {
	f.lastProposal = r.Height
	return f.Application.PrepareProposal(ctx, r)
}

func (f *wrongRootProposer) ProcessProposal(ctx context.Context, r *abci.RequestProcessProposal) (*abci.ResponseProcessProposal, error) {
	f.lastProposal = r.Height
	return f.Application.ProcessProposal(ctx, r)
}

func (f *wrongRootProposer) FinalizeBlock(ctx context.Context, r *abci.RequestFinalizeBlock) (*abci.ResponseFinalizeBlock, error) {
	response, err := f.Application.FinalizeBlock(ctx, r)
	if err != nil || f.lastProposal != r.Height { // in block sync the node does not propose
		return response, err
	}
	next := f.validators.CopyIncrementProposerPriority(int32(r.Height)).GetProposer()
	if bytes.Equal(next.Address, f.own) {
		response.AppHash = bytes.Clone(response.AppHash)
		response.AppHash[0] ^= 1
	}
	return response, nil
}

// forge makes a validator propose a wrong app hash. The others refuse it and continue, and the node exits, because it can neither
// follow them nor continue alone. CometBFT has stored the wrong app hash, so the node runs in a copy of its home; but its sign
// state must be kept.
func (n *network) forge(validator int) ongoing {
	n.t.Helper()
	n.kill(validator)
	role := &n.nodes[validator].role
	home := role.Home
	role.Home, role.Byzantine = home+forgedSuffix, wrongRootsFault
	n.must(os.CopyFS(role.Home, os.DirFS(home)))
	n.start(validator)
	observer := (validator + 1) % n.validators
	before := n.logCount(observer, wrongRoot)
	return ongoing{
		took: func() bool { return n.logCount(observer, wrongRoot) > before && n.hasEnded(validator) },
		undo: func() {
			n.overwrite(home, validatorState, n.file(role.Home, validatorState))
			n.must(os.RemoveAll(role.Home))
			role.Home, role.Byzantine = home, ""
			n.start(validator)
		},
	}
}
