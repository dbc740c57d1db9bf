package message

import (
	"slices"
	"strings"
	"testing"

	pb "makechain/gen/makechain"
)

// phaseTable is the table of P3 as the specification writes it: the phase of each type, and a clock for
// those whose age matters.
const phaseTable = `
PROJECT_CREATE       A clock
FORK                 A clock
PROJECT_REMOVE       A
PROJECT_ARCHIVE      P
PROJECT_METADATA     P
REF_UPDATE           P
REF_DELETE           P
COMMIT_BUNDLE        P
COLLABORATOR_ADD     P clock
COLLABORATOR_REMOVE  P clock
MERGE_REQUEST_ADD    P clock
MERGE_REQUEST_REMOVE P clock
ACCOUNT_DATA         A
VERIFICATION_ADD     A clock
VERIFICATION_REMOVE  A clock
LINK_ADD             A clock
LINK_REMOVE          A clock
REACTION_ADD         A clock
REACTION_REMOVE      A clock
USERNAME_CREATE      A clock
USERNAME_UPDATE      A clock
STORAGE_CLAIM        A clock
SIGNER_ADD           A
SIGNER_REMOVE        A
KEYCHAIN_AUTHORIZE   A
KEYCHAIN_REVOKE      A
`

// TestPhases compares every type with the table of P3.
//
// Rules: P3/phases.
func TestPhases(t *testing.T) {
	t.Parallel()
	rows := map[string][]string{}
	for line := range strings.Lines(strings.TrimSpace(phaseTable)) {
		words := strings.Fields(line)
		rows[words[0]] = words[1:]
	}
	if len(rows) != 26 || len(pb.MessageType_name) != 27 {
		t.Fatalf("%d rows and %d types with NONE, want 26 and 27", len(rows), len(pb.MessageType_name))
	}
	seen := map[pb.MessageType]bool{}
	for _, e := range goodMessages(t) {
		seen[e.Type()] = true
		row := rows[typeName(e.Type())]
		want := AccountPhase
		if slices.Contains(row, "P") {
			want = ProjectPhase
		}
		if e.Phase() != want || e.TimeSensitive() != slices.Contains(row, "clock") {
			t.Errorf("%s: phase %s, time sensitive %t, want %v", e.Type(), e.Phase(), e.TimeSensitive(), row)
		}
		project, ok := e.Project()
		if ok != (want == ProjectPhase) || ok && project != projectID {
			t.Errorf("%s: project %s, %t", e.Type(), project, ok)
		}
	}
	if len(seen) != len(rows) {
		t.Errorf("%d types among the good messages, want %d", len(seen), len(rows))
	}
}

// TestProjectOfMalformedID asks for the project of a message that Validate refuses.
func TestProjectOfMalformedID(t *testing.T) {
	t.Parallel()
	data := ProjectArchive(projectID)
	data.GetProjectArchive().ProjectId = projectID[1:]
	if project, ok := mustSign(t, data).Project(); ok {
		t.Errorf("project %s of an id of 31 bytes", project)
	}
}

// TestEveryTypeHasItsBody sees to it that the table names each body once, and after its type.
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
			if knownType(uint64(number)) && kinds[number].hasBody(e.Data) != (pb.MessageType(number) == e.Type()) {
				t.Errorf("body of %s and type %d", e.Type(), number)
			}
		}
	}
}
