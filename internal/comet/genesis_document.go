package comet

import (
	"bytes"
	"errors"
	"time"

	"github.com/cometbft/cometbft/crypto/ed25519"
	cmtjson "github.com/cometbft/cometbft/libs/json"
	"github.com/cometbft/cometbft/types"

	"makechain/internal/genesis"
)

// errGenesisMismatch is returned for a genesis file in which only one of the two parts was edited.
var errGenesisMismatch = errors.New("app_state contradicts the other fields of the genesis file")

// newDocument returns CometBFT's genesis document. All of it is derived from the genesis, which is also its app state.
func newDocument(g *genesis.Genesis) (*types.GenesisDoc, error) {
	appState, err := genesis.Encode(g)
	if err != nil {
		return nil, err
	}
	params := types.DefaultConsensusParams()
	params.Block.MaxBytes = g.Consensus.MaxBlockBytes
	params.Version.App = g.Params().Rules
	params.Evidence = types.EvidenceParams{
		MaxAgeNumBlocks: g.Consensus.EvidenceMaxAgeBlocks,
		MaxAgeDuration:  g.Consensus.EvidenceMaxAge,
		MaxBytes:        g.Consensus.MaxEvidenceBytes,
	}
	document := &types.GenesisDoc{
		GenesisTime:     g.Time,
		ChainID:         g.ChainID,
		InitialHeight:   1,
		ConsensusParams: params,
		AppState:        appState,
	}
	for _, validator := range g.Validators {
		key := ed25519.PubKey(validator.PublicKey[:])
		document.Validators = append(document.Validators, types.GenesisValidator{
			Address: key.Address(), PubKey: key, Power: validator.Power, Name: validator.Name,
		})
	}
	return document, document.ValidateAndComplete()
}

func encodeDocument(g *genesis.Genesis) ([]byte, error) {
	document, err := newDocument(g)
	if err != nil {
		return nil, err
	}
	return cmtjson.MarshalIndent(document, "", "  ")
}

// parseDocument decodes a genesis file and checks that its app state matches the other fields.
func parseDocument(encoded []byte) (*types.GenesisDoc, *genesis.Genesis, error) {
	document, err := types.GenesisDocFromJSON(encoded)
	if err != nil {
		return nil, nil, err
	}
	parsed, err := genesis.Parse(document.AppState)
	if err != nil {
		return nil, nil, err
	}
	expected, err := newDocument(parsed)
	if err != nil {
		return nil, nil, err
	}
	if !sameDocument(document, expected) {
		return nil, nil, errGenesisMismatch
	}
	return expected, parsed, nil
}

// sameDocument compares two documents without their app state.
func sameDocument(a, b *types.GenesisDoc) bool {
	plain := func(document types.GenesisDoc) ([]byte, error) {
		document.AppState = nil
		document.GenesisTime = document.GenesisTime.Round(0).In(time.UTC)
		return cmtjson.Marshal(&document)
	}
	left, errLeft := plain(*a)
	right, errRight := plain(*b)
	return errLeft == nil && errRight == nil && bytes.Equal(left, right)
}
