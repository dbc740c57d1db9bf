package schema

// Limits per usable storage unit (P8.6). Collaborators and merge requests of a project are limited by the units of its
// owner, other rows by those of the account itself.
const (
	ProjectsPerUnit                = 10
	CollaboratorsPerUnit           = 50
	VerificationsPerUnit           = 50
	LinksPerUnit                   = 5_000
	ReactionsPerUnit               = 10_000
	MergeRequestsPerRequesterUnit  = 20 // open by one requester
	MergeRequestsOfOnePerOwnerUnit = 10 // open by one requester against one project
	MergeRequestsPerOwnerUnit      = 20 // open, of one project
	ClosedRequestsPerOwnerUnit     = 1_000
)
