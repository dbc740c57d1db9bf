package schema

import (
	"math"
	"math/bits"
)

// Totals are the numbers that bound the state (P13). All of them are the result of messages that are limited: units are granted
// by settlement, and an account creates projects in proportion to its units.
type Totals struct {
	Accounts uint64 // accounts with a row
	Units    uint64 // units ever granted to all accounts
	Projects uint64 // projects ever created
	// ProjectUnits is the sum, over the accounts, of the projects an account created times the units it was ever granted.
	ProjectUnits uint64
}

// AddAccount adds an account that was granted units and created projects.
func (t *Totals) AddAccount(units, projects uint64) {
	t.Accounts = saturatingAdd(t.Accounts, 1)
	t.Units = saturatingAdd(t.Units, units)
	t.Projects = saturatingAdd(t.Projects, projects)
	t.ProjectUnits = saturatingAdd(t.ProjectUnits, saturatingMul(units, projects))
}

// Bound is the maximum number of rows of a kind, as multiples of the totals, and the maximum size of one, key and value (P13).
type Bound struct {
	PerAccount, PerUnit, PerProject, PerProjectUnit uint64
	RowBytes                                        int
}

// Rows returns the maximum number of rows.
func (b Bound) Rows(t Totals) uint64 {
	rows := saturatingMul(b.PerAccount, t.Accounts)
	rows = saturatingAdd(rows, saturatingMul(b.PerUnit, t.Units))
	rows = saturatingAdd(rows, saturatingMul(b.PerProject, t.Projects))
	return saturatingAdd(rows, saturatingMul(b.PerProjectUnit, t.ProjectUnits))
}

// Limits on rows that bound the state (P4.8, P8.6, P8.7).
const (
	keysWithoutStorage = 10
	keysWithStorage    = 1_000
	refs               = 5_000
	refRows            = 10_000 // refs of a project and their tombstones
	commitsPerUnit     = 100_000
	contents           = 2_000
	accountFields      = 4
	projectFields      = 6
	accountSets        = 3  // links, reactions and verifications
	countersPerSet     = 3  // entries, tombstones and prune markers
	markersOver        = 99 // prune markers beyond the limit of a set: a message below it can add 100
	membersPerUnit     = VerificationsPerUnit + LinksPerUnit + ReactionsPerUnit
)

// Bounds returns the bound of the rows under each prefix. It has none for the row of the validators, which does not depend on
// accounts.
func Bounds() map[Prefix]Bound {
	tombstones := Bound{
		PerUnit: membersPerUnit + MergeRequestsPerRequesterUnit, PerProject: refRows, PerProjectUnit: CollaboratorsPerUnit, RowBytes: 320,
	}
	markers := Bound{PerUnit: membersPerUnit + accountSets*markersOver, PerProject: markersOver, PerProjectUnit: CollaboratorsPerUnit, RowBytes: 160}
	return map[Prefix]Bound{
		PrefixTombstone:        tombstones,
		PrefixAccount:          {PerAccount: 1, RowBytes: 160},
		PrefixAccountMetadata:  {PerAccount: accountFields, RowBytes: 544},
		PrefixKey:              {PerAccount: 2 * keysWithoutStorage, PerUnit: 2 * (keysWithStorage - keysWithoutStorage), RowBytes: 3_520},
		PrefixKeyOwner:         {PerAccount: keysWithoutStorage, PerUnit: keysWithStorage - keysWithoutStorage, RowBytes: 64},
		PrefixUsername:         {PerUnit: 1, RowBytes: 64},
		PrefixVerification:     {PerUnit: VerificationsPerUnit, RowBytes: 192},
		PrefixProject:          {PerProject: 1, RowBytes: 192},
		PrefixProjectMetadata:  {PerProject: projectFields, RowBytes: 2_112},
		PrefixProjectName:      {PerProject: 1, RowBytes: 160},
		PrefixRef:              {PerProject: refs, RowBytes: 384},
		PrefixCommit:           {PerProjectUnit: commitsPerUnit, RowBytes: 2_784},
		PrefixCollaborator:     {PerProjectUnit: CollaboratorsPerUnit, RowBytes: 64},
		PrefixLink:             {PerUnit: LinksPerUnit, RowBytes: 64},
		PrefixLinkByTarget:     {PerUnit: LinksPerUnit, RowBytes: 64},
		PrefixReaction:         {PerUnit: ReactionsPerUnit, RowBytes: 96},
		PrefixReactionByTarget: {PerUnit: ReactionsPerUnit, RowBytes: 96},
		PrefixCounter:          {PerUnit: accountSets * countersPerSet, RowBytes: 32},
		PrefixPruneMarker:      markers,
		PrefixStorageGrant:     {PerUnit: 1, RowBytes: 96},
		PrefixClaim:            {PerUnit: 1, RowBytes: 64},
		PrefixAge: {
			PerUnit:    membersPerUnit + tombstones.PerUnit + markers.PerUnit,
			PerProject: 1 + tombstones.PerProject + markers.PerProject,
			// Commits, collaborators, their tombstones and their prune markers; closed merge requests have two.
			PerProjectUnit: commitsPerUnit + 3*CollaboratorsPerUnit + 2*ClosedRequestsPerOwnerUnit,
			RowBytes:       320,
		},
		PrefixMergeRequestPair:        {PerUnit: MergeRequestsPerRequesterUnit, RowBytes: 64},
		PrefixForkParent:              {PerProject: 1, RowBytes: 112},
		PrefixMergeRequest:            {PerUnit: MergeRequestsPerRequesterUnit, RowBytes: 928},
		PrefixMergeRequestByRequester: {PerUnit: MergeRequestsPerRequesterUnit, RowBytes: 96},
		PrefixClosedMergeRequest:      {PerProjectUnit: ClosedRequestsPerOwnerUnit, RowBytes: 1_088},
		PrefixContent:                 {PerProject: contents, RowBytes: 2_144},
	}
}

func saturatingAdd(a, b uint64) uint64 {
	sum, carry := bits.Add64(a, b, 0)
	if carry != 0 {
		return math.MaxUint64
	}
	return sum
}

func saturatingMul(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	if high != 0 {
		return math.MaxUint64
	}
	return low
}
