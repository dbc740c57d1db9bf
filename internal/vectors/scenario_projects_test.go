package vectors

import (
	"strconv"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/message"
)

// TestScenarioProjects generates a chain on which projects are created, forked, renamed, archived and removed.
//
// Rules: P3.1, P3.2, P8.6, P9.1, P9.5, P9.6.
func TestScenarioProjects(t *testing.T) {
	t.Parallel()
	c := newChain(t, "the life of projects")
	actors := c.join(1, "alice", "bob")
	alice, bob := actors[0], actors[1]
	hello := c.apply("a public project", c.sign(alice, message.ProjectCreate("hello", pb.Visibility_VISIBILITY_PUBLIC, "first", "MIT"))).Hash
	hidden := c.apply("a private project", c.sign(alice, message.ProjectCreate("hidden", pb.Visibility_VISIBILITY_PRIVATE, "", ""))).Hash
	c.apply("bob uses the same name", c.sign(bob, project("hello")))
	agent := alice.otherKey("alice's agent")
	c.addKey(alice, agent, pb.KeyScope_KEY_SCOPE_AGENT, hello)
	c.refuse("a name taken", message.CodeNameTaken, c.sign(alice, message.ProjectCreate("hello", 0, "second", "")))
	c.next(10)

	c.apply("first commits, by an agent", c.sign(agent, message.CommitBundle(hello, message.Content{}, someCommit("one"), someCommit("two", "one"))))
	c.commits(alice, hidden, "secret")
	c.apply("another description", c.sign(alice, metadata(hello, pb.ProjectMetadataType_PROJECT_METADATA_DESCRIPTION, "better")))
	refuseProjectWrites(c, alice, bob, agent, hello, hidden)
	c.next(10)

	fork := c.apply("bob forks", c.sign(bob, message.Fork(hello, commitHash("two"), "mine", pb.Visibility_VISIBILITY_PUBLIC))).Hash
	c.apply("bob may read what is hidden", c.sign(alice, message.CollaboratorAdd(hidden, bob.Owner(), pb.Permission_PERMISSION_READ)))
	c.apply("a new name", c.sign(alice, metadata(hello, pb.ProjectMetadataType_PROJECT_METADATA_NAME, "hello-2")))
	c.refuse("a fork of nothing", message.CodeUnknownCommit, c.sign(bob, message.Fork(hello, commitHash("nine"), "nothing", 0)))
	c.refuse("a fork of no project", message.CodeUnknownProject, c.sign(bob, message.Fork(someHash("x"), commitHash("two"), "nothing", 0)))
	c.refuse("a fork that grows where it has no history", message.CodeUnknownCommit,
		c.sign(bob, message.CommitBundle(fork, message.Content{}, someCommit("three", "one"))))
	c.next(10)

	c.apply("the old name is free", c.sign(alice, message.ProjectCreate("hello", 0, "", "")))
	c.apply("bob forks what he may read", c.sign(bob, message.Fork(hidden, commitHash("secret"), "read", pb.Visibility_VISIBILITY_PRIVATE)))
	c.commits(bob, fork, "two", "three")
	c.apply("archived", c.sign(alice, message.ProjectArchive(hello)))
	c.refuse("archived twice", message.CodeProjectArchived, c.sign(alice, message.ProjectArchive(hello)))
	c.refuse("a name for an archived project", message.CodeProjectArchived, c.sign(alice, metadata(hello, pb.ProjectMetadataType_PROJECT_METADATA_NAME, "x")))
	c.refuse("a commit for an archived project", message.CodeProjectArchived, c.sign(agent, message.CommitBundle(hello, message.Content{}, someCommit("three", "two"))))
	c.next(10)

	c.apply("a fork of what is archived", c.sign(bob, message.Fork(hello, commitHash("one"), "archived", 0)))
	c.apply("a star for what is archived", c.sign(bob, message.Star(hello)))
	c.next(10)
	removeProjects(c, alice, bob, hello)
	c.finish("projects.json")
}

func metadata(project message.Hash, field pb.ProjectMetadataType, value string) *pb.MessageData {
	return message.ProjectMetadata(project, field, value)
}

func refuseProjectWrites(c *chain, alice, bob *actor, agent *message.Author, hello, hidden message.Hash) {
	const description = pb.ProjectMetadataType_PROJECT_METADATA_DESCRIPTION
	c.refuse("an old description", message.CodeStaleWrite, must[*message.Envelope](c.t)(alice.Sign(c.now()-1, metadata(hello, description, "old"))))
	c.refuse("a description from before the project", message.CodeStaleWrite, must[*message.Envelope](c.t)(alice.Sign(now-1, metadata(hidden, description, "x"))))
	c.refuse("a name of another project", message.CodeNameTaken, c.sign(alice, metadata(hello, pb.ProjectMetadataType_PROJECT_METADATA_NAME, "hidden")))
	c.refuse("bob describes it", message.CodeInsufficientPermission, c.sign(bob, metadata(hello, description, "bob was here")))
	c.refuse("bob archives it", message.CodeInsufficientPermission, c.sign(bob, message.ProjectArchive(hello)))
	c.refuse("bob removes it", message.CodeInsufficientPermission, c.sign(bob, message.ProjectRemove(hello)))
	c.refuse("bob forks what is hidden", message.CodeInsufficientPermission, c.sign(bob, message.Fork(hidden, commitHash("secret"), "x", 0)))
	c.refuse("no such project", message.CodeUnknownProject, c.sign(alice, metadata(someHash("x"), description, "x")))
	c.refuse("the agent in another project", message.CodeProjectNotAllowed, c.sign(agent, message.CommitBundle(hidden, message.Content{}, someCommit("more", "secret"))))
	c.refuse("the agent describes it", message.CodeInsufficientScope, c.sign(agent, metadata(hello, description, "agent")))
}

// removeProjects removes one project and creates as many as one storage unit allows.
func removeProjects(c *chain, alice, bob *actor, hello message.Hash) {
	c.apply("removed", c.sign(alice, message.ProjectRemove(hello)))
	c.apply("the name of a removed project is free", c.sign(alice, project("hello-2")))
	for i := range 7 {
		c.apply("one more project", c.sign(alice, project("more-"+strconv.Itoa(i))))
	}
	c.refuse("removed twice", message.CodeProjectRemoved, c.sign(alice, message.ProjectRemove(hello)))
	c.refuse("a star for what is removed", message.CodeProjectRemoved, c.sign(alice, message.Star(hello)))
	c.refuse("a fork of what is removed", message.CodeProjectRemoved, c.sign(bob, message.Fork(hello, commitHash("one"), "x", 0)))
	c.refuse("more than ten projects", message.CodeQuotaExceeded, c.sign(alice, project("more-8")))
	c.next(10)
	c.apply("a star for what is removed is taken back", c.sign(bob, message.Unstar(hello)))
	c.refuse("a name for what is removed", message.CodeProjectRemoved, c.sign(alice, metadata(hello, pb.ProjectMetadataType_PROJECT_METADATA_NAME, "x")))
}
