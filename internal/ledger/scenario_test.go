package ledger_test

import (
	"testing"

	"makechain/internal/ledgertest"
)

// TestAccountScenario plays profiles and delegated keys.
//
// Rules: P1.1, P1.3, P1.5, P3.2, P9.1.
func TestAccountScenario(t *testing.T) {
	t.Parallel()
	ledgertest.RunScenario(t, "testdata/scenarios/account.txt")
}

// TestCustodyScenario plays every way in which a custody signature is accepted or not.
//
// Rules: P1.4, P1.5, P4.4, P4.5, P4.6, P4.7, P4.8, I5.
func TestCustodyScenario(t *testing.T) {
	t.Parallel()
	ledgertest.RunScenario(t, "testdata/scenarios/custody.txt")
}

// TestStorageScenario plays claims, grants and their end.
//
// Rules: P8.1, P8.2, P8.4, P8.5.
func TestStorageScenario(t *testing.T) {
	t.Parallel()
	ledgertest.RunScenario(t, "testdata/scenarios/storage.txt")
}

// TestNoAttestersScenario plays claims under other sets of attesters.
//
// Rules: P8.2.
func TestNoAttestersScenario(t *testing.T) {
	t.Parallel()
	ledgertest.RunScenario(t, "testdata/scenarios/no_attesters.txt")
}

// TestUsernameScenario plays usernames taken, changed, lost and kept.
//
// Rules: P8.3, P8.5, I6, I7.
func TestUsernameScenario(t *testing.T) {
	t.Parallel()
	ledgertest.RunScenario(t, "testdata/scenarios/username.txt")
}

// TestProjectScenario plays projects created, changed, archived and removed.
//
// Rules: P3.1, P7.1, P8.6, P9.1, P9.6.
func TestProjectScenario(t *testing.T) {
	t.Parallel()
	ledgertest.RunScenario(t, "testdata/scenarios/project.txt")
}

// TestForkScenario plays forks of public and private projects.
//
// Rules: P3.1, P9.5.
func TestForkScenario(t *testing.T) {
	t.Parallel()
	ledgertest.RunScenario(t, "testdata/scenarios/fork.txt")
}

// TestRefScenario plays refs created, moved, forced and deleted.
//
// Rules: P7.2, P9.3.
func TestRefScenario(t *testing.T) {
	t.Parallel()
	ledgertest.RunScenario(t, "testdata/scenarios/ref.txt")
}

// TestRefLivesScenario replays the messages of one life of a ref into the next.
//
// Rules: P6.2, P9.3, I2.
func TestRefLivesScenario(t *testing.T) {
	t.Parallel()
	ledgertest.RunScenario(t, "testdata/scenarios/ref_lives.txt")
}

// TestCommitScenario plays bundles and what is kept of their commits.
//
// Rules: P9.4.
func TestCommitScenario(t *testing.T) {
	t.Parallel()
	ledgertest.RunScenario(t, "testdata/scenarios/commit.txt")
}

// TestCollaboratorScenario plays roles, the rules of sets and their pruning.
//
// Rules: P8.6, P9.2, P9.7, I2, I4.
func TestCollaboratorScenario(t *testing.T) {
	t.Parallel()
	ledgertest.RunScenario(t, "testdata/scenarios/collaborator.txt")
}

// TestMergeRequestScenario plays merge requests opened, withdrawn and closed.
//
// Rules: P3.1, P9.6, P9.8, I9.
func TestMergeRequestScenario(t *testing.T) {
	t.Parallel()
	ledgertest.RunScenario(t, "testdata/scenarios/merge_request.txt")
}

// TestMergeRequestQuotaScenario plays the three limits on merge requests.
//
// Rules: P8.6, P9.2, I3, I9.
func TestMergeRequestQuotaScenario(t *testing.T) {
	t.Parallel()
	ledgertest.RunScenario(t, "testdata/scenarios/merge_request_quota.txt")
}

// TestSocialScenario plays links and reactions with their reverse rows and counters.
//
// Rules: P8.6, P9.2, P9.9, I3, I4.
func TestSocialScenario(t *testing.T) {
	t.Parallel()
	ledgertest.RunScenario(t, "testdata/scenarios/social.txt")
}

// TestVerificationScenario plays claims of outside addresses.
//
// Rules: P8.6, P9.2, P9.10.
func TestVerificationScenario(t *testing.T) {
	t.Parallel()
	ledgertest.RunScenario(t, "testdata/scenarios/verification.txt")
}

// TestTimeScenario plays timestamps at their bounds, and a chain that was idle.
//
// Rules: P6.4.
func TestTimeScenario(t *testing.T) {
	t.Parallel()
	ledgertest.RunScenario(t, "testdata/scenarios/time.txt")
}

// TestBlockScenario plays the order of blocks and what makes them invalid.
//
// Rules: P6.1, P6.2, I10.
func TestBlockScenario(t *testing.T) {
	t.Parallel()
	ledgertest.RunScenario(t, "testdata/scenarios/block.txt")
}

// TestReplayScenario sends every kind of message again, at once and after its work was undone.
//
// Rules: P6.2, I2.
func TestReplayScenario(t *testing.T) {
	t.Parallel()
	ledgertest.RunScenario(t, "testdata/scenarios/replay.txt")
}
