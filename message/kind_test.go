package message

import (
	"os"
	"slices"
	"strings"
	"testing"

	pb "makechain/gen/makechain"
)

// specRow is the row of a message type in the table of P3.
type specRow struct {
	phase     Phase
	sensitive bool
	signer    string // SIGNING, AGENT or none
}

// specTable reads the table of P3 from the specification. A type named _REMOVE continues the name before it.
func specTable(t *testing.T) map[string]specRow {
	t.Helper()
	page, err := os.ReadFile("../docs/spec/protocol.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## P3 ")
	section, _, _ = strings.Cut(section, "\n## ")
	rows := map[string]specRow{}
	for line := range strings.Lines(section) {
		cells := strings.Split(line, "|")
		if len(cells) < 4 || !strings.Contains(cells[1], "`") {
			continue
		}
		row := specRow{sensitive: strings.Contains(cells[1], "⏱"), signer: strings.TrimSpace(cells[3])}
		if strings.TrimSpace(cells[2]) == "P" {
			row.phase = ProjectPhase
		}
		name := ""
		for next := range strings.SplitSeq(cells[1], ",") {
			next = strings.Trim(next, " `⏱")
			if strings.HasPrefix(next, "_") {
				next = name[:strings.LastIndex(name, "_")] + next
			}
			name = next
			rows[name] = row
		}
	}
	return rows
}

// TestKinds compares the table of types with P3 of the specification.
//
// Rules: P3/phases.
func TestKinds(t *testing.T) {
	t.Parallel()
	rows := specTable(t)
	if len(rows) != len(Types()) || len(pb.MessageType_name) != len(Types())+1 {
		t.Fatalf("P3 has %d types, the enum %d with NONE, and there are %d", len(rows), len(pb.MessageType_name), len(Types()))
	}
	seen := map[pb.MessageType]bool{}
	for _, e := range goodMessages(t) {
		seen[e.Type()] = true
		signer := "none"
		if scope, needed := e.RequiredScope(); needed {
			signer = strings.TrimPrefix(scope.String(), "KEY_SCOPE_")
		}
		want := rows[typeName(e.Type())]
		want.sensitive = want.sensitive || e.Data.GetRefUpdate().GetNonce() == 1
		if got := (specRow{e.Phase(), e.TimeSensitive(), signer}); got != want {
			t.Errorf("%s: %+v, want %+v", e.Type(), got, want)
		}
		project, ok := e.Project()
		if ok != (e.Phase() == ProjectPhase) || ok && project != projectID {
			t.Errorf("%s: project %s, %t", e.Type(), project, ok)
		}
		if e.AffectsNoProject() && e.Phase() == ProjectPhase {
			t.Errorf("%s is a project message that affects no project", e.Type())
		}
	}
	if len(seen) != len(rows) {
		t.Errorf("good messages of %d types, want %d", len(seen), len(rows))
	}
}

// TestProjectOfMalformedID checks that a message with a malformed project id, which Validate refuses, has no project.
func TestProjectOfMalformedID(t *testing.T) {
	t.Parallel()
	data := ProjectArchive(projectID)
	data.GetProjectArchive().ProjectId = projectID[1:]
	if project, ok := mustSign(t, data).Project(); ok {
		t.Errorf("project %s of an id of 31 bytes", project)
	}
}

// TestEveryTypeHasItsBody checks that every type has exactly one body, named after it.
//
// Rules: P2.5.
func TestEveryTypeHasItsBody(t *testing.T) {
	t.Parallel()
	for _, e := range goodMessages(t) {
		field := e.Data.ProtoReflect().WhichOneof(e.Data.ProtoReflect().Descriptor().Oneofs().ByName("body"))
		if string(field.Name()) != bodyName(e.Type()) {
			t.Errorf("%s carries %s", e.Type(), field.Name())
		}
		for number := range kinds {
			if IsType(pb.MessageType(number)) && kinds[number].hasBody(e.Data) != (pb.MessageType(number) == e.Type()) {
				t.Errorf("body of %s and type %d", e.Type(), number)
			}
		}
	}
}

// TestProjects checks the projects that messages affect. internal/index checks that the ledger changes the same ones.
func TestProjects(t *testing.T) {
	t.Parallel()
	create := mustSign(t, ProjectCreate("hello", pb.Visibility_VISIBILITY_PUBLIC, "", ""))
	fork := mustSign(t, Fork(otherID, commitID, "mine", pb.Visibility_VISIBILITY_PUBLIC))
	request := mustSign(t, MergeRequestAdd(projectID, MergeProposal{
		Source: otherID, SourceRef: "topic", SourceCommit: commitID, TargetRef: "main", Title: "please",
	}))
	tests := []struct {
		of   *Envelope
		want []Hash
	}{
		{create, []Hash{create.Hash}},
		{fork, []Hash{fork.Hash, otherID}},
		{request, []Hash{projectID, otherID}},
		{mustSign(t, MergeRequestRemove(projectID, otherID)), []Hash{projectID}},
		{mustSign(t, ProjectRemove(projectID)), []Hash{projectID}},
		{mustSign(t, ProjectArchive(projectID)), []Hash{projectID}},
		{mustSign(t, RefDelete(projectID, "main", Hash{}, 1)), []Hash{projectID}},
		{mustSign(t, Star(projectID)), []Hash{projectID}},
		{mustSign(t, Unstar(projectID)), []Hash{projectID}},
		{mustSign(t, Like(projectID, commitID)), []Hash{projectID}},
		{mustSign(t, Unlike(projectID, commitID)), []Hash{projectID}},
		{mustSign(t, Follow(stranger)), nil},
		{mustSign(t, Unfollow(stranger)), nil},
		{mustSign(t, UsernameCreate("someone")), nil},
	}
	for _, test := range tests {
		if got := test.of.Projects(); !slices.Equal(got, test.want) {
			t.Errorf("%s affects %v, want %v", test.of.Type(), got, test.want)
		}
	}
}
