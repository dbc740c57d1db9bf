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
	// wrongRoot is what a node writes when it is asked to agree to a block with another root than its own.
	wrongRoot = "wrong Block.Header.AppHash"
	// forgedName is where a home is copied to for a node to spoil.
	forgedName = ".forged"
)

// forger stands before an honest application. It forges the root after a block when its node is the next to propose,
// because the root after one block stands in the header of the next.
type forger struct {
	comet.Application

	own        types.Address
	validators *types.ValidatorSet // those of genesis, which take turns
	judged     int64               // the latest block that the node had a say in
}

func newForger(home string) (*forger, error) {
	document, err := types.GenesisDocFromFile(filepath.Join(home, genesisName))
	if err != nil {
		return nil, err
	}
	key := privval.LoadFilePVEmptyState(filepath.Join(home, validatorKey), "")
	validators := make([]*types.Validator, len(document.Validators))
	for i, v := range document.Validators {
		validators[i] = types.NewValidator(v.PubKey, v.Power)
	}
	return &forger{own: key.GetAddress(), validators: types.NewValidatorSet(validators)}, nil
}

func (f *forger) pretend(app comet.Application) comet.Application {
	f.Application = app
	return f
}

func (f *forger) PrepareProposal(ctx context.Context, r *abci.RequestPrepareProposal) (*abci.ResponsePrepareProposal, error) {
	f.judged = r.Height
	return f.Application.PrepareProposal(ctx, r)
}

func (f *forger) ProcessProposal(ctx context.Context, r *abci.RequestProcessProposal) (*abci.ResponseProcessProposal, error) {
	f.judged = r.Height
	return f.Application.ProcessProposal(ctx, r)
}

func (f *forger) FinalizeBlock(ctx context.Context, r *abci.RequestFinalizeBlock) (*abci.ResponseFinalizeBlock, error) {
	answer, err := f.Application.FinalizeBlock(ctx, r)
	if err != nil || f.judged != r.Height { // the node is fetching blocks, and will not propose
		return answer, err
	}
	next := f.validators.CopyIncrementProposerPriority(int32(r.Height)).GetProposer()
	if bytes.Equal(next.Address, f.own) {
		answer.AppHash = bytes.Clone(answer.AppHash)
		answer.AppHash[0] ^= 1
	}
	return answer, nil
}

// forge has a validator propose a wrong root. Others refuse it and go on, and the node ends by itself, because it can
// neither follow them nor go on alone. Its engine has noted the wrong root for good, so it does all that in a copy of
// its home; but what it has signed it must remember.
func (n *network) forge(validator int) ongoing {
	n.t.Helper()
	n.kill(validator)
	role := &n.nodes[validator].role
	home := role.Home
	role.Home, role.Lies = home+forgedName, aboutRoots
	n.must(os.CopyFS(role.Home, os.DirFS(home)))
	n.start(validator)
	witness := (validator + 1) % n.validators
	before := n.wrote(witness, wrongRoot)
	return ongoing{
		took: func() bool { return n.wrote(witness, wrongRoot) > before && n.hasEnded(validator) },
		undo: func() {
			n.overwrite(home, validatorState, n.file(role.Home, validatorState))
			n.must(os.RemoveAll(role.Home))
			role.Home, role.Lies = home, ""
			n.start(validator)
		},
	}
}
