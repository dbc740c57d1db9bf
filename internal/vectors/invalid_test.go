package vectors

import (
	"strings"

	pb "makechain/gen/makechain"
	"makechain/message"
)

// refuse adds a case that exceeds the limits of one field.
type refuse func(field, name string, data *pb.MessageData)

// invalidCases returns messages that break each field rule of P5, one at a time.
func invalidCases(good *bodies) []bodyCase {
	var list []bodyCase
	refuse := func(field, name string, data *pb.MessageData) {
		list = append(list, bodyCase{name: name, field: field, data: data})
	}
	invalidProjects(good, refuse)
	invalidRefs(good, refuse)
	invalidCommits(good, refuse)
	invalidCollaboration(good, refuse)
	invalidAccounts(good, refuse)
	invalidSocial(good, refuse)
	invalidStorage(good, refuse)
	invalidSigners(good, refuse)
	invalidKeychain(good, refuse)
	return list
}

func invalidProjects(good *bodies, refuse refuse) {
	create := func(change func(*pb.ProjectCreateBody)) *pb.MessageData { return edit(good.projectCreate, change) }
	for _, bad := range []struct{ name, value string }{
		{"empty", ""},
		{"101 bytes", filler(101)},
		{"letter outside of ASCII", "größe"},
		{"hyphen first", "-a"},
		{"dot first", ".a"},
		{"dot last", "a."},
		{"git last", "a.git"},
		{"two dots", "a..b"},
		{"line feed at the end", "a\n"},
	} {
		refuse("project_create.name", bad.name, create(func(b *pb.ProjectCreateBody) { b.Name = bad.value }))
	}
	refuse("project_create.visibility", "2", create(func(b *pb.ProjectCreateBody) { b.Visibility = 2 }))
	refuse("project_create.visibility", "-1", create(func(b *pb.ProjectCreateBody) { b.Visibility = -1 }))
	refuse("project_create.description", "501 bytes", create(func(b *pb.ProjectCreateBody) { b.Description = filler(501) }))
	refuse("project_create.license", "101 bytes", create(func(b *pb.ProjectCreateBody) { b.License = filler(101) }))

	fork := func(change func(*pb.ForkBody)) *pb.MessageData { return edit(good.fork, change) }
	refuse("fork.source_project_id", "31 bytes", fork(func(b *pb.ForkBody) { b.SourceProjectId = somePart("x", 31) }))
	refuse("fork.name", "one hyphen", fork(func(b *pb.ForkBody) { b.Name = "-" }))
	refuse("fork.source_commit_hash", "empty", fork(func(b *pb.ForkBody) { b.SourceCommitHash = nil }))
	refuse("fork.visibility", "7", fork(func(b *pb.ForkBody) { b.Visibility = 7 }))

	metadata := func(field pb.ProjectMetadataType, value string) *pb.MessageData {
		return message.ProjectMetadata(someHash("a project"), field, value)
	}
	refuse("project_metadata.project_id", "33 bytes", edit(good.projectMetadata, func(b *pb.ProjectMetadataBody) { b.ProjectId = make([]byte, 33) }))
	refuse("project_metadata.field", "not set", metadata(0, "x"))
	refuse("project_metadata.field", "5", metadata(5, "x"))
	refuse("project_metadata.value", "501 bytes", metadata(pb.ProjectMetadataType_PROJECT_METADATA_DESCRIPTION, filler(501)))
	refuse("project_metadata.value", "no project name", metadata(pb.ProjectMetadataType_PROJECT_METADATA_NAME, "a b"))
	refuse("project_metadata.value", "255 bytes of a default branch", metadata(pb.ProjectMetadataType_PROJECT_METADATA_DEFAULT_BRANCH, filler(255)))
	refuse("project_metadata.value", "zero byte in a default branch", metadata(pb.ProjectMetadataType_PROJECT_METADATA_DEFAULT_BRANCH, "a\x00"))
	for _, bad := range []struct{ name, value string }{
		{"nine URLs", strings.Repeat("http://a\n", 8) + "http://a"},
		{"2,049 bytes of URLs", "http://a/" + filler(2040)},
		{"empty line", "http://a\n\nhttp://b"},
		{"line feed at the end", "http://a\n"},
		{"URL of another scheme", "ftp://a"},
		{"URL without host", "https:///a"},
		{"URL with userinfo", "https://user@example.com/"},
		{"URL with query", "https://example.com/?a"},
		{"URL with fragment", "https://example.com/#a"},
		{"URL with port 0", "https://example.com:0/"},
		{"URL with port 65,536", "https://example.com:65536"},
		{"URL with space", "https://example.com/a b"},
		{"URL with incomplete escape", "https://example.com/%4"},
		{"URL outside of ASCII", "https://example.com/é"},
	} {
		refuse("project_metadata.value", bad.name, metadata(pb.ProjectMetadataType_PROJECT_METADATA_CONTENT, bad.value))
	}
	refuse("project_metadata.value", "no visibility", metadata(pb.ProjectMetadataType_PROJECT_METADATA_VISIBILITY, "Public"))
	refuse("project_archive.project_id", "empty", edit(good.projectArchive, func(b *pb.ProjectArchiveBody) { b.ProjectId = nil }))
	refuse("project_remove.project_id", "20 bytes", edit(good.projectRemove, func(b *pb.ProjectRemoveBody) { b.ProjectId = make([]byte, 20) }))
}

func invalidRefs(good *bodies, refuse refuse) {
	change := func(change func(*pb.RefUpdateBody)) *pb.MessageData { return edit(good.refUpdate, change) }
	refuse("ref_update.project_id", "empty", change(func(b *pb.RefUpdateBody) { b.ProjectId = nil }))
	refuse("ref_update.ref_name", "empty", change(func(b *pb.RefUpdateBody) { b.RefName = nil }))
	refuse("ref_update.ref_name", "255 bytes", change(func(b *pb.RefUpdateBody) { b.RefName = []byte(filler(255)) }))
	refuse("ref_update.ref_name", "zero byte", change(func(b *pb.RefUpdateBody) { b.RefName = []byte("a\x00b") }))
	refuse("ref_update.ref_type", "2", change(func(b *pb.RefUpdateBody) { b.RefType = 2 }))
	refuse("ref_update.old_hash", "31 bytes", change(func(b *pb.RefUpdateBody) { b.OldHash = make([]byte, 31) }))
	refuse("ref_update.new_hash", "empty", change(func(b *pb.RefUpdateBody) { b.NewHash = nil }))
	refuse("ref_update.tag_object", "20 bytes", change(func(b *pb.RefUpdateBody) { b.RefType, b.TagObject = pb.RefType_REF_TYPE_TAG, make([]byte, 20) }))
	refuse("ref_update.tag_object", "of a branch", change(func(b *pb.RefUpdateBody) { b.RefType, b.TagObject = 0, make([]byte, 32) }))
	refuse("ref_update.content_digest", "33 bytes", change(func(b *pb.RefUpdateBody) { b.ContentDigest = make([]byte, 33) }))
	refuse("ref_update.nonce", "0", change(func(b *pb.RefUpdateBody) { b.Nonce = 0 }))

	remove := func(change func(*pb.RefDeleteBody)) *pb.MessageData { return edit(good.refDelete, change) }
	refuse("ref_delete.project_id", "31 bytes", remove(func(b *pb.RefDeleteBody) { b.ProjectId = make([]byte, 31) }))
	refuse("ref_delete.ref_name", "zero byte last", remove(func(b *pb.RefDeleteBody) { b.RefName = []byte("a\x00") }))
	refuse("ref_delete.expected_hash", "1 byte", remove(func(b *pb.RefDeleteBody) { b.ExpectedHash = []byte{1} }))
	refuse("ref_delete.nonce", "0", remove(func(b *pb.RefDeleteBody) { b.Nonce = 0 }))
}

func invalidCommits(good *bodies, refuse refuse) {
	bundle := func(change func(*pb.CommitBundleBody)) *pb.MessageData { return edit(good.commitBundle, change) }
	second := func(change func(*pb.CommitMeta)) *pb.MessageData {
		return bundle(func(b *pb.CommitBundleBody) { change(b.Commits[1]) })
	}
	const at = "commit_bundle.commits[1]."
	refuse("commit_bundle.project_id", "empty", bundle(func(b *pb.CommitBundleBody) { b.ProjectId = nil }))
	refuse("commit_bundle.commits", "none", bundle(func(b *pb.CommitBundleBody) { b.Commits = nil }))
	refuse("commit_bundle.commits", "1,001", bundle(func(b *pb.CommitBundleBody) {
		b.Commits = make([]*pb.CommitMeta, 1001)
		for i := range b.Commits {
			b.Commits[i] = new(pb.CommitMeta)
		}
	}))
	refuse("commit_bundle.content_digest", "16 bytes", bundle(func(b *pb.CommitBundleBody) { b.ContentDigest = make([]byte, 16) }))
	refuse("commit_bundle.url", "without a digest", bundle(func(b *pb.CommitBundleBody) { b.ContentDigest = nil }))
	refuse("commit_bundle.url", "2,049 bytes", bundle(func(b *pb.CommitBundleBody) { b.Url = filler(2049) }))
	refuse("commit_bundle.url", "line feed", bundle(func(b *pb.CommitBundleBody) { b.Url = "https://example.com/\n" }))
	refuse("commit_bundle.url", "control character of two bytes", bundle(func(b *pb.CommitBundleBody) { b.Url = "https://example.com/\u0085" }))
	refuse(at+"hash", "twice", second(func(c *pb.CommitMeta) { c.Hash, c.Parents = somePart("commit first", 32), nil }))
	refuse(at+"hash", "empty", second(func(c *pb.CommitMeta) { c.Hash = nil }))
	refuse(at+"tree_root", "31 bytes", second(func(c *pb.CommitMeta) { c.TreeRoot = make([]byte, 31) }))
	refuse(at+"message_hash", "empty", second(func(c *pb.CommitMeta) { c.MessageHash = nil }))
	refuse(at+"author_address", "32 bytes", second(func(c *pb.CommitMeta) { c.AuthorAddress = make([]byte, 32) }))
	refuse(at+"author_name", "101 bytes", second(func(c *pb.CommitMeta) { c.AuthorName = filler(101) }))
	refuse(at+"author_name", "line feed", second(func(c *pb.CommitMeta) { c.AuthorName = "a\n" }))
	refuse(at+"author_name", "control character of two bytes", second(func(c *pb.CommitMeta) { c.AuthorName = "a\u009f" }))
	refuse(at+"title", "201 bytes", second(func(c *pb.CommitMeta) { c.Title = filler(201) }))
	refuse(at+"parents[0]", "20 bytes", second(func(c *pb.CommitMeta) { c.Parents = [][]byte{make([]byte, 20)} }))
	refuse(at+"parents", "65", second(func(c *pb.CommitMeta) {
		c.Parents = make([][]byte, 65)
		for i := range c.Parents {
			c.Parents[i] = make([]byte, 32)
		}
	}))
}
