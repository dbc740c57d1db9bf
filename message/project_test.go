package message

import (
	"strings"
	"testing"

	pb "makechain/gen/makechain"
)

// nameBounds returns test cases for a project name field of any body.
func nameBounds[B any](field string, set func(B, string)) (list []bound[B]) {
	for _, c := range []struct{ name, value, refused string }{
		{"name of one letter", "a", ""},
		{"name of one digit", "0", ""},
		{"longest name", strings.Repeat("a", 100), ""},
		{"mixed name", "Hello-World--2", ""},
		{"hyphen last", "a-", ""},
		{"underscores", "a_b__c_", ""},
		{"dots", "a.b.c", ""},
		{"git inside", "a.git.b", ""},
		{"git without a dot", "git", ""},
		{"no name", "", "0 bytes, between 1 and 100"},
		{"name too long", strings.Repeat("a", 101), "101 bytes, between 1 and 100"},
		{"hyphen first", "-a", "'-' first, only a letter or a digit"},
		{"underscore first", "_a", "'_' first, only a letter or a digit"},
		{"dot first", ".a", "'.' first, only a letter or a digit"},
		{"only git", ".git", "'.' first, only a letter or a digit"},
		{"dot last", "a.", `ends with "." or ".git"`},
		{"git last", "a.git", `ends with "." or ".git"`},
		{"two dots", "a..b", "two dots in a row"},
		{"three dots last", "a...", "two dots in a row"},
		{"space", "a b", "byte ' ' at 1, only letters, digits, hyphens, underscores and dots"},
		{"slash", "a/b", "byte '/' at 1, only letters, digits, hyphens, underscores and dots"},
		{"zero byte", "a\x00", "byte '\\x00' at 1, only letters, digits, hyphens, underscores and dots"},
		{"letter beyond ASCII", "é", "byte 'Ã' at 0, only letters, digits, hyphens, underscores and dots"},
		{"byte next to the letters", "a[", "byte '[' at 1, only letters, digits, hyphens, underscores and dots"},
	} {
		refused := c.refused
		if refused != "" {
			refused = field + ": " + refused
		}
		list = append(list, bound[B]{c.name, func(b B) { set(b, c.value) }, refused})
	}
	return list
}

// TestProjectCreateBounds checks the field limits of PROJECT_CREATE.
//
// Rules: P5/PROJECT_CREATE.
func TestProjectCreateBounds(t *testing.T) {
	t.Parallel()
	good := func() *pb.MessageData { return ProjectCreate("hello", 0, "d", "MIT") }
	checkBounds(t, good, (*pb.MessageData).GetProjectCreate, append(
		nameBounds("project_create.name", func(b *pb.ProjectCreateBody, v string) { b.Name = v }),
		[]bound[*pb.ProjectCreateBody]{
			{"no description", func(b *pb.ProjectCreateBody) { b.Description = "" }, ""},
			{"longest description", func(b *pb.ProjectCreateBody) { b.Description = zeros(500) }, ""},
			{"description too long", func(b *pb.ProjectCreateBody) { b.Description = zeros(501) }, "project_create.description: 501 bytes, at most 500"},
			{"description counts bytes", func(b *pb.ProjectCreateBody) { b.Description = strings.Repeat("é", 251) }, "project_create.description: 502 bytes, at most 500"},
			{"no license", func(b *pb.ProjectCreateBody) { b.License = "" }, ""},
			{"longest license", func(b *pb.ProjectCreateBody) { b.License = zeros(100) }, ""},
			{"license too long", func(b *pb.ProjectCreateBody) { b.License = zeros(101) }, "project_create.license: 101 bytes, at most 100"},
			{"private", func(b *pb.ProjectCreateBody) { b.Visibility = 1 }, ""},
			{"unknown visibility", func(b *pb.ProjectCreateBody) { b.Visibility = 2 }, "project_create.visibility: 2 is not a known value"},
			{"negative visibility", func(b *pb.ProjectCreateBody) { b.Visibility = -1 }, "project_create.visibility: -1 is not a known value"},
		}...))
}

// TestForkBounds checks the field limits of FORK.
//
// Rules: P5/FORK.
func TestForkBounds(t *testing.T) {
	t.Parallel()
	good := func() *pb.MessageData { return Fork(projectID, commitID, "fork", 0) }
	checkBounds(t, good, (*pb.MessageData).GetFork, append(
		nameBounds("fork.name", func(b *pb.ForkBody, v string) { b.Name = v }),
		[]bound[*pb.ForkBody]{
			{"no source", func(b *pb.ForkBody) { b.SourceProjectId = nil }, "fork.source_project_id: 0 bytes, want 32"},
			{"short source", func(b *pb.ForkBody) { b.SourceProjectId = projectID[1:] }, "fork.source_project_id: 31 bytes, want 32"},
			{"no commit", func(b *pb.ForkBody) { b.SourceCommitHash = nil }, "fork.source_commit_hash: 0 bytes, want 32"},
			{"long commit", func(b *pb.ForkBody) { b.SourceCommitHash = make([]byte, 33) }, "fork.source_commit_hash: 33 bytes, want 32"},
			{"private", func(b *pb.ForkBody) { b.Visibility = 1 }, ""},
			{"unknown visibility", func(b *pb.ForkBody) { b.Visibility = 2 }, "fork.visibility: 2 is not a known value"},
		}...))
}

// TestProjectMetadataBounds checks the field limits of PROJECT_METADATA.
//
// Rules: P5/PROJECT_METADATA.
func TestProjectMetadataBounds(t *testing.T) {
	t.Parallel()
	set := func(field pb.ProjectMetadataType, value string) func(*pb.ProjectMetadataBody) {
		return func(b *pb.ProjectMetadataBody) { b.Field, b.Value = field, value }
	}
	good := func() *pb.MessageData { return ProjectMetadata(projectID, 1, "hello") }
	checkBounds(t, good, (*pb.MessageData).GetProjectMetadata, append(
		nameBounds("project_metadata.value", func(b *pb.ProjectMetadataBody, v string) { b.Value = v }),
		[]bound[*pb.ProjectMetadataBody]{
			{"no project", func(b *pb.ProjectMetadataBody) { b.ProjectId = nil }, "project_metadata.project_id: 0 bytes, want 32"},
			{"no field", set(0, "x"), "project_metadata.field: not set"},
			{"unknown field", set(5, "x"), "project_metadata.field: 5 is not a known value"},
			{"field after the last", set(102, "x"), "project_metadata.field: 102 is not a known value"},
			{"default branch", set(101, "refs/heads/main"), ""},
			{"no default branch", set(101, ""), ""},
			{"longest default branch", set(101, strings.Repeat("a", 254)), ""},
			{"default branch too long", set(101, strings.Repeat("a", 255)), "project_metadata.value: 255 bytes, at most 254"},
			{"zero byte in default branch", set(101, "a\x00b"), "project_metadata.value: zero byte at 1"},
			{"empty description", set(2, ""), ""},
			{"longest description", set(2, zeros(500)), ""},
			{"description too long", set(2, zeros(501)), "project_metadata.value: 501 bytes, at most 500"},
			{"longest license", set(3, zeros(500)), ""},
			{"license too long", set(3, zeros(501)), "project_metadata.value: 501 bytes, at most 500"},
			{"public", set(4, "public"), ""},
			{"private", set(4, "private"), ""},
			{"empty visibility", set(4, ""), `project_metadata.value: "", want "public" or "private"`},
			{"upper case visibility", set(4, "Public"), `project_metadata.value: "Public", want "public" or "private"`},
		}...))
}

// TestProjectIDBounds checks the bodies whose only field is a project id.
//
// Rules: P5/all.
func TestProjectIDBounds(t *testing.T) {
	t.Parallel()
	checkBounds(t, func() *pb.MessageData { return ProjectArchive(projectID) }, (*pb.MessageData).GetProjectArchive,
		[]bound[*pb.ProjectArchiveBody]{
			{"no project to archive", func(b *pb.ProjectArchiveBody) { b.ProjectId = nil }, "project_archive.project_id: 0 bytes, want 32"},
		})
	checkBounds(t, func() *pb.MessageData { return ProjectRemove(projectID) }, (*pb.MessageData).GetProjectRemove,
		[]bound[*pb.ProjectRemoveBody]{
			{"no project to remove", func(b *pb.ProjectRemoveBody) { b.ProjectId = nil }, "project_remove.project_id: 0 bytes, want 32"},
		})
}
