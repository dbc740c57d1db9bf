package simtest

import (
	"bytes"
	"slices"

	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/ledgertest"
	"makechain/internal/schema"
	"makechain/message"
)

// replaysPerBlock is the number of past messages that are replayed after each block.
const replaysPerBlock = 25

// checkRefusals applies candidates one by one and checks that a refused message changes no row (I10).
func (s *sim) checkRefusals(candidates []*message.Envelope) {
	s.Helper()
	session := s.ledger.Begin(s.rows, s.block)
	before := session.Changes()
	for _, m := range ledger.Ordered(candidates) {
		_, refusal, err := session.Apply(m)
		if err != nil {
			s.Fatalf("apply %s: %v", m.Type(), err)
		}
		after := session.Changes()
		if refusal != nil {
			s.stats.refused[refusal.Code]++
			if !slices.EqualFunc(before, after, sameChange) {
				s.Fatalf("I10: %s was refused (%v) but changed rows", m.Type(), refusal)
			}
		} else if slices.EqualFunc(before, after, sameChange) {
			s.Fatalf("P6.2: %s applied but changed nothing", m.Type())
		}
		before = after
	}
}

func sameChange(a, b schema.Change) bool {
	return bytes.Equal(a.Key, b.Key) && bytes.Equal(a.Value, b.Value) && (a.Value == nil) == (b.Value == nil) && a.Existed == b.Existed
}

// sample returns random messages that applied.
func (s *sim) sample(n int) []*message.Envelope {
	var chosen []*message.Envelope
	for range min(n, len(s.history)) {
		chosen = append(chosen, pick(s, s.history))
	}
	return chosen
}

// reusedNames returns all messages about refs and usernames, whose names can be used again.
func (s *sim) reusedNames() []*message.Envelope {
	var chosen []*message.Envelope
	for _, m := range s.history {
		switch m.Type() {
		case pb.MessageType_MESSAGE_TYPE_REF_UPDATE, pb.MessageType_MESSAGE_TYPE_REF_DELETE,
			pb.MessageType_MESSAGE_TYPE_USERNAME_CREATE, pb.MessageType_MESSAGE_TYPE_USERNAME_UPDATE:
			chosen = append(chosen, m)
		}
	}
	return chosen
}

// checkReplays checks that past messages are refused by a session that has only the rows (I2), at the current time. Where the
// protection does not depend on the limits on timestamps, they must be refused at the time of the message too.
func (s *sim) checkReplays(messages []*message.Envelope) {
	s.Helper()
	for _, m := range messages {
		s.stats.replayed++
		original := ledger.Block{Height: s.block.Height, Time: uint64(m.Data.GetTimestamp())}
		blocks := []ledger.Block{s.block, original}
		if guardedByTime(m) && original.Time+ledger.GuardPeriod < s.block.Time {
			blocks = blocks[:1] // its tombstone may have been dropped
		}
		for _, block := range blocks {
			_, refusal, err := s.ledger.Begin(s.rows, block).Apply(m)
			if err != nil {
				s.Fatalf("replay %s: %v", m.Type(), err)
			}
			if refusal == nil {
				s.Fatalf("I2: %s %s of time %d applied again before block %d at time %d: %v",
					m.Type(), m.Hash, m.Data.GetTimestamp(), block.Height, block.Time, m.Data)
			}
		}
	}
}

// guardedByTime reports whether a replay of the message is refused by a tombstone or a prune marker for 600 s, and then
// because it is too late.
func guardedByTime(m *message.Envelope) bool {
	return m.TimeSensitive() && addedKey(m) != nil || m.Type() == pb.MessageType_MESSAGE_TYPE_REF_UPDATE || m.Type() == pb.MessageType_MESSAGE_TYPE_REF_DELETE
}

// checkCustody compares nonces and custody keys with the previous block (I5).
func (s *sim) checkCustody(before *ledgertest.Rows, result *ledger.Result) {
	s.Helper()
	operations := map[ident.Address]uint64{}
	for _, applied := range result.Applied {
		switch applied.Message.Type() {
		case pb.MessageType_MESSAGE_TYPE_SIGNER_ADD, pb.MessageType_MESSAGE_TYPE_SIGNER_REMOVE,
			pb.MessageType_MESSAGE_TYPE_KEYCHAIN_AUTHORIZE, pb.MessageType_MESSAGE_TYPE_KEYCHAIN_REVOKE:
			operations[applied.Message.Owner]++
		}
	}
	for _, c := range result.Changes {
		switch schema.Prefix(c.Key[0]) {
		case schema.PrefixAccount:
			s.checkNonce(before, c, operations)
		case schema.PrefixKey:
			s.checkCustodyKey(before, c)
		}
	}
	for owner := range operations {
		s.Errorf("I5: the custody operations of account %s left no account row", owner)
	}
}

// checkNonce checks that a nonce increased by the number of custody operations of the account.
func (s *sim) checkNonce(before *ledgertest.Rows, c schema.Change, operations map[ident.Address]uint64) {
	s.Helper()
	owner := ident.Address(c.Key[1:])
	var old, now pb.AccountRow
	s.decode(before, c, &old, &now)
	if got, want := now.GetCustodyNonce(), old.GetCustodyNonce()+operations[owner]; got != want {
		s.Fatalf("I5: custody_nonce of account %s is %d after block %d, want %d", owner, got, s.block.Height, want)
	}
	delete(operations, owner)
}

// checkCustodyKey checks that a custody key only changes from active to revoked.
func (s *sim) checkCustodyKey(before *ledgertest.Rows, c schema.Change) {
	s.Helper()
	parsed, err := schema.ParseKey(c.Key)
	if err != nil {
		s.Fatal(err)
	}
	if parsed.Tag != schema.FamilyCustody || !c.Existed {
		return
	}
	var old, now pb.CustodyKeyRow
	s.decode(before, c, &old, &now)
	const active, revoked = pb.CustodyKeyStatus_CUSTODY_KEY_STATUS_ACTIVE, pb.CustodyKeyStatus_CUSTODY_KEY_STATUS_REVOKED
	if old.GetStatus() != active || now.GetStatus() != revoked || !bytes.Equal(old.GetPublicKey(), now.GetPublicKey()) {
		s.Fatalf("I5: custody key %s of account %s changed from %v to %v", parsed.KeyID, parsed.Owner, &old, &now)
	}
}

// checkSwap applies the block with two of its project groups swapped and checks that the changes are the same (I8). Merge
// requests are the exception: they read refs of the source project, and are counted per requester over all projects.
func (s *sim) checkSwap(block []*message.Envelope, want []schema.Change) {
	s.Helper()
	groups := projectGroups(block)
	if len(groups) < 3 { // the account messages and two more
		return
	}
	i := 1 + s.rng.IntN(len(groups)-2)
	j := i + 1 + s.rng.IntN(len(groups)-1-i)
	for k := i; k < j; k++ {
		if dependent(groups[k], groups[j]) || dependent(groups[i], groups[k+1]) {
			return
		}
	}
	groups[i], groups[j] = groups[j], groups[i]
	session := s.ledger.Begin(s.rows, s.block)
	for _, m := range slices.Concat(groups...) {
		if _, refusal, err := session.Apply(m); refusal != nil || err != nil {
			s.Fatalf("I8: with groups %d and %d of block %d swapped, %s is refused: %v %v", i, j, s.block.Height, m.Type(), refusal, err)
		}
	}
	if err := session.Sweep(); err != nil {
		s.Fatal(err)
	}
	if !slices.EqualFunc(session.Changes(), want, sameChange) {
		s.Fatalf("I8: with groups %d and %d of block %d swapped, the state differs", i, j, s.block.Height)
	}
	s.stats.swapped++
}

// projectGroups splits a block into its account messages and the messages of each project.
func projectGroups(block []*message.Envelope) [][]*message.Envelope {
	groups := [][]*message.Envelope{nil}
	var last ident.Hash
	for _, m := range block {
		if project, ok := m.Project(); ok && project != last {
			last = project
			groups = append(groups, nil)
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], m)
	}
	return groups
}

// dependent reports whether two project groups depend on each other through a merge request.
func dependent(a, b []*message.Envelope) bool {
	return changesRequests(a) && changesRequests(b) || hasSourceIn(a, b) || hasSourceIn(b, a)
}

func changesRequests(group []*message.Envelope) bool {
	return slices.ContainsFunc(group, func(m *message.Envelope) bool {
		return m.Type() == pb.MessageType_MESSAGE_TYPE_MERGE_REQUEST_ADD || m.Type() == pb.MessageType_MESSAGE_TYPE_MERGE_REQUEST_REMOVE
	})
}

// hasSourceIn reports whether a merge request in one group has its source in the other.
func hasSourceIn(group, source []*message.Envelope) bool {
	project, _ := source[0].Project()
	return slices.ContainsFunc(group, func(m *message.Envelope) bool {
		return bytes.Equal(m.Data.GetMergeRequestAdd().GetSourceProjectId(), project[:])
	})
}

// decode decodes the old and the new value of a changed row.
func (s *sim) decode(before *ledgertest.Rows, c schema.Change, old, now proto.Message) {
	s.Helper()
	if _, err := before.Load(c.Key, old); err != nil {
		s.Fatal(err)
	}
	if err := schema.Decode(c.Value, now); err != nil {
		s.Fatal(err)
	}
}
