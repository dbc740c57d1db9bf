package message

import (
	"strings"

	pb "makechain/gen/makechain"
)

// Phase is a part of a block: account messages come first, then project messages (P6.1).
type Phase uint8

// The two phases.
const (
	AccountPhase Phase = iota
	ProjectPhase
)

// String returns "account" or "project".
func (p Phase) String() string {
	if p == ProjectPhase {
		return "project"
	}
	return "account"
}

// timing decides whether a message must be recent (P6.4).
type timing bool

const (
	anyAge    timing = false
	sensitive timing = true
)

// scope is the scope that the signer's key needs on the author's account (P3).
type scope uint8

const (
	anyKey     scope = iota // authority comes from a custody signature or a settlement, not from the signer
	signingKey              // SIGNING or stronger
	agentKey                // AGENT or stronger
)

// ordering decides whether a sender's later messages may depend on a message.
type ordering bool

const (
	ordered     ordering = false
	independent ordering = true // project messages depend on nothing that the message changes
)

// kind holds the properties that all messages of one type share.
type kind struct {
	phase    Phase
	timing   timing
	scope    scope
	ordering ordering
	// projects returns the ids of up to two projects that a message is about, the one it writes to first.
	projects func(e *Envelope) (first, second []byte)
	hasBody  func(*pb.MessageData) bool
	check    func(*fields, *pb.MessageData)
}

// kinds is the table of P3, by message type. The entries of types that do not exist are zero.
// read-only: the language has no constant tables.
//
//nolint:lll // one row per type
var kinds = [...]kind{
	pb.MessageType_MESSAGE_TYPE_PROJECT_CREATE:       define(AccountPhase, sensitive, signingKey, ordered, createsProject, (*pb.MessageData).GetProjectCreate, checkProjectCreate),
	pb.MessageType_MESSAGE_TYPE_FORK:                 define(AccountPhase, sensitive, signingKey, ordered, forksProject, (*pb.MessageData).GetFork, checkFork),
	pb.MessageType_MESSAGE_TYPE_PROJECT_REMOVE:       define(AccountPhase, anyAge, signingKey, ordered, inProject, (*pb.MessageData).GetProjectRemove, checkProjectID),
	pb.MessageType_MESSAGE_TYPE_PROJECT_ARCHIVE:      define(ProjectPhase, anyAge, signingKey, ordered, inProject, (*pb.MessageData).GetProjectArchive, checkProjectID),
	pb.MessageType_MESSAGE_TYPE_PROJECT_METADATA:     define(ProjectPhase, anyAge, signingKey, ordered, inProject, (*pb.MessageData).GetProjectMetadata, checkProjectMetadata),
	pb.MessageType_MESSAGE_TYPE_REF_UPDATE:           define(ProjectPhase, anyAge, agentKey, ordered, inProject, (*pb.MessageData).GetRefUpdate, checkRefUpdate),
	pb.MessageType_MESSAGE_TYPE_REF_DELETE:           define(ProjectPhase, anyAge, agentKey, ordered, inProject, (*pb.MessageData).GetRefDelete, checkRefDelete),
	pb.MessageType_MESSAGE_TYPE_COMMIT_BUNDLE:        define(ProjectPhase, anyAge, agentKey, ordered, inProject, (*pb.MessageData).GetCommitBundle, checkCommitBundle),
	pb.MessageType_MESSAGE_TYPE_COLLABORATOR_ADD:     define(ProjectPhase, sensitive, signingKey, ordered, inProject, (*pb.MessageData).GetCollaboratorAdd, checkCollaboratorAdd),
	pb.MessageType_MESSAGE_TYPE_COLLABORATOR_REMOVE:  define(ProjectPhase, sensitive, signingKey, ordered, inProject, (*pb.MessageData).GetCollaboratorRemove, checkCollaboratorRemove),
	pb.MessageType_MESSAGE_TYPE_MERGE_REQUEST_ADD:    define(ProjectPhase, sensitive, signingKey, ordered, mergesProject, (*pb.MessageData).GetMergeRequestAdd, checkMergeRequestAdd),
	pb.MessageType_MESSAGE_TYPE_MERGE_REQUEST_REMOVE: define(ProjectPhase, sensitive, signingKey, ordered, inProject, (*pb.MessageData).GetMergeRequestRemove, checkMergeRequestRemove),
	pb.MessageType_MESSAGE_TYPE_ACCOUNT_DATA:         define(AccountPhase, anyAge, signingKey, independent, noProject, (*pb.MessageData).GetAccountData, checkAccountData),
	pb.MessageType_MESSAGE_TYPE_VERIFICATION_ADD:     define(AccountPhase, sensitive, signingKey, independent, noProject, (*pb.MessageData).GetVerificationAdd, checkVerificationAdd),
	pb.MessageType_MESSAGE_TYPE_VERIFICATION_REMOVE:  define(AccountPhase, sensitive, signingKey, independent, noProject, (*pb.MessageData).GetVerificationRemove, checkVerificationRemove),
	pb.MessageType_MESSAGE_TYPE_LINK_ADD:             define(AccountPhase, sensitive, signingKey, independent, targetsProject, (*pb.MessageData).GetLinkAdd, checkLink),
	pb.MessageType_MESSAGE_TYPE_LINK_REMOVE:          define(AccountPhase, sensitive, signingKey, independent, targetsProject, (*pb.MessageData).GetLinkRemove, checkLink),
	pb.MessageType_MESSAGE_TYPE_REACTION_ADD:         define(AccountPhase, sensitive, signingKey, independent, targetsProject, (*pb.MessageData).GetReactionAdd, checkReaction),
	pb.MessageType_MESSAGE_TYPE_REACTION_REMOVE:      define(AccountPhase, sensitive, signingKey, independent, targetsProject, (*pb.MessageData).GetReactionRemove, checkReaction),
	pb.MessageType_MESSAGE_TYPE_USERNAME_CREATE:      define(AccountPhase, sensitive, signingKey, ordered, noProject, (*pb.MessageData).GetUsernameCreate, checkUsername),
	pb.MessageType_MESSAGE_TYPE_USERNAME_UPDATE:      define(AccountPhase, sensitive, signingKey, ordered, noProject, (*pb.MessageData).GetUsernameUpdate, checkUsername),
	pb.MessageType_MESSAGE_TYPE_STORAGE_CLAIM:        define(AccountPhase, sensitive, anyKey, ordered, noProject, (*pb.MessageData).GetStorageClaim, checkStorageClaim),
	pb.MessageType_MESSAGE_TYPE_SIGNER_ADD:           define(AccountPhase, anyAge, anyKey, ordered, noProject, (*pb.MessageData).GetSignerAdd, checkSignerAdd),
	pb.MessageType_MESSAGE_TYPE_SIGNER_REMOVE:        define(AccountPhase, anyAge, anyKey, ordered, noProject, (*pb.MessageData).GetSignerRemove, checkSignerRemove),
	pb.MessageType_MESSAGE_TYPE_KEYCHAIN_AUTHORIZE:   define(AccountPhase, anyAge, anyKey, ordered, noProject, (*pb.MessageData).GetKeychainAuthorize, checkKeychainAuthorize),
	pb.MessageType_MESSAGE_TYPE_KEYCHAIN_REVOKE:      define(AccountPhase, anyAge, anyKey, ordered, noProject, (*pb.MessageData).GetKeychainRevoke, checkKeychainRevoke),
}

// define returns the entry of a type from its properties, the getter of its body and the checks of P5.
func define[B comparable](
	phase Phase, age timing, key scope, order ordering,
	projects func(e *Envelope, body B) (first, second []byte),
	get func(*pb.MessageData) B, check func(*fields, B),
) kind {
	var none B
	return kind{
		phase: phase, timing: age, scope: key, ordering: order,
		projects: func(e *Envelope) (first, second []byte) { return projects(e, get(e.Data)) },
		hasBody:  func(data *pb.MessageData) bool { return get(data) != none },
		check:    func(f *fields, data *pb.MessageData) { check(f, get(data)) },
	}
}

// The projects that messages are about.

func noProject[B any](*Envelope, B) (first, second []byte) { return nil, nil }

func createsProject(e *Envelope, _ *pb.ProjectCreateBody) (first, second []byte) {
	return e.Hash[:], nil
}

func forksProject(e *Envelope, b *pb.ForkBody) (first, second []byte) {
	return e.Hash[:], b.GetSourceProjectId()
}

func mergesProject(_ *Envelope, b *pb.MergeRequestAddBody) (first, second []byte) {
	return b.GetProjectId(), b.GetSourceProjectId()
}

func inProject[B interface{ GetProjectId() []byte }](_ *Envelope, b B) (first, second []byte) {
	return b.GetProjectId(), nil
}

func targetsProject[B interface{ GetTargetProjectId() []byte }](_ *Envelope, b B) (first, second []byte) {
	return b.GetTargetProjectId(), nil
}

// Types returns all message types in ascending order.
func Types() []pb.MessageType {
	var types []pb.MessageType
	for t := range pb.MessageType(len(kinds)) {
		if IsType(t) {
			types = append(types, t)
		}
	}
	return types
}

// IsType reports whether t is a message type (P2.5).
func IsType(t pb.MessageType) bool { return isType(int64(t)) }

func isType(number int64) bool {
	return 0 <= number && number < int64(len(kinds)) && kinds[number].hasBody != nil
}

// typeName returns the name of a type as the specification writes it.
func typeName(t pb.MessageType) string {
	return strings.TrimPrefix(t.String(), "MESSAGE_TYPE_")
}

// bodyName returns the name of the field that carries the body of a type.
func bodyName(t pb.MessageType) string { return strings.ToLower(typeName(t)) }

func networkName(n pb.Network) string {
	return strings.TrimPrefix(n.String(), "NETWORK_")
}
