package ledger

import (
	"fmt"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/message"
)

// MaxDrift is the maximum difference, in seconds, between the timestamp of a message and the block time (P6.4).
const MaxDrift = 300

// transition is the application of one message in a session.
type transition struct {
	*Session
	*message.Envelope
	effects Effects
	project loadedProject

	maxVisits int  // commits that searches may visit, set by the first visit
	overLimit bool // a search needed more

	times       interval // of block times at which all comparisons have the same results
	fixedHeight bool     // the writes contain the height of the block, other than in a heightPlace
}

// run checks the time and the signer of the message and applies it. Time comes first: a message that is only too early
// is deferred to a later block, and the messages that authorize its signer may be deferred too.
func (s *transition) run() *message.Refusal {
	if r := s.checkVersion(); r != nil {
		return r
	}
	at := uint64(s.timestamp())
	if at > MaxDrift && !s.reached(at-MaxDrift) {
		return refuse(message.CodeTooEarly, "timestamp %d is more than %d s after the block time %d", at, MaxDrift, s.block.Time)
	}
	if s.TimeSensitive() && s.passed(at+MaxDrift) {
		return refuse(message.CodeTooLate, "timestamp %d is more than %d s before the block time %d", at, MaxDrift, s.block.Time)
	}
	if r := s.authorizeSigner(); r != nil {
		return r
	}
	return s.dispatch()
}

func (s *transition) timestamp() uint32 { return s.Data.GetTimestamp() }

func (s *transition) dispatch() *message.Refusal {
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

// staleWrite refuses a message that is not later than the stored value it would replace.
func (s *transition) staleWrite(what string, stored uint32) *message.Refusal {
	return refuse(message.CodeStaleWrite, "timestamp %d is not later than %d, the timestamp of %s", s.timestamp(), stored, what)
}

// The functions below convert fields whose lengths message.Validate has checked. Other lengths convert to zero.

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

// affectAccount adds an account other than the author to the effects.
func (s *transition) affectAccount(a ident.Address) {
	if a != s.Owner {
		s.effects.Accounts = append(s.effects.Accounts, a)
	}
}

func (s *transition) affectProject(p ident.Hash) { s.effects.Projects = append(s.effects.Projects, p) }

// plural formats a count with its noun.
func plural(n uint64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
