package jsonform

import (
	"google.golang.org/protobuf/reflect/protoreflect"

	"makechain/internal/limit"
	"makechain/message"
)

// Limits of what is read.
const (
	// MaxDepth bounds how deep objects and lists lie in one another. The schema needs about half of it.
	MaxDepth = 32
	// MaxObjects bounds the objects of one document: the largest batch, each of its messages a full bundle.
	MaxObjects = 1 << 17
	// MaxFaults is how many faults are told before reading ends.
	MaxFaults = 20
	// maxItems bounds a list that the protocol sets no limit for: more than an answer of 4 MiB holds.
	maxItems = 1 << 15
)

// listLimit is how many items a list may have when it is read.
func listLimit(field protoreflect.FullName) int {
	switch field {
	case "makechain.BatchSubmitRequest.messages":
		return limit.MaxBatch
	case "makechain.CommitBundleBody.commits":
		return message.MaxCommits
	case "makechain.CommitMeta.parents":
		return message.MaxParents
	case "makechain.StorageClaimBody.attestations":
		return message.MaxAttestations
	case "makechain.SignerAddBody.allowed_projects":
		return message.MaxAllowedProjects
	default:
		return maxItems
	}
}

// dataMessage is the message of which the type decides what body it has. Its oneof is one key, "body".
const dataMessage protoreflect.FullName = "makechain.MessageData"

// wrappedField names the only field of an answer that is worth an object of its own: the answer is written as
// that field's message. What else it has, the message has too.
func wrappedField(answer protoreflect.FullName) protoreflect.Name {
	switch answer {
	case "makechain.MessageEntry", "makechain.GetMessageResponse":
		return "message"
	case "makechain.GetCustodyKeyResponse":
		return "custody_key"
	case "makechain.GetMergeRequestResponse":
		return "merge_request"
	default:
		return ""
	}
}
