package rest

import (
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

// The groups of routes, as the OpenAPI document shows them.
const (
	tagMessages      = "messages"
	tagProjects      = "projects"
	tagRefs          = "refs"
	tagCommits       = "commits"
	tagMergeRequests = "merge-requests"
	tagAccounts      = "accounts"
	tagKeys          = "keys"
	tagLinks         = "links"
	tagBlocks        = "blocks"
	tagProofs        = "proofs"
	tagNode          = "node"
	tagStreams       = "streams"
)

// tags describes the groups, in the order in which they are shown.
func tags() []*huma.Tag {
	return []*huma.Tag{
		{Name: tagMessages, Description: "Signed messages: submitting them, reading them, and what became of them."},
		{Name: tagProjects, Description: "Projects, who works on them and what happens there."},
		{Name: tagRefs, Description: "Branches and tags. Their names are bytes, so paths take them in hex."},
		{Name: tagCommits, Description: "The commits of projects."},
		{Name: tagMergeRequests, Description: "Open merge requests."},
		{Name: tagAccounts, Description: "Accounts. Every address is one."},
		{Name: tagKeys, Description: "Delegated keys, which sign messages, and custody keys, which manage an account."},
		{Name: tagLinks, Description: "Who follows whom, who stars what and who likes which commit."},
		{Name: tagBlocks, Description: "Blocks."},
		{Name: tagProofs, Description: "Proofs of state and their verification."},
		{Name: tagNode, Description: "The node and its chain."},
		{Name: tagStreams, Description: "Messages and blocks as they commit, as server-sent events."},
	}
}

// mayBeAbsent are the errors of a route that names something which need not be there.
func mayBeAbsent() []int { return []int{http.StatusNotFound} }

// mayBePresent are the errors of a route that names something which must not be there.
func mayBePresent() []int { return []int{http.StatusConflict} }
