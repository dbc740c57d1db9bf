package ledger_test

import (
	pb "makechain/gen/makechain"
	"makechain/internal/ledgertest"
	"makechain/message"
)

const (
	inProject = message.ProjectPhase
	inAccount = message.AccountPhase
)

func projectKinds() []kindOfMessage {
	canonical := []string{roleOwner}
	admins := []string{roleOwner, roleGranted, roleAdmin}
	writers := append([]string{roleWrite}, admins...)
	closers := append([]string{roleStranger}, writers...) // the stranger is the requester
	metadata := func(f pb.ProjectMetadataType, value string) func(*stage, *ledgertest.Actor, *message.Author) *message.Envelope {
		return data(func(s *stage) *pb.MessageData { return message.ProjectMetadata(s.hub, f, value) })
	}
	return []kindOfMessage{
		{"archive", pb.MessageType_MESSAGE_TYPE_PROJECT_ARCHIVE, inProject, false, signing, canonical, data(func(s *stage) *pb.MessageData {
			return message.ProjectArchive(s.hub)
		})},
		{"description", pb.MessageType_MESSAGE_TYPE_PROJECT_METADATA, inProject, false, signing, writers, metadata(pb.ProjectMetadataType_PROJECT_METADATA_DESCRIPTION, "x")},
		{"license", pb.MessageType_MESSAGE_TYPE_PROJECT_METADATA, inProject, false, signing, writers, metadata(pb.ProjectMetadataType_PROJECT_METADATA_LICENSE, "x")},
		{"name", pb.MessageType_MESSAGE_TYPE_PROJECT_METADATA, inProject, false, signing, admins, metadata(pb.ProjectMetadataType_PROJECT_METADATA_NAME, "x")},
		{"visibility", pb.MessageType_MESSAGE_TYPE_PROJECT_METADATA, inProject, false, signing, admins, metadata(pb.ProjectMetadataType_PROJECT_METADATA_VISIBILITY, "private")},
		{"ref update", pb.MessageType_MESSAGE_TYPE_REF_UPDATE, inProject, false, agent, writers, data(func(s *stage) *pb.MessageData {
			return message.RefUpdate(s.hub, "main", message.RefMove{New: s.two, Nonce: 2})
		})},
		{"ref delete", pb.MessageType_MESSAGE_TYPE_REF_DELETE, inProject, false, agent, writers, data(func(s *stage) *pb.MessageData {
			return message.RefDelete(s.hub, "main", s.one, 2)
		})},
		{"commit bundle", pb.MessageType_MESSAGE_TYPE_COMMIT_BUNDLE, inProject, false, agent, writers, data(func(s *stage) *pb.MessageData {
			return message.CommitBundle(s.hub, message.Content{}, ledgertest.NewCommit(ledgertest.Hash("three"), s.two))
		})},
		{"collaborator add", pb.MessageType_MESSAGE_TYPE_COLLABORATOR_ADD, inProject, true, signing, admins, data(func(s *stage) *pb.MessageData {
			return message.CollaboratorAdd(s.hub, s.Actor("other").Address, pb.Permission_PERMISSION_ADMIN)
		})},
		{"collaborator remove", pb.MessageType_MESSAGE_TYPE_COLLABORATOR_REMOVE, inProject, true, signing, admins, data(func(s *stage) *pb.MessageData {
			return message.CollaboratorRemove(s.hub, s.Actor("target").Address)
		})},
		{"merge request add", pb.MessageType_MESSAGE_TYPE_MERGE_REQUEST_ADD, inProject, true, signing, nil, data(func(s *stage) *pb.MessageData {
			return message.MergeRequestAdd(s.hub, s.proposal("another"))
		})},
		{"merge request remove", pb.MessageType_MESSAGE_TYPE_MERGE_REQUEST_REMOVE, inProject, true, signing, closers, data(func(s *stage) *pb.MessageData {
			return message.MergeRequestRemove(s.hub, s.request)
		})},
	}
}

func accountKinds() []kindOfMessage {
	readers := []string{roleOwner, roleGranted, roleAdmin, roleWrite, roleRead}
	return []kindOfMessage{
		{"project create", pb.MessageType_MESSAGE_TYPE_PROJECT_CREATE, inAccount, true, signing, nil, data(func(*stage) *pb.MessageData {
			return message.ProjectCreate("new", pb.Visibility_VISIBILITY_PUBLIC, "", "")
		})},
		{"fork", pb.MessageType_MESSAGE_TYPE_FORK, inAccount, true, signing, nil, data(func(s *stage) *pb.MessageData {
			return message.Fork(s.hub, s.one, "new", pb.Visibility_VISIBILITY_PUBLIC)
		})},
		{"fork of a private project", pb.MessageType_MESSAGE_TYPE_FORK, inAccount, true, signing, readers, data(func(s *stage) *pb.MessageData {
			return message.Fork(s.vault, s.one, "new", pb.Visibility_VISIBILITY_PUBLIC)
		})},
		{"project remove", pb.MessageType_MESSAGE_TYPE_PROJECT_REMOVE, inAccount, false, signing, []string{roleOwner}, data(func(s *stage) *pb.MessageData {
			return message.ProjectRemove(s.hub)
		})},
		{"account data", pb.MessageType_MESSAGE_TYPE_ACCOUNT_DATA, inAccount, false, signing, nil, data(func(*stage) *pb.MessageData {
			return message.AccountData(pb.AccountDataType_ACCOUNT_DATA_BIO, "x")
		})},
		{"verification add", pb.MessageType_MESSAGE_TYPE_VERIFICATION_ADD, inAccount, true, signing, nil, func(s *stage, _ *ledgertest.Actor, by *message.Author) *message.Envelope {
			return made(by.SolVerification(s.Now(), ledgertest.Secret("other sol")))
		}},
		{"verification remove", pb.MessageType_MESSAGE_TYPE_VERIFICATION_REMOVE, inAccount, true, signing, []string{roleOwner}, data(func(*stage) *pb.MessageData {
			key := message.NewAuthor(ledgertest.Secret("sol"), ledgertest.Network, message.Address{}).Key()
			return message.VerificationRemove(key[:])
		})},
		{"follow", pb.MessageType_MESSAGE_TYPE_LINK_ADD, inAccount, true, signing, nil, data(func(s *stage) *pb.MessageData {
			return message.Follow(s.Actor("other").Address)
		})},
		{"star", pb.MessageType_MESSAGE_TYPE_LINK_ADD, inAccount, true, signing, nil, data(func(s *stage) *pb.MessageData { return message.Star(s.vault) })},
		{"unstar", pb.MessageType_MESSAGE_TYPE_LINK_REMOVE, inAccount, true, signing, []string{roleOwner}, data(func(s *stage) *pb.MessageData { return message.Unstar(s.hub) })},
		{"like", pb.MessageType_MESSAGE_TYPE_REACTION_ADD, inAccount, true, signing, nil, data(func(s *stage) *pb.MessageData { return message.Like(s.hub, s.two) })},
		{"unlike", pb.MessageType_MESSAGE_TYPE_REACTION_REMOVE, inAccount, true, signing, []string{roleOwner}, data(func(s *stage) *pb.MessageData { return message.Unlike(s.hub, s.one) })},
		{"username create", pb.MessageType_MESSAGE_TYPE_USERNAME_CREATE, inAccount, true, signing, []string{"unnamed"}, data(func(*stage) *pb.MessageData {
			return message.UsernameCreate("brand-new")
		})},
		{"username update", pb.MessageType_MESSAGE_TYPE_USERNAME_UPDATE, inAccount, true, signing, nil, func(s *stage, _ *ledgertest.Actor, by *message.Author) *message.Envelope {
			s.SkipTo(ledgertest.Start + 8*24*60*60)
			return s.Sign(by, message.UsernameUpdate("brand-new"))
		}},
	}
}

// custodyKinds returns the types that any key may sign, because their authority is in the body.
func custodyKinds() []kindOfMessage {
	return []kindOfMessage{
		{"storage claim", pb.MessageType_MESSAGE_TYPE_STORAGE_CLAIM, inAccount, true, anyKey, nil, func(s *stage, a *ledgertest.Actor, by *message.Author) *message.Envelope {
			settlement := message.Settlement{Units: 1, TxHash: ledgertest.Hash("new payment"), Actor: a.Address, Timestamp: s.Block.Time}
			return made(by.StorageClaim(s.Now(), ledgertest.Domain(), settlement, ledgertest.Attester(0), ledgertest.Attester(1)))
		}},
		{"signer add", pb.MessageType_MESSAGE_TYPE_SIGNER_ADD, inAccount, false, anyKey, nil, func(s *stage, a *ledgertest.Actor, by *message.Author) *message.Envelope {
			grant := message.SignerGrant{Key: a.With("new").Key(), Scope: pb.KeyScope_KEY_SCOPE_OWNER}
			return made(by.SignerAdd(s.Now(), grant, s.Permit(a.Address), a.Root, a.Root))
		}},
		{"signer remove", pb.MessageType_MESSAGE_TYPE_SIGNER_REMOVE, inAccount, false, anyKey, nil, func(s *stage, a *ledgertest.Actor, by *message.Author) *message.Envelope {
			return made(by.SignerRemove(s.Now(), a.Key(), s.Permit(a.Address), a.Root))
		}},
		{"keychain authorize", pb.MessageType_MESSAGE_TYPE_KEYCHAIN_AUTHORIZE, inAccount, false, anyKey, nil, func(s *stage, a *ledgertest.Actor, by *message.Author) *message.Envelope {
			other := s.Actor("other").Root
			key := message.CustodyKey{Type: other.Type(), PublicKey: other.PublicKey(), Admin: true}
			return made(by.KeychainAuthorize(s.Now(), key, s.Permit(a.Address), a.Root))
		}},
		{"keychain revoke", pb.MessageType_MESSAGE_TYPE_KEYCHAIN_REVOKE, inAccount, false, anyKey, []string{roleOwner}, func(s *stage, a *ledgertest.Actor, by *message.Author) *message.Envelope {
			return made(by.KeychainRevoke(s.Now(), s.phone.KeyID(), s.Permit(a.Address), a.Root))
		}},
	}
}
