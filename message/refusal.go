package message

import "fmt"

// Stage is the stage of processing at which a message was refused (P10.1).
type Stage string

// The four stages, in the order a message passes them.
const (
	Verification    Stage = "verification"
	Validation      Stage = "validation"
	Authorization   Stage = "authorization"
	StateTransition Stage = "state transition"
)

// Code identifies the reason of a refusal. Codes are stable and the same on every API (P10.5).
type Code string

// Codes of the verification stage: the envelope is not a message of this chain.
const (
	CodeMalformed         Code = "malformed"
	CodeTooLarge          Code = "too_large"
	CodeUnknownType       Code = "unknown_type"
	CodeWrongNetwork      Code = "wrong_network"
	CodeHashMismatch      Code = "hash_mismatch"
	CodeDataBytesMismatch Code = "data_bytes_mismatch"
	CodeBadSignature      Code = "bad_signature"
)

// CodeInvalidField is the only code of the validation stage: Field and Reason name the limit that was violated.
const CodeInvalidField Code = "invalid_field"

// Codes of the authorization stage: the signer may not do this.
const (
	CodeUnknownSigner            Code = "unknown_signer"
	CodeInsufficientScope        Code = "insufficient_scope"
	CodeProjectNotAllowed        Code = "project_not_allowed"
	CodeUnknownProject           Code = "unknown_project"
	CodeProjectArchived          Code = "project_archived"
	CodeProjectRemoved           Code = "project_removed"
	CodeInsufficientPermission   Code = "insufficient_permission"
	CodeBadCustodySignature      Code = "bad_custody_signature"
	CodeCustodyNotAuthorized     Code = "custody_not_authorized"
	CodeCustodyNonceMismatch     Code = "custody_nonce_mismatch"
	CodeCustodyWindowClosed      Code = "custody_window_closed"
	CodeBadClaimSignature        Code = "bad_claim_signature"
	CodeWrongSettlementChain     Code = "wrong_settlement_chain"
	CodeInsufficientAttestations Code = "insufficient_attestations"
)

// Codes of the state transition stage: the message would not change the state as it is now.
const (
	CodeTooEarly         Code = "too_early"
	CodeTooLate          Code = "too_late"
	CodeDuplicate        Code = "duplicate"
	CodeNotFound         Code = "not_found"
	CodeStaleWrite       Code = "stale_write"
	CodeNothingNew       Code = "nothing_new"
	CodeNameTaken        Code = "name_taken"
	CodeNoUsableStorage  Code = "no_usable_storage"
	CodeQuotaExceeded    Code = "quota_exceeded"
	CodeRefNonceMismatch Code = "ref_nonce_mismatch"
	CodeRefHashMismatch  Code = "ref_hash_mismatch"
	CodeRefTypeMismatch  Code = "ref_type_mismatch"
	CodeNotFastForward   Code = "not_fast_forward"
	CodeUnknownCommit    Code = "unknown_commit"
	CodeNotAFork         Code = "not_a_fork"
	CodeNotMerged        Code = "not_merged"
	CodeOwnerTarget      Code = "owner_target"
	CodeKeyTaken         Code = "key_taken"
	CodeKeyRevoked       Code = "key_revoked"
	CodeUsernameTaken    Code = "username_taken"
	CodeUsernameHeld     Code = "username_held"
	CodeNoUsername       Code = "no_username"
	CodeUsernameCooldown Code = "username_cooldown"
	CodeClaimUsed        Code = "claim_used"
	CodeClaimExpired     Code = "claim_expired"
)

// Codes about the node; the message itself may be valid.
const (
	// CodeMempoolFull means that the mempool of the node is full, or contains the most that it may of the account or project.
	CodeMempoolFull Code = "mempool_full"
	// CodeMempoolEvicted means that the message was pending and was removed from the full mempool to make room for another.
	CodeMempoolEvicted Code = "mempool_evicted"
	// CodeUnavailable means that the node failed before it could admit the message, or is too far behind to validate it.
	CodeUnavailable Code = "unavailable"
)

// Refusal is the reason why a message is not accepted. It is a result, not a failure of the node.
type Refusal struct {
	Stage  Stage
	Code   Code
	Field  string // path of the invalid field, if any
	Reason string // one sentence for humans
}

// Error returns the stage, code and reason.
func (r *Refusal) Error() string {
	return fmt.Sprintf("refused at %s (%s): %s", r.Stage, r.Code, r.Reason)
}

// Refuse returns a refusal with a formatted reason.
func Refuse(stage Stage, code Code, format string, args ...any) *Refusal {
	return &Refusal{Stage: stage, Code: code, Reason: fmt.Sprintf(format, args...)}
}

// Invalid returns a refusal of the validation stage that names the field and the limit it violates.
func Invalid(field, format string, args ...any) *Refusal {
	r := Refuse(Validation, CodeInvalidField, format, args...)
	r.Field, r.Reason = field, field+": "+r.Reason
	return r
}
