package ledger_test

import (
	"testing"

	"makechain/internal/ledgertest"
)

// TestAccountScenario runs the scenario of profiles and delegated keys.
//
// Rules: P1.1, P1.3, P1.5, P3.2, P9.1.
func TestAccountScenario(t *testing.T) {
	t.Parallel()
	ledgertest.RunScenario(t, "testdata/scenarios/account.txt")
}

// TestCustodyScenario runs the scenario of custody signatures that are accepted or refused.
//
// Rules: P1.4, P1.5, P4.4, P4.5, P4.6, P4.7, P4.8, I5.
func TestCustodyScenario(t *testing.T) {
	t.Parallel()
	ledgertest.RunScenario(t, "testdata/scenarios/custody.txt")
}

// TestStorageScenario runs the scenario of storage claims, grants and their expiry.
//
// Rules: P8.1, P8.2, P8.4, P8.5.
func TestStorageScenario(t *testing.T) {
	t.Parallel()
	ledgertest.RunScenario(t, "testdata/scenarios/storage.txt")
}

// TestNoAttestersScenario runs the scenario of claims on a chain without attesters.
//
// Rules: P8.2.
func TestNoAttestersScenario(t *testing.T) {
	t.Parallel()
	ledgertest.RunScenario(t, "testdata/scenarios/no_attesters.txt")
}

// TestUsernameScenario runs the scenario of usernames that are set, changed, released and kept.
//
// Rules: P8.3, P8.5, I6, I7.
func TestUsernameScenario(t *testing.T) {
	t.Parallel()
	ledgertest.RunScenario(t, "testdata/scenarios/username.txt")
}

// TestProjectScenario runs the scenario of projects that are created, changed, archived and removed.
//
// Rules: P3.1, P7.1, P8.6, P9.1, P9.6.
func TestProjectScenario(t *testing.T) {
	t.Parallel()
	ledgertest.RunScenario(t, "testdata/scenarios/project.txt")
}

// TestForkScenario runs the scenario of forks of public and private projects.
//
// Rules: P3.1, P9.5.
func TestForkScenario(t *testing.T) {
	t.Parallel()
	ledgertest.RunScenario(t, "testdata/scenarios/fork.txt")
}

// TestRefScenario runs the scenario of refs that are created, updated, forced and deleted.
//
// Rules: P7.2, P9.3.
func TestRefScenario(t *testing.T) {
	t.Parallel()
	ledgertest.RunScenario(t, "testdata/scenarios/ref.txt")
}

// TestTagObjectScenario runs the scenario of tag objects, contents that ref updates name, author names, stores and the default
// branch.
//
// Rules: P3/authority, P5/REF_UPDATE, P9.1, P9.3, P9.4.
func TestTagObjectScenario(t *testing.T) {
	t.Parallel()
	ledgertest.RunScenario(t, "testdata/scenarios/tag_object.txt")
}

// TestRefReuseScenario runs the scenario of messages of a deleted ref that are replayed to a new ref with its name.
//
// Rules: P6.2, P9.3, I2.
func TestRefReuseScenario(t *testing.T) {
	t.Parallel()
	ledgertest.RunScenario(t, "testdata/scenarios/ref_reuse.txt")
}

// TestCommitScenario runs the scenario of bundles and their commits.
//
// Rules: P9.4.
func TestCommitScenario(t *testing.T) {
	t.Parallel()
	ledgertest.RunScenario(t, "testdata/scenarios/commit.txt")
}

// TestCollaboratorScenario runs the scenario of roles, add/remove sets and pruning.
//
// Rules: P8.6, P9.2, P9.7, I2, I4.
func TestCollaboratorScenario(t *testing.T) {
	t.Parallel()
	ledgertest.RunScenario(t, "testdata/scenarios/collaborator.txt")
}

// TestMergeRequestScenario runs the scenario of merge requests that are opened, withdrawn and closed.
//
// Rules: P3.1, P9.6, P9.8, I9.
func TestMergeRequestScenario(t *testing.T) {
	t.Parallel()
	ledgertest.RunScenario(t, "testdata/scenarios/merge_request.txt")
}

// TestMergeRequestQuotaScenario runs the scenario of the three limits on merge requests.
//
// Rules: P8.6, P9.2, I3, I9.
func TestMergeRequestQuotaScenario(t *testing.T) {
	t.Parallel()
	ledgertest.RunScenario(t, "testdata/scenarios/merge_request_quota.txt")
}

// TestMergeRequestClosedScenario runs the scenario of outcomes and replacements of merge requests.
//
// Rules: P5/MERGE_REQUEST_REMOVE, P8.6, P9.6, P9.8, I2.
func TestMergeRequestClosedScenario(t *testing.T) {
	t.Parallel()
	ledgertest.RunScenario(t, "testdata/scenarios/merge_request_closed.txt")
}

// TestSocialScenario runs the scenario of links and reactions with their reverse rows and counters.
//
// Rules: P8.6, P9.2, P9.9, I3, I4.
func TestSocialScenario(t *testing.T) {
	t.Parallel()
	ledgertest.RunScenario(t, "testdata/scenarios/social.txt")
}

// TestVerificationScenario runs the scenario of verified external addresses.
//
// Rules: P8.6, P9.2, P9.10.
func TestVerificationScenario(t *testing.T) {
	t.Parallel()
	ledgertest.RunScenario(t, "testdata/scenarios/verification.txt")
}

// TestTimeScenario runs the scenario of timestamps at their limits, and of a chain that was idle.
//
// Rules: P6.4.
func TestTimeScenario(t *testing.T) {
	t.Parallel()
	ledgertest.RunScenario(t, "testdata/scenarios/time.txt")
}

// TestBlockScenario runs the scenario of the order of blocks and of invalid blocks.
//
// Rules: P6.1, P6.2, I10.
func TestBlockScenario(t *testing.T) {
	t.Parallel()
	ledgertest.RunScenario(t, "testdata/scenarios/block.txt")
}

// TestReplayScenario runs the scenario of messages of every type that are replayed, at once and after they were undone.
//
// Rules: P6.2, I2.
func TestReplayScenario(t *testing.T) {
	t.Parallel()
	ledgertest.RunScenario(t, "testdata/scenarios/replay.txt")
}
