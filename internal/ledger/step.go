package ledger

import (
	"fmt"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/message"
)

// MaxDrift is how far, in seconds, a message's timestamp may lie from the block's time (P6.4).
const MaxDrift = 300

// step is one message on its way through a session.
type step struct {
	*Session
	*message.Envelope
	touched Effects
}

func (s *step) run() *message.Refusal {
	// Time comes first: a message that is only too early waits for a later block, and so may what its
	// authority rests on.
	if r := s.checkTime(); r != nil {
		return r
	}
	if r := s.authorizeSigner(); r != nil {
		return r
	}
	return s.dispatch()
}

func (s *step) timestamp() uint32 { return s.Data.GetTimestamp() }

func (s *step) checkTime() *message.Refusal {
	at := uint64(s.timestamp())
	if at > s.block.Time && at-s.block.Time > MaxDrift {
		return refuse(message.CodeTooEarly, "timestamp %d is more than %d s after the block's time %d", at, MaxDrift, s.block.Time)
	}
	if s.TimeSensitive() && s.block.Time > at+MaxDrift {
		return refuse(message.CodeTooLate, "timestamp %d is more than %d s before the block's time %d", at, MaxDrift, s.block.Time)
	}
	return nil
}

func (s *step) dispatch() *message.Refusal {
	switch b := s.Data.GetBody().(type) {
	case *pb.MessageData_ProjectCreate:
		return s.projectCreate(b.ProjectCreate)
	case *pb.MessageData_Fork:
		return s.fork(b.Fork)
	case *pb.MessageData_ProjectMetadata:
		return s.projectMetadata(b.ProjectMetadata)
	case *pb.MessageData_ProjectArchive:
		return s.projectArchive(b.ProjectArchive)
	case *pb.MessageData_ProjectRemove:
		return s.projectRemove(b.ProjectRemove)
	case *pb.MessageData_RefUpdate:
		return s.refUpdate(b.RefUpdate)
	case *pb.MessageData_RefDelete:
		return s.refDelete(b.RefDelete)
	case *pb.MessageData_CommitBundle:
		return s.commitBundle(b.CommitBundle)
	case *pb.MessageData_CollaboratorAdd:
		return s.collaboratorAdd(b.CollaboratorAdd)
	case *pb.MessageData_CollaboratorRemove:
		return s.collaboratorRemove(b.CollaboratorRemove)
	case *pb.MessageData_MergeRequestAdd:
		return s.mergeRequestAdd(b.MergeRequestAdd)
	case *pb.MessageData_MergeRequestRemove:
		return s.mergeRequestRemove(b.MergeRequestRemove)
	case *pb.MessageData_AccountData:
		return s.accountData(b.AccountData)
	case *pb.MessageData_UsernameCreate:
		return s.usernameCreate(b.UsernameCreate)
	case *pb.MessageData_UsernameUpdate:
		return s.usernameUpdate(b.UsernameUpdate)
	case *pb.MessageData_VerificationAdd:
		return s.verificationAdd(b.VerificationAdd)
	case *pb.MessageData_VerificationRemove:
		return s.verificationRemove(b.VerificationRemove)
	case *pb.MessageData_StorageClaim:
		return s.storageClaim(b.StorageClaim)
	case *pb.MessageData_LinkAdd:
		return s.linkAdd(b.LinkAdd)
	case *pb.MessageData_LinkRemove:
		return s.linkRemove(b.LinkRemove)
	case *pb.MessageData_ReactionAdd:
		return s.reactionAdd(b.ReactionAdd)
	case *pb.MessageData_ReactionRemove:
		return s.reactionRemove(b.ReactionRemove)
	case *pb.MessageData_SignerAdd:
		return s.signerAdd(b.SignerAdd)
	case *pb.MessageData_SignerRemove:
		return s.signerRemove(b.SignerRemove)
	case *pb.MessageData_KeychainAuthorize:
		return s.keychainAuthorize(b.KeychainAuthorize)
	case *pb.MessageData_KeychainRevoke:
		return s.keychainRevoke(b.KeychainRevoke)
	default:
		return message.Refuse(message.Verification, message.CodeUnknownType, "message type %d is unknown", s.Data.GetType())
	}
}

func refuse(code message.Code, format string, args ...any) *message.Refusal {
	return message.Refuse(message.StateTransition, code, format, args...)
}

func deny(code message.Code, format string, args ...any) *message.Refusal {
	return message.Refuse(message.Authorization, code, format, args...)
}

// staleWrite refuses a message that is not later than what it would replace.
func (s *step) staleWrite(what string, stored uint32) *message.Refusal {
	return refuse(message.CodeStaleWrite, "timestamp %d is not later than %d, that of %s", s.timestamp(), stored, what)
}

// The lengths of these fields were checked by message.Validate; anything else reads as zero.

func address(b []byte) ident.Address {
	a, _ := ident.AddressFrom(b)
	return a
}

func hash(b []byte) ident.Hash {
	h, _ := ident.HashFrom(b)
	return h
}

func publicKey(b []byte) ident.PublicKey {
	k, _ := ident.PublicKeyFrom(b)
	return k
}

func (s *step) touchAccount(a ident.Address) {
	if a != s.Owner {
		s.touched.Accounts = append(s.touched.Accounts, a)
	}
}

func (s *step) touchProject(p ident.Hash) { s.touched.Projects = append(s.touched.Projects, p) }

// plural prints a count with its noun, for sentences.
func plural(n uint64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
