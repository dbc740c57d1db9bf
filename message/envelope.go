package message

import (
	pb "makechain/gen/makechain"
	"makechain/internal/ident"
)

// Aliases of the identifiers of the protocol, for callers that cannot import internal packages.
type (
	// Address identifies an account or a custody key: 20 bytes.
	Address = ident.Address
	// Hash is a 32-byte digest or content id.
	Hash = ident.Hash
	// PublicKey is an Ed25519 public key.
	PublicKey = ident.PublicKey
)

// SignatureSize is the length of an Ed25519 signature in bytes.
const SignatureSize = 64

// Envelope is a message whose encoding and hash have been checked. Open, Decode and Author create it; it shares no
// memory with their input. It is immutable: callers must not modify it or anything it refers to.
type Envelope struct {
	Data      *pb.MessageData
	Hash      Hash
	Owner     Address
	Signer    PublicKey
	Signature [SignatureSize]byte

	tx []byte
}

// Transaction returns the canonical encoding of the message, as blocks contain it (P11.1). The caller must not modify it.
func (e *Envelope) Transaction() []byte { return e.tx }

// Proto returns the message in the form of the API. The caller may modify the outer message, to add a position; its Data
// is shared with the envelope.
func (e *Envelope) Proto() *pb.Message {
	fixed := make([]byte, 0, len(e.Hash)+len(e.Signature)+len(e.Signer))
	fixed = append(fixed, e.Hash[:]...)
	fixed = append(fixed, e.Signature[:]...)
	fixed = append(fixed, e.Signer[:]...)
	const hashEnd, signatureEnd = ident.HashSize, ident.HashSize + SignatureSize
	return &pb.Message{
		Data:      e.Data,
		Hash:      fixed[:hashEnd:hashEnd],
		Signature: fixed[hashEnd:signatureEnd:signatureEnd],
		Signer:    fixed[signatureEnd:],
	}
}

// Type returns the message's type, always one of Types.
func (e *Envelope) Type() pb.MessageType { return e.Data.GetType() }

// Phase returns the part of a block that the message belongs to.
func (e *Envelope) Phase() Phase { return e.kind().phase }

// TimeSensitive reports whether the message must be fresh (P6.4): all messages that use quotas, and the creation of a ref.
func (e *Envelope) TimeSensitive() bool {
	return e.kind().timing == sensitive || e.Data.GetRefUpdate().GetNonce() == 1
}

// RequiredScope returns the scope that the signer's key needs on the author's account (P3). needed is false for types
// whose authority comes from a custody signature or a settlement: any key may sign them.
func (e *Envelope) RequiredScope() (scope pb.KeyScope, needed bool) {
	switch e.kind().scope {
	case agentKey:
		return pb.KeyScope_KEY_SCOPE_AGENT, true
	case signingKey:
		return pb.KeyScope_KEY_SCOPE_SIGNING, true
	default:
		return 0, false
	}
}

// AffectsNoProject reports whether the message changes nothing that messages of the project phase depend on, so that
// it need not stay in order with those of its sender.
func (e *Envelope) AffectsNoProject() bool { return e.kind().ordering == independent }

// Project returns the project that a message of the project phase acts on; a merge request acts on its target. ok is
// false for account messages, and when the id is not 32 bytes long, which Validate refuses.
func (e *Envelope) Project() (project Hash, ok bool) {
	if e.Phase() != ProjectPhase {
		return Hash{}, false
	}
	first, _ := e.kind().projects(e)
	return ident.HashFrom(first)
}

// Projects returns the projects that a message is about, the one it writes to first: a created project is about
// itself, a fork and a merge request also about their source, a star and a like about their target. Ids that are not
// 32 bytes long, which Validate refuses, are left out.
func (e *Envelope) Projects() []Hash {
	var projects []Hash
	first, second := e.kind().projects(e)
	for _, id := range [...][]byte{first, second} {
		if project, ok := ident.HashFrom(id); ok {
			projects = append(projects, project)
		}
	}
	return projects
}

// CheckNetwork refuses a message of another network than the chain's own (P2.6).
func (e *Envelope) CheckNetwork(network pb.Network) *Refusal {
	if got := e.Data.GetNetwork(); got != network {
		return refuseField(CodeWrongNetwork, "network", "message is for %s, this chain is %s",
			networkName(got), networkName(network))
	}
	return nil
}

func (e *Envelope) kind() *kind { return &kinds[e.Data.GetType()] }
