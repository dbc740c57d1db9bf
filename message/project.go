package message

import (
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
	f.size("value", len(b.GetValue()), 0, MaxMetadataValue)
	switch b.GetField() {
	case pb.ProjectMetadataType_PROJECT_METADATA_NAME:
		f.projectName("value", b.GetValue())
	case pb.ProjectMetadataType_PROJECT_METADATA_VISIBILITY:
		if v := b.GetValue(); v != VisibilityPublic && v != VisibilityPrivate {
			f.refuse("value", "%q, want %q or %q", v, VisibilityPublic, VisibilityPrivate)
		}
	}
}

func checkProjectID[B interface{ GetProjectId() []byte }](f *fields, b B) {
	f.hash("project_id", b.GetProjectId())
}

// projectName requires letters, digits and hyphens, with no hyphen at either end.
func (f *fields) projectName(name, value string) {
	f.size(name, len(value), 1, MaxProjectName)
	for i := range len(value) {
		if c := value[i]; !isAlphanumeric(c) && c != '-' {
			f.refuse(name, "byte %q at %d, only letters, digits and hyphens", c, i)
			return
		}
	}
	if strings.HasPrefix(value, "-") || strings.HasSuffix(value, "-") {
		f.refuse(name, "hyphen at an end")
	}
}

func isAlphanumeric(c byte) bool { return isLowerAlphanumeric(c) || 'A' <= c && c <= 'Z' }

func isLowerAlphanumeric(c byte) bool { return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' }
