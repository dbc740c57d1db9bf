package proof

import (
	"math"

	pb "makechain/gen/makechain"
	"makechain/internal/schema"
)

// Quota holds the limits of an account. They follow from its grants and its username and saturate at the largest uint32.
type Quota struct {
	StorageUnits                uint32
	UsableStorageUnits          uint32
	MaxProjects                 uint32
	MaxLinks                    uint32
	MaxVerifications            uint32
	MaxReactions                uint32
	MaxCollaboratorsPerProject  uint32
	MaxMergeRequestsPerProject  uint32
	MaxMergeRequestsByRequester uint32
}

// quotaOf returns the limits of an account. Without a username no unit is usable (P8.4).
func quotaOf(units uint32, hasUsername bool) Quota {
	q := Quota{StorageUnits: units}
	if hasUsername {
		q.UsableStorageUnits = units
	}
	times := func(perUnit uint64) uint32 {
		return uint32(min(uint64(q.UsableStorageUnits)*perUnit, math.MaxUint32)) // saturated
	}
	q.MaxProjects = times(schema.ProjectsPerUnit)
	q.MaxLinks = times(schema.LinksPerUnit)
	q.MaxVerifications = times(schema.VerificationsPerUnit)
	q.MaxReactions = times(schema.ReactionsPerUnit)
	q.MaxCollaboratorsPerProject = times(schema.CollaboratorsPerUnit)
	q.MaxMergeRequestsPerProject = times(schema.MergeRequestsPerOwnerUnit)
	q.MaxMergeRequestsByRequester = times(schema.MergeRequestsPerRequesterUnit)
	return q
}

// claimedQuota returns the quota that a response states.
func claimedQuota(answer *pb.GetStorageQuotaProofResponse) Quota {
	return Quota{
		StorageUnits:                answer.GetStorageUnits(),
		UsableStorageUnits:          answer.GetUsableStorageUnits(),
		MaxProjects:                 answer.GetMaxProjects(),
		MaxLinks:                    answer.GetMaxLinks(),
		MaxVerifications:            answer.GetMaxVerifications(),
		MaxReactions:                answer.GetMaxReactions(),
		MaxCollaboratorsPerProject:  answer.GetMaxCollaboratorsPerProject(),
		MaxMergeRequestsPerProject:  answer.GetMaxMergeRequestsPerProject(),
		MaxMergeRequestsByRequester: answer.GetMaxMergeRequestsPerRequester(),
	}
}

// state writes the quota into a response.
func (q Quota) state(answer *pb.GetStorageQuotaProofResponse) {
	answer.StorageUnits = q.StorageUnits
	answer.UsableStorageUnits = q.UsableStorageUnits
	answer.MaxProjects = q.MaxProjects
	answer.MaxLinks = q.MaxLinks
	answer.MaxVerifications = q.MaxVerifications
	answer.MaxReactions = q.MaxReactions
	answer.MaxCollaboratorsPerProject = q.MaxCollaboratorsPerProject
	answer.MaxMergeRequestsPerProject = q.MaxMergeRequestsPerProject
	answer.MaxMergeRequestsPerRequester = q.MaxMergeRequestsByRequester
}
