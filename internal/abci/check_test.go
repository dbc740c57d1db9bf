package abci_test

import (
	"testing"

	cmt "github.com/cometbft/cometbft/abci/types"

	"makechain/internal/abci"
	"makechain/message"
)

// handedOver is a pool that a client hands a message to while a peer's copy of it is judged.
type handedOver struct {
	abci.Pool
	meanwhile func()
}

func (p handedOver) Gossip(tx []byte) (*message.Refusal, error) {
	p.meanwhile()
	return p.Pool.Gossip(tx)
}

// TestCheckTxBeside has a peer and a client send the same message at once. The engine, which has it from the peer, keeps
// it: the pool does, and the engine would not be told again.
//
// Rules: P10.2.
func TestCheckTxBeside(t *testing.T) {
	t.Parallel()
	n, a := newNode(t, 0), newAlice(t)
	n.propose(a.join()...)
	m := a.follow()
	config := n.Config
	config.Pool = handedOver{n.pool, func() {
		if refusal, err := n.pool.Submit(t.Context(), m); refusal != nil || err != nil {
			t.Errorf("%v, %v", refusal, err)
		}
	}}
	app := abci.New(config)
	if got := call(t, app.CheckTx, &cmt.RequestCheckTx{Tx: m.Transaction()}); got.Code != cmt.CodeTypeOK {
		t.Errorf("a message that waits is answered with %v", got)
	}
}
