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

// String names the phase.
func (p Phase) String() string {
	if p == ProjectPhase {
		return "project"
	}
	return "account"
}

// timing says whether the age of a message matters.
type timing bool

const (
	anyAge    timing = false
	sensitive timing = true
)

// kind is what the type of a message alone says about it.
type kind struct {
	phase         Phase
	timeSensitive bool
	hasBody       func(*pb.MessageData) bool
	project       func(*pb.MessageData) []byte // nil outside the project phase
	check         func(*fields, *pb.MessageData)
}

// kinds is the table of P3, by message type. The entries of types that do not exist are empty.
// read-only: the language has no constant tables.
var kinds = [...]kind{
	pb.MessageType_MESSAGE_TYPE_PROJECT_CREATE:       account(sensitive, (*pb.MessageData).GetProjectCreate, checkProjectCreate),
	pb.MessageType_MESSAGE_TYPE_FORK:                 account(sensitive, (*pb.MessageData).GetFork, checkFork),
	pb.MessageType_MESSAGE_TYPE_PROJECT_REMOVE:       account(anyAge, (*pb.MessageData).GetProjectRemove, checkProjectRemove),
	pb.MessageType_MESSAGE_TYPE_PROJECT_ARCHIVE:      project(anyAge, (*pb.MessageData).GetProjectArchive, checkProjectArchive),
	pb.MessageType_MESSAGE_TYPE_PROJECT_METADATA:     project(anyAge, (*pb.MessageData).GetProjectMetadata, checkProjectMetadata),
	pb.MessageType_MESSAGE_TYPE_REF_UPDATE:           project(anyAge, (*pb.MessageData).GetRefUpdate, checkRefUpdate),
	pb.MessageType_MESSAGE_TYPE_REF_DELETE:           project(anyAge, (*pb.MessageData).GetRefDelete, checkRefDelete),
	pb.MessageType_MESSAGE_TYPE_COMMIT_BUNDLE:        project(anyAge, (*pb.MessageData).GetCommitBundle, checkCommitBundle),
	pb.MessageType_MESSAGE_TYPE_COLLABORATOR_ADD:     project(sensitive, (*pb.MessageData).GetCollaboratorAdd, checkCollaboratorAdd),
	pb.MessageType_MESSAGE_TYPE_COLLABORATOR_REMOVE:  project(sensitive, (*pb.MessageData).GetCollaboratorRemove, checkCollaboratorRemove),
	pb.MessageType_MESSAGE_TYPE_MERGE_REQUEST_ADD:    project(sensitive, (*pb.MessageData).GetMergeRequestAdd, checkMergeRequestAdd),
	pb.MessageType_MESSAGE_TYPE_MERGE_REQUEST_REMOVE: project(sensitive, (*pb.MessageData).GetMergeRequestRemove, checkMergeRequestRemove),
	pb.MessageType_MESSAGE_TYPE_ACCOUNT_DATA:         account(anyAge, (*pb.MessageData).GetAccountData, checkAccountData),
	pb.MessageType_MESSAGE_TYPE_VERIFICATION_ADD:     account(sensitive, (*pb.MessageData).GetVerificationAdd, checkVerificationAdd),
	pb.MessageType_MESSAGE_TYPE_VERIFICATION_REMOVE:  account(sensitive, (*pb.MessageData).GetVerificationRemove, checkVerificationRemove),
	pb.MessageType_MESSAGE_TYPE_LINK_ADD:             account(sensitive, (*pb.MessageData).GetLinkAdd, checkLink[*pb.LinkAddBody]),
	pb.MessageType_MESSAGE_TYPE_LINK_REMOVE:          account(sensitive, (*pb.MessageData).GetLinkRemove, checkLink[*pb.LinkRemoveBody]),
	pb.MessageType_MESSAGE_TYPE_REACTION_ADD:         account(sensitive, (*pb.MessageData).GetReactionAdd, checkReaction[*pb.ReactionAddBody]),
	pb.MessageType_MESSAGE_TYPE_REACTION_REMOVE:      account(sensitive, (*pb.MessageData).GetReactionRemove, checkReaction[*pb.ReactionRemoveBody]),
	pb.MessageType_MESSAGE_TYPE_USERNAME_CREATE:      account(sensitive, (*pb.MessageData).GetUsernameCreate, checkUsername[*pb.UsernameCreateBody]),
	pb.MessageType_MESSAGE_TYPE_USERNAME_UPDATE:      account(sensitive, (*pb.MessageData).GetUsernameUpdate, checkUsername[*pb.UsernameUpdateBody]),
	pb.MessageType_MESSAGE_TYPE_STORAGE_CLAIM:        account(sensitive, (*pb.MessageData).GetStorageClaim, checkStorageClaim),
	pb.MessageType_MESSAGE_TYPE_SIGNER_ADD:           account(anyAge, (*pb.MessageData).GetSignerAdd, checkSignerAdd),
	pb.MessageType_MESSAGE_TYPE_SIGNER_REMOVE:        account(anyAge, (*pb.MessageData).GetSignerRemove, checkSignerRemove),
	pb.MessageType_MESSAGE_TYPE_KEYCHAIN_AUTHORIZE:   account(anyAge, (*pb.MessageData).GetKeychainAuthorize, checkKeychainAuthorize),
	pb.MessageType_MESSAGE_TYPE_KEYCHAIN_REVOKE:      account(anyAge, (*pb.MessageData).GetKeychainRevoke, checkKeychainRevoke),
}

// account makes the entry of a type of the account phase from its body's getter and its checks.
func account[B comparable](age timing, get func(*pb.MessageData) B, check func(*fields, B)) kind {
	var none B
	return kind{
		phase:         AccountPhase,
		timeSensitive: bool(age),
		hasBody:       func(data *pb.MessageData) bool { return get(data) != none },
		check:         func(f *fields, data *pb.MessageData) { check(f, get(data)) },
	}
}

// projectBody is a body that names the project it acts on.
type projectBody interface {
	comparable
	GetProjectId() []byte
}

// project makes the entry of a type of the project phase.
func project[B projectBody](age timing, get func(*pb.MessageData) B, check func(*fields, B)) kind {
	k := account(age, get, check)
	k.phase = ProjectPhase
	k.project = func(data *pb.MessageData) []byte { return get(data).GetProjectId() }
	return k
}

// knownType tells whether a type of this number exists (P2.5).
func knownType(number uint64) bool {
	return number < uint64(len(kinds)) && kinds[number].hasBody != nil
}

// typeName is the name of a type as the specification writes it.
func typeName(t pb.MessageType) string {
	return strings.TrimPrefix(t.String(), "MESSAGE_TYPE_")
}

// bodyName is the name of the field that carries the body of a type.
func bodyName(t pb.MessageType) string { return strings.ToLower(typeName(t)) }

func networkName(n pb.Network) string {
	return strings.TrimPrefix(n.String(), "NETWORK_")
}
