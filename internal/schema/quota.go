package schema

// What one usable unit of storage allows (P8.6). Collaborators and merge requests of a project count by the
// units of its owner, the rest by those of the account itself.
const (
	ProjectsPerUnit                = 10
	CollaboratorsPerUnit           = 50
	VerificationsPerUnit           = 50
	LinksPerUnit                   = 5_000
	ReactionsPerUnit               = 10_000
	MergeRequestsPerRequesterUnit  = 20 // open by one requester
	MergeRequestsOfOnePerOwnerUnit = 10 // open by one requester against one project
	MergeRequestsPerOwnerUnit      = 20 // of one project, open and tombstones
)
