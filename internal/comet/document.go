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

// errTwoTongues refuses a genesis file that was edited in one place only.
var errGenesisMismatch = errors.New("app_state and the rest of the genesis file do not say the same")

// newDocument is the engine's genesis document. It follows from the genesis, which it carries whole as the
// application's state.
func newDocument(g *genesis.Genesis) (*types.GenesisDoc, error) {
	appState, err := genesis.Encode(g)
	if err != nil {
		return nil, err
	}
	params := types.DefaultConsensusParams()
	params.Block.MaxBytes = g.Consensus.MaxBlockBytes
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

// parseDocument reads a genesis file and makes sure that both parts of it say the same.
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

// sameDocument compares all but the spacing of the application's state.
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
