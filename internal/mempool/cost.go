package mempool

import (
	"time"

	pb "makechain/gen/makechain"
	"makechain/internal/limit"
	"makechain/message"
)

// Estimates of the processor time that it takes to apply a message to a session.
const (
	costApply     = 20 * time.Microsecond
	costSignature = 100 * time.Microsecond // of each signature in the body
)

// submitCost returns the estimated processor time of a message before it is applied.
func submitCost(m *message.Envelope) time.Duration {
	return limit.CostMessage + time.Duration(len(m.Transaction()))*limit.CostByte
}

// applyCost returns the estimated processor time of applying a message whose graph searches visit so many commits.
func applyCost(m *message.Envelope, visits int) time.Duration {
	return costApply + time.Duration(bodySignatures(m))*costSignature + time.Duration(visits)*limit.CostVisit
}

// bodySignatures returns the number of signatures in the body of a message, which are verified whenever it is applied.
func bodySignatures(m *message.Envelope) int {
	switch body := m.Data.GetBody().(type) {
	case *pb.MessageData_StorageClaim:
		return len(body.StorageClaim.GetAttestations())
	case *pb.MessageData_SignerAdd:
		return 2
	case *pb.MessageData_SignerRemove, *pb.MessageData_KeychainAuthorize, *pb.MessageData_KeychainRevoke, *pb.MessageData_VerificationAdd:
		return 1
	default:
		return 0
	}
}
