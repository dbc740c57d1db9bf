package mempool

import (
	"slices"

	pb "makechain/gen/makechain"
	"makechain/internal/index"
	"makechain/message"
)

// authorize checks that m may act for the account, without the session: anybody can name an account, and only its keys may
// cause its pending messages to be applied again. A message that only the pending messages can authorize passes; one that
// is committed does not, since everybody has it. s.mu must be held.
func (s *sender) authorize(m *message.Envelope, latest Snapshot) (refusal *message.Refusal, err error) {
	at, committed, err := index.NewReader(latest).Position(m.Hash)
	switch {
	case err != nil:
		return nil, err
	case committed:
		return alreadyCommitted(m, at.Height), nil
	}
	if _, needsSigner := m.RequiredScope(); needsSigner {
		refusal, err = s.pool.ledger.CheckSigner(latest, m)
		if err != nil || refusal == nil || s.isAdding(m.Signer) {
			return nil, err
		}
		return refusal, nil
	}
	// The body contains its own authorization, for which pending messages matter only if they change the keys as well.
	s.spent += applyCost(m, 0)
	_, refusal, err = s.pool.ledger.Begin(latest, nextBlock(latest, s.pool.config.Now())).Apply(m)
	if err != nil || refusal == nil || refusal.Code != message.CodeBadCustodySignature && changesKeys(m) && s.isChangingKeys() {
		return nil, err
	}
	return refusal, nil
}

// changesKeys reports whether m is signed by a custody key of the account, and may change which keys the account has.
func changesKeys(m *message.Envelope) bool {
	_, needsSigner := m.RequiredScope()
	return !needsSigner && m.Type() != pb.MessageType_MESSAGE_TYPE_STORAGE_CLAIM
}

// isChangingKeys reports whether a pending message of the account changes its keys.
func (s *sender) isChangingKeys() bool {
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	return s.keys > 0
}

// isAdding reports whether a pending message of the account registers a key.
func (s *sender) isAdding(key message.PublicKey) bool {
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	return s.keys > 0 && slices.ContainsFunc(s.entries(), func(e *entry) bool {
		return string(e.Data.GetSignerAdd().GetKey()) == string(key[:])
	})
}
