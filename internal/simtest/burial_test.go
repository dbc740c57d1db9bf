package simtest

import (
	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/ledger"
	"makechain/internal/schema"
	"makechain/message"
)

// checkBurials needs everything that is removed or pruned to have been added once (I4). Tombstones are then no
// more than what was ever added, because each buries something else.
func (s *sim) checkBurials(result *ledger.Result) {
	s.Helper()
	for _, applied := range result.Applied {
		if key := added(applied.Message); key != nil {
			s.born[string(key)] = true
		}
	}
	for _, c := range result.Changes {
		p := schema.Prefix(c.Key[0])
		if p != schema.PrefixTombstone && p != schema.PrefixPruneMarker || c.Value == nil {
			continue
		}
		if !s.born[string(c.Key[1:])] {
			s.Fatalf("I4: block %d buries row %x, which never lived", s.block.Height, c.Key[1:])
		}
	}
}

// added is the row that a message makes and that can be buried, nil for other messages.
func added(m *message.Envelope) []byte {
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
