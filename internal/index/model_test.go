package index_test

import (
	"bytes"
	"slices"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/index"
	"makechain/internal/ledgertest"
	"makechain/internal/schema"
)

// everything is a limit that no test reaches.
const everything = 1_000_000

// entries returns the applied messages for which about is true, newest first.
func (c *chain) entries(about func(applied) bool) []index.Entry {
	var entries []index.Entry
	for _, a := range slices.Backward(c.applied) {
		if about(a) {
			entries = append(entries, index.Entry{Position: a.Position, Type: a.Message.Type()})
		}
	}
	return entries
}

// compare checks that every answer of the reader equals the one computed from all messages and rows.
func (c *chain) compare() {
	c.Helper()
	c.comparePositions()
	c.compareActivity()
	c.compareRefLogs()
	c.compareNames()
	c.compareForks()
	stats, err := c.reader().Stats()
	if err != nil {
		c.Fatal(err)
	}
	if diff := cmp.Diff(c.stats(), stats); diff != "" {
		c.Fatalf("stats, want (-) and got (+):\n%s", diff)
	}
}

func (c *chain) comparePositions() {
	c.Helper()
	for _, a := range c.applied {
		at, found, err := c.reader().Position(a.Message.Hash)
		if err != nil || !found || at != a.Position {
			c.Fatalf("message %s is at %v, %t, %v; want %v", a.Message.Hash, at, found, err, a.Position)
		}
	}
}

func (c *chain) compareActivity() {
	c.Helper()
	owners, projects := map[ident.Address]bool{}, map[ident.Hash]bool{}
	for _, a := range c.applied {
		owners[a.Message.Owner] = true
		for _, project := range a.Effects.Projects {
			projects[project] = true
		}
	}
	for owner := range owners {
		want := c.entries(func(a applied) bool { return a.Message.Owner == owner })
		got, err := c.reader().AccountActivity(owner, nil, everything, index.Position{})
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			c.Fatalf("account %s: %v, want (-) and got (+):\n%s", owner, err, diff)
		}
	}
	for project := range projects {
		want := c.entries(func(a applied) bool { return slices.Contains(a.Effects.Projects, project) })
		got, err := c.reader().ProjectActivity(project, nil, everything, index.Position{})
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			c.Fatalf("project %s: %v, want (-) and got (+):\n%s", project, err, diff)
		}
	}
}

// refName is a ref of a project.
type refName struct {
	project ident.Hash
	name    string
}

func (c *chain) compareRefLogs() {
	c.Helper()
	logs := map[refName][]*pb.RefLogEntry{}
	for _, a := range slices.Backward(c.applied) {
		ref := a.Effects.Ref
		if ref == nil {
			continue
		}
		entry := &pb.RefLogEntry{
			Timestamp: a.Message.Data.GetTimestamp(), BlockNumber: a.Height, Force: ref.Force, Nonce: ref.Nonce,
			OwnerAddress: a.Message.Owner[:],
		}
		if ref.Old != (ident.Hash{}) {
			entry.OldHash = ref.Old[:]
		}
		if ref.New != (ident.Hash{}) {
			entry.NewHash = ref.New[:]
		}
		if ref.TagObject != (ident.Hash{}) {
			entry.TagObject = ref.TagObject[:]
		}
		name := refName{ref.Project, string(ref.Name)}
		logs[name] = append(logs[name], entry)
	}
	for ref, want := range logs {
		got, _, err := c.reader().RefLog(ref.project, []byte(ref.name), everything, index.Position{})
		if diff := cmp.Diff(want, got, protocmp.Transform()); err != nil || diff != "" {
			c.Fatalf("log of %q: %v, want (-) and got (+):\n%s", ref.name, err, diff)
		}
	}
}

// names returns the projects of the state that are not removed, by name and id.
func (c *chain) names() []index.ProjectName {
	c.Helper()
	names := []index.ProjectName{}
	for key, row := range projectRows(c.rows) {
		if row.GetStatus() == pb.ProjectStatus_PROJECT_STATUS_REMOVED {
			continue
		}
		var name pb.ProjectMetadataRow
		if ok, err := c.rows.Load(schema.ProjectMetadataKey(key, byte(pb.ProjectMetadataType_PROJECT_METADATA_NAME)), &name); err != nil || !ok {
			c.Fatalf("project %s has no name: %v", key, err)
		}
		owner, _ := ident.AddressFrom(row.GetOwnerAddress())
		names = append(names, index.ProjectName{Name: name.GetValue(), Project: key, Owner: owner})
	}
	slices.SortFunc(names, func(a, b index.ProjectName) int {
		return slices.Compare(append([]byte(a.Name+"\x00"), a.Project[:]...), append([]byte(b.Name+"\x00"), b.Project[:]...))
	})
	return names
}

func (c *chain) compareNames() {
	c.Helper()
	got, err := c.reader().SearchProjects("", nil, everything, nil)
	if got == nil {
		got = []index.ProjectName{}
	}
	if diff := cmp.Diff(c.names(), got); err != nil || diff != "" {
		c.Fatalf("names: %v, want (-) and got (+):\n%s", err, diff)
	}
}

// forks returns the keys of the rows of all forks.
func (c *chain) forks() (keys []string) {
	c.Helper()
	_ = c.rows.Scan([]byte{byte(schema.PrefixForkParent)}, []byte{byte(schema.PrefixForkParent) + 1}, func(key, value []byte) bool {
		var row pb.ForkParentRow
		if err := schema.Decode(value, &row); err != nil {
			c.Fatal(err)
		}
		keys = append(keys, string(append(append([]byte{0x8A}, row.GetSourceProjectId()...), key[1:]...)))
		return true
	})
	slices.Sort(keys)
	return keys
}

func (c *chain) compareForks() {
	c.Helper()
	var got []string
	_ = c.rows.Scan([]byte{0x8A, 0}, []byte{0x8B}, func(key, _ []byte) bool {
		if fork, err := index.ParseFork(key); err != nil || !bytes.HasSuffix(key, fork[:]) {
			c.Fatalf("row %x is of fork %s, %v", key, fork, err)
		}
		got = append(got, string(key))
		return true
	})
	if diff := cmp.Diff(c.forks(), got); diff != "" {
		c.Fatalf("forks: want (-) and got (+):\n%s", diff)
	}
}

// stats counts the rows of the state one by one.
func (c *chain) stats() index.Stats {
	c.Helper()
	stats := index.Stats{Messages: uint64(len(c.applied))}
	projects := projectRows(c.rows)
	removed := func(project ident.Hash) bool {
		return projects[project].GetStatus() == pb.ProjectStatus_PROJECT_STATUS_REMOVED
	}
	_ = c.rows.Scan(nil, []byte{0x80}, func(key, _ []byte) bool { // reading rows in memory does not fail
		parsed, err := schema.ParseKey(key)
		if err != nil {
			return true // a derived row
		}
		stats.StateEntries++
		switch served := !removed(parsed.Project); {
		case parsed.Prefix == schema.PrefixAccount:
			stats.Accounts++
		case parsed.Prefix == schema.PrefixProject && served:
			stats.Projects++
		case parsed.Prefix == schema.PrefixRef && served:
			stats.Refs++
		case parsed.Prefix == schema.PrefixCommit && served:
			stats.Commits++
		case parsed.Prefix == schema.PrefixCollaborator && served:
			stats.Collaborators++
		case parsed.Prefix == schema.PrefixKey && parsed.Tag == schema.FamilyDelegated:
			stats.Keys++
		case parsed.Prefix == schema.PrefixVerification:
			stats.Verifications++
		case parsed.Prefix == schema.PrefixLink:
			stats.Links++
		case parsed.Prefix == schema.PrefixReaction:
			stats.Reactions++
		}
		return true
	})
	return stats
}

// projectRows returns the projects of a state, including removed ones.
func projectRows(rows *ledgertest.Rows) map[ident.Hash]*pb.ProjectRow {
	projects := map[ident.Hash]*pb.ProjectRow{}
	_ = rows.Scan([]byte{byte(schema.PrefixProject)}, []byte{byte(schema.PrefixProject) + 1}, func(key, value []byte) bool {
		id, _ := ident.HashFrom(key[1:])
		projects[id] = new(pb.ProjectRow)
		return schema.Decode(value, projects[id]) == nil
	})
	return projects
}
