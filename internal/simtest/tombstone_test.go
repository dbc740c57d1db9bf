package simtest

import (
	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/schema"
	"makechain/message"
)

// checkTombstones checks that every removed or pruned entry had been added (I4). There are then at most as many tombstones
// as added entries, because each belongs to another entry.
func (s *sim) checkTombstones(result *ledger.Result) {
	s.Helper()
	for _, applied := range result.Applied {
		if key := addedKey(applied.Message); key != nil {
			s.added[string(key)] = true
		}
	}
	for _, c := range result.Changes {
		p := schema.Prefix(c.Key[0])
		if p != schema.PrefixTombstone && p != schema.PrefixPruneMarker || c.Value == nil {
			continue
		}
		if !s.added[string(c.Key[1:])] {
			s.Fatalf("I4: block %d removes row %x, which was never added", s.block.Height, c.Key[1:])
		}
	}
}

// addedKey returns the key of the entry that a message adds and that can be removed, nil for other messages.
func addedKey(m *message.Envelope) []byte {
	switch b := m.Data.GetBody().(type) {
	case *pb.MessageData_VerificationAdd:
		return schema.VerificationKey(m.Owner, b.VerificationAdd.GetAddress())
	case *pb.MessageData_LinkAdd:
		target := b.LinkAdd.GetTargetOwnerAddress()
		if b.LinkAdd.GetLinkType() == pb.LinkType_LINK_TYPE_STAR {
			target = b.LinkAdd.GetTargetProjectId()
		}
		return schema.LinkKey(m.Owner, byte(b.LinkAdd.GetLinkType()), target)
	case *pb.MessageData_ReactionAdd:
		return schema.ReactionKey(m.Owner, byte(b.ReactionAdd.GetReactionType()),
			ident.Hash(b.ReactionAdd.GetTargetProjectId()), ident.Hash(b.ReactionAdd.GetTargetCommitHash()))
	case *pb.MessageData_CollaboratorAdd:
		return schema.CollaboratorKey(ident.Hash(b.CollaboratorAdd.GetProjectId()), ident.Address(b.CollaboratorAdd.GetTargetOwnerAddress()))
	case *pb.MessageData_MergeRequestAdd:
		return schema.MergeRequestKey(ident.Hash(b.MergeRequestAdd.GetProjectId()), m.Hash)
	case *pb.MessageData_RefUpdate:
		return schema.RefKey(ident.Hash(b.RefUpdate.GetProjectId()), b.RefUpdate.GetRefName())
	default:
		return nil
	}
}
