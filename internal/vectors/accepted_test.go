package vectors

import (
	"strings"

	pb "makechain/gen/makechain"
	"makechain/message"
)

// acceptedCases returns messages of every type, and messages at the limits of their fields.
func acceptedCases(good *bodies) []bodyCase {
	var list []bodyCase
	accept := func(name string, data *pb.MessageData) { list = append(list, bodyCase{name: name, data: data}) }
	for _, data := range good.all() {
		accept(strings.ToLower(strings.TrimPrefix(data.GetType().String(), "MESSAGE_TYPE_")), data)
	}
	acceptProjectBounds(accept)
	acceptOtherBounds(good, accept)
	return list
}

func acceptProjectBounds(accept func(string, *pb.MessageData)) {
	project := someHash("a project")
	accept("name of one letter, private, nothing else", message.ProjectCreate("a", pb.Visibility_VISIBILITY_PRIVATE, "", ""))
	accept("longest name, description and license",
		message.ProjectCreate(filler(100), pb.Visibility_VISIBILITY_PUBLIC, strings.Repeat("ä", 250), filler(100)))
	accept("empty description", message.ProjectMetadata(project, pb.ProjectMetadataType_PROJECT_METADATA_DESCRIPTION, ""))
	accept("longest value", message.ProjectMetadata(project, pb.ProjectMetadataType_PROJECT_METADATA_LICENSE, filler(500)))
	accept("new name", message.ProjectMetadata(project, pb.ProjectMetadataType_PROJECT_METADATA_NAME, "Name-2"))
	accept("name with dots, underscores and a hyphen at the end", message.ProjectCreate("0_a.b.git.c-", pb.Visibility_VISIBILITY_PUBLIC, "", ""))
	accept("no stores", message.ProjectMetadata(project, pb.ProjectMetadataType_PROJECT_METADATA_CONTENT, ""))
	accept("eight stores", message.ProjectMetadata(project, pb.ProjectMetadataType_PROJECT_METADATA_CONTENT, strings.Join([]string{
		"http://a", "https://EXAMPLE.com/", "http://[::1]:65535/a", "https://a_b-c.example:8443", "http://127.0.0.1/%C3%a9/~!$&'()*+,;=:@-._",
		"https://a/b//c", "https://a/..", "https://a/b/",
	}, "\n")))
	accept("longest stores", message.ProjectMetadata(project, pb.ProjectMetadataType_PROJECT_METADATA_CONTENT, "http://a/"+filler(2039)))
	accept("longest default branch", message.ProjectMetadata(project, pb.ProjectMetadataType_PROJECT_METADATA_DEFAULT_BRANCH, filler(254)))
	accept("no default branch", message.ProjectMetadata(project, pb.ProjectMetadataType_PROJECT_METADATA_DEFAULT_BRANCH, ""))
	accept("visibility", message.ProjectMetadata(project, pb.ProjectMetadataType_PROJECT_METADATA_VISIBILITY, "private"))
	accept("longest ref name, of bytes that are no text, forced tag, largest nonce",
		message.RefUpdate(project, strings.Repeat("\xff", 254), message.RefMove{
			Type: pb.RefType_REF_TYPE_TAG, New: someHash("a commit"), Force: true, Nonce: 1<<64 - 1,
		}))
	accept("first ref update, without an old hash", message.RefUpdate(project, "r", message.RefMove{New: someHash("a commit"), Nonce: 1}))
	accept("tag with a tag object, and content", message.RefUpdate(project, "refs/tags/v1", message.RefMove{
		Type: pb.RefType_REF_TYPE_TAG, New: someHash("a commit"), Nonce: 1, TagObject: someHash("a tag object"), ContentDigest: someHash("a pack"),
	}))
	accept("ref delete of any hash", message.RefDelete(project, "r", message.Hash{}, 1))
	accept("bundle without digest and url", message.CommitBundle(project, message.Content{}, someCommit("only")))
	octopus := someCommit("octopus")
	for range 64 {
		octopus.Parents = append(octopus.Parents, someHash("a commit"))
	}
	octopus.AuthorTimestamp, octopus.Title, octopus.AuthorName = 0, filler(200), strings.Repeat("ä", 50)
	accept("commit with 64 parents and the longest title", message.CommitBundle(project, message.Content{Digest: someHash("pack"), URL: filler(2048)}, octopus))
	accept("permission read", message.CollaboratorAdd(project, someAddress("carol"), pb.Permission_PERMISSION_READ))
	accept("permission owner", message.CollaboratorAdd(project, someAddress("carol"), pb.Permission_PERMISSION_OWNER))
}

func acceptOtherBounds(good *bodies, accept func(string, *pb.MessageData)) {
	accept("longest display name", message.AccountData(pb.AccountDataType_ACCOUNT_DATA_DISPLAY_NAME, filler(32)))
	accept("longest bio", message.AccountData(pb.AccountDataType_ACCOUNT_DATA_BIO, filler(500)))
	accept("empty website", message.AccountData(pb.AccountDataType_ACCOUNT_DATA_WEBSITE, ""))
	accept("shortest username", message.UsernameCreate("a-1"))
	accept("longest username", message.UsernameUpdate("0"+strings.Repeat("-", 30)+"z"))
	accept("shortest address", message.VerificationRemove([]byte{1}))
	accept("longest address", message.VerificationRemove([]byte(filler(128))))
	accept("window of an hour", edit(good.signerRemove, func(b *pb.SignerRemoveBody) { b.ValidBefore = b.ValidAfter + 3600 }))
	accept("window of one second", edit(good.keychainRevoke, func(b *pb.KeychainRevokeBody) { b.ValidBefore = b.ValidAfter }))
	accept("longest witness", edit(good.keychainRevoke, func(b *pb.KeychainRevokeBody) { b.Witness = []byte(filler(1024)) }))
	accept("owner key asked for by oneself", edit(good.signerAdd, func(b *pb.SignerAddBody) {
		b.Scope, b.AllowedProjects = uint32(pb.KeyScope_KEY_SCOPE_OWNER), nil
	}))
	accept("custody key that is no admin and expires", edit(good.keychainAuthorize, func(b *pb.KeychainAuthorizeBody) {
		b.Admin, b.ExpiresAt = false, 1<<64-1
	}))
	accept("latest settlement that can be granted", edit(good.storageClaim, func(b *pb.StorageClaimBody) {
		b.SettlementTimestamp, b.Units = 1<<32-1-message.StorageTerm, 1<<32-1
	}))
	accept("merge request that replaces another", edit(good.mergeRequestAdd, func(b *pb.MergeRequestAddBody) { b.Replaces = somePart("another request", 32) }))
	accept("merged as another commit", edit(good.mergeRequestRemove, func(b *pb.MergeRequestRemoveBody) {
		b.Outcome, b.MergeCommit = pb.MergeRequestOutcome_MERGE_REQUEST_OUTCOME_MERGED, somePart("a merge", 32)
	}))
	accept("merge request withdrawn", edit(good.mergeRequestRemove, func(b *pb.MergeRequestRemoveBody) {
		b.Outcome = pb.MergeRequestOutcome_MERGE_REQUEST_OUTCOME_WITHDRAWN
	}))
	accept("longest title", edit(good.mergeRequestAdd, func(b *pb.MergeRequestAddBody) { b.Title = filler(200) }))
}
