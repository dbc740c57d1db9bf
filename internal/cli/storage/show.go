package storage

import (
	"fmt"
	"math"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/internal/cli/connection"
	"makechain/internal/cli/output"
	"makechain/internal/cli/query"
	"makechain/internal/cli/usage"
	"makechain/internal/ledger"
	"makechain/internal/schema"
	"makechain/internal/term"
	"makechain/message"
)

// report is the storage of an account. Its values are computed from rows that are proven.
type report struct {
	OwnerAddress string  `json:"owner_address"`
	Username     string  `json:"username"`
	Units        uint32  `json:"storage_units"`
	Usable       uint32  `json:"usable_storage_units"`
	Grants       []grant `json:"grants"`
	Limits       []limit `json:"limits"`
}

// grant is an active grant.
type grant struct {
	Units     uint32    `json:"units"`
	ExpiresAt time.Time `json:"expires_at"`
	ClaimID   string    `json:"claim_id"`
	Actor     string    `json:"actor"`
}

// limit is a limit of an account. Those of each project have no use here.
type limit struct {
	Name  string  `json:"name"`
	Used  *uint64 `json:"used"`
	Limit uint64  `json:"limit"`
}

func newShowCommand() *cobra.Command {
	var flags query.Flags
	command := &cobra.Command{
		Use:   "show [account]",
		Short: "Show units, grants and limits of an account (default: yours)",
		Long: `The command prints the active grants with the time when each expires, and how much of each limit
is used. All values are computed from rows that are verified up to the signatures of the chain's
validators. Without a username the units of an account are not usable, and all limits are 0.`,
		Example:           "  makechain storage show\n  makechain storage show alice --json",
		Args:              usage.Args("[account]"),
		ValidArgsFunction: connection.Complete(connection.Accounts),
		RunE: func(command *cobra.Command, args []string) error {
			return flags.Run(command, func(q *query.Query) error {
				owner, err := query.Account(q, args)
				if err != nil {
					return err
				}
				storage, err := read(q, owner, time.Now())
				if err != nil {
					return err
				}
				return flags.Output.PrintValue(command, storage, func(p *term.Printer) { storage.print(p) })
			})
		},
	}
	flags.Register(command)
	return command
}

// read reads the storage of an account at a time.
func read(q *query.Query, owner message.Address, now time.Time) (*report, error) {
	var row pb.AccountRow
	if err := readRow(q, schema.AccountKey(owner), &row); err != nil {
		return nil, err
	}
	r := &report{OwnerAddress: owner.String(), Username: row.GetUsername(), Grants: []grant{}}
	if err := r.readGrants(q, owner, now); err != nil {
		return nil, err
	}
	if r.Units == 0 {
		r.Username = "" // it is released with the last grant (P8.5)
	}
	row.StorageUnits, row.Username = r.Units, r.Username
	r.Usable = ledger.UsableUnits(&row)
	return r, r.readLimits(q, owner, &row)
}

// readGrants reads the grants that are active at a time.
func (r *report) readGrants(q *query.Query, owner message.Address, now time.Time) error {
	units := uint64(0)
	for entry, err := range q.Client.Rows(q.Context(), schema.StorageGrantPrefix(owner), nil) {
		if err != nil {
			return err
		}
		key, err := schema.ParseKey(entry.GetKey())
		if err != nil {
			return err
		}
		var row pb.StorageGrantRow
		if err := schema.Decode(entry.GetValue(), &row); err != nil {
			return err
		}
		if int64(key.ExpiresAt) <= now.Unix() {
			continue
		}
		units += uint64(row.GetUnits())
		r.Grants = append(r.Grants, grant{
			Units: row.GetUnits(), ExpiresAt: time.Unix(int64(key.ExpiresAt), 0).UTC(), ClaimID: key.ID.String(),
			Actor: fmt.Sprintf("0x%x", row.GetActor()),
		})
	}
	r.Units = uint32(min(units, math.MaxUint32))
	return nil
}

// readLimits computes the limits of P8.6, and reads how much of each is used.
func (r *report) readLimits(q *query.Query, owner message.Address, row *pb.AccountRow) error {
	u := uint64(r.Usable)
	of := func(name string, used, limitOf uint64) { r.Limits = append(r.Limits, limit{name, &used, limitOf}) }
	of("projects", uint64(row.GetProjectCount()), u*schema.ProjectsPerUnit)
	of("projects ever created", row.GetProjectsCreated(), uint64(row.GetUnitsGranted())*ledger.ProjectsPerGrantedUnit)
	opened := uint64(row.GetMergeRequestCount()) + uint64(row.GetMergeRequestTombstoneCount())
	of("merge requests that you opened", opened, u*schema.MergeRequestsPerRequesterUnit)
	for _, set := range []struct {
		name    string
		counter schema.Counter
		perUnit uint64
	}{
		{"links", schema.CounterLinks, schema.LinksPerUnit},
		{"reactions", schema.CounterReactions, schema.ReactionsPerUnit},
		{"verifications", schema.CounterVerifications, schema.VerificationsPerUnit},
	} {
		var count pb.CounterRow
		if err := readRow(q, schema.CounterKey(owner, set.counter), &count); err != nil {
			return err
		}
		of(set.name, uint64(count.GetCount()), u*set.perUnit)
	}
	r.Limits = append(r.Limits,
		limit{"collaborators of each project", nil, u * schema.CollaboratorsPerUnit},
		limit{"open merge requests of each project", nil, u * schema.MergeRequestsPerOwnerUnit},
	)
	return nil
}

// readRow reads a row with a proof. A row that does not exist leaves its fields zero.
func readRow(q *query.Query, key []byte, row proto.Message) error {
	value, _, err := q.Client.Row(q.Context(), key)
	if err != nil || value == nil {
		return err
	}
	return schema.Decode(value, row)
}

func (r *report) print(p *term.Printer) {
	storage := term.Count(uint64(r.Units), "unit")
	if r.Usable < r.Units {
		storage += ", not usable without a username"
	}
	p.Facts(
		term.Fact{Label: "username", Value: term.Text(r.Username)},
		term.Fact{Label: "address", Value: r.OwnerAddress},
		term.Fact{Label: "storage", Value: storage},
	)
	p.Line("")
	grants := p.Table("units", "expires", "", "claim", "payer")
	for _, g := range r.Grants {
		grants.Row(output.Number(g.Units), g.ExpiresAt.Format(time.DateOnly), term.Relative(time.Since(g.ExpiresAt)), g.ClaimID[:term.ShortDigits], g.Actor)
	}
	grants.Print("no storage")
	p.Line("")
	limits := p.Table("limit", "used", "of")
	for _, l := range r.Limits {
		used := ""
		if l.Used != nil {
			used = output.Number(*l.Used)
		}
		limits.Row(l.Name, used, output.Number(l.Limit))
	}
	limits.Print("no limits")
}
