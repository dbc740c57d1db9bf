package message

import (
	"fmt"
	"strings"

	pb "makechain/gen/makechain"
)

// Bounds of a project's fields, in bytes (P5).
const (
	MaxProjectName   = 100
	MaxDescription   = 500
	MaxLicense       = 100
	MaxMetadataValue = 500
)

// Values of the VISIBILITY field of PROJECT_METADATA.
const (
	VisibilityPublic  = "public"
	VisibilityPrivate = "private"
)

// ProjectCreate returns a message that creates a project. The message's hash becomes its id.
func ProjectCreate(name string, visibility pb.Visibility, description, license string) *pb.MessageData {
	return &pb.MessageData{
		Type: pb.MessageType_MESSAGE_TYPE_PROJECT_CREATE,
		Body: &pb.MessageData_ProjectCreate{ProjectCreate: &pb.ProjectCreateBody{
			Name: name, Visibility: visibility, Description: description, License: license,
		}},
	}
}

// Fork returns a message that creates a project from a commit of another one. The message's hash becomes its id.
func Fork(source, commit Hash, name string, visibility pb.Visibility) *pb.MessageData {
	return &pb.MessageData{
		Type: pb.MessageType_MESSAGE_TYPE_FORK,
		Body: &pb.MessageData_Fork{Fork: &pb.ForkBody{
			SourceProjectId: source[:], Name: name, SourceCommitHash: commit[:], Visibility: visibility,
		}},
	}
}

// ProjectMetadata returns a message that sets one field of a project.
func ProjectMetadata(project Hash, field pb.ProjectMetadataType, value string) *pb.MessageData {
	return &pb.MessageData{
		Type: pb.MessageType_MESSAGE_TYPE_PROJECT_METADATA,
		Body: &pb.MessageData_ProjectMetadata{ProjectMetadata: &pb.ProjectMetadataBody{
			ProjectId: project[:], Field: field, Value: value,
		}},
	}
}

// ProjectArchive returns a message that makes a project permanently read-only.
func ProjectArchive(project Hash) *pb.MessageData {
	return &pb.MessageData{
		Type: pb.MessageType_MESSAGE_TYPE_PROJECT_ARCHIVE,
		Body: &pb.MessageData_ProjectArchive{ProjectArchive: &pb.ProjectArchiveBody{ProjectId: project[:]}},
	}
}

// ProjectRemove returns a message that removes a project and frees its name.
func ProjectRemove(project Hash) *pb.MessageData {
	return &pb.MessageData{
		Type: pb.MessageType_MESSAGE_TYPE_PROJECT_REMOVE,
		Body: &pb.MessageData_ProjectRemove{ProjectRemove: &pb.ProjectRemoveBody{ProjectId: project[:]}},
	}
}

func checkProjectCreate(f *fields, b *pb.ProjectCreateBody) {
	f.projectName("name", b.GetName())
	f.known("visibility", int32(b.GetVisibility()), pb.Visibility_name)
	f.size("description", len(b.GetDescription()), 0, MaxDescription)
	f.size("license", len(b.GetLicense()), 0, MaxLicense)
}

func checkFork(f *fields, b *pb.ForkBody) {
	f.hash("source_project_id", b.GetSourceProjectId())
	f.projectName("name", b.GetName())
	f.hash("source_commit_hash", b.GetSourceCommitHash())
	f.known("visibility", int32(b.GetVisibility()), pb.Visibility_name)
}

func checkProjectMetadata(f *fields, b *pb.ProjectMetadataBody) {
	f.hash("project_id", b.GetProjectId())
	f.set("field", int32(b.GetField()), pb.ProjectMetadataType_name)
	if b.GetField() == pb.ProjectMetadataType_PROJECT_METADATA_CONTENT {
		f.contentURLs("value", b.GetValue())
		return
	}
	f.size("value", len(b.GetValue()), 0, MaxMetadataValue)
	switch b.GetField() {
	case pb.ProjectMetadataType_PROJECT_METADATA_NAME:
		f.projectName("value", b.GetValue())
	case pb.ProjectMetadataType_PROJECT_METADATA_DEFAULT_BRANCH:
		if b.GetValue() != "" {
			f.refName("value", []byte(b.GetValue()))
		}
	case pb.ProjectMetadataType_PROJECT_METADATA_VISIBILITY:
		if v := b.GetValue(); v != VisibilityPublic && v != VisibilityPrivate {
			f.refuse("value", "%q, want %q or %q", v, VisibilityPublic, VisibilityPrivate)
		}
	}
}

func checkProjectID[B interface{ GetProjectId() []byte }](f *fields, b B) {
	f.hash("project_id", b.GetProjectId())
}

// IsProjectName reports whether a name is valid for a project.
func IsProjectName(name string) bool { return projectNameFault(name) == "" }

func (f *fields) projectName(name, value string) {
	if fault := projectNameFault(value); fault != "" {
		f.refuse(name, "%s", fault)
	}
}

// projectNameFault returns what makes a project name invalid, empty for a valid one. A valid name is also safe as the name of a
// directory and as a segment of a URL path, with or without ".git" after it.
func projectNameFault(name string) string {
	if len(name) == 0 || len(name) > MaxProjectName {
		return fmt.Sprintf("%d bytes, between 1 and %d", len(name), MaxProjectName)
	}
	for i := range len(name) {
		if c := name[i]; !isAlphanumeric(c) && strings.IndexByte("-_.", c) < 0 {
			return fmt.Sprintf("byte %q at %d, only letters, digits, hyphens, underscores and dots", c, i)
		}
	}
	switch {
	case !isAlphanumeric(name[0]):
		return fmt.Sprintf("%q first, only a letter or a digit", name[0])
	case strings.Contains(name, ".."):
		return "two dots in a row"
	case strings.HasSuffix(name, "."), strings.HasSuffix(name, ".git"):
		return `ends with "." or ".git"`
	}
	return ""
}

func isAlphanumeric(c byte) bool { return isLowerAlphanumeric(c) || 'A' <= c && c <= 'Z' }

func isLowerAlphanumeric(c byte) bool { return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' }
