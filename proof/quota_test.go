package proof_test

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
	"makechain/proof"
)

// grant is a storage grant of a test account.
type grant struct {
	expiresAt uint32
	claim     byte
	units     uint32
}

var (
	quotaOwner   = ident.Address{0x50, 1} //nolint:gochecknoglobals // never written
	quotaBefore  = ident.Address{0x50, 0} //nolint:gochecknoglobals // never written
	quotaAfter   = ident.Address{0x50, 2} //nolint:gochecknoglobals // never written
	otherAccount = ident.Address{0x77}    //nolint:gochecknoglobals // never written
)

// grantRows returns the rows of an account's grants, each with the last bytes of its claim set.
func grantRows(t testing.TB, owner ident.Address, grants []grant) []modelRow {
	t.Helper()
	var rows []modelRow
	for _, g := range grants {
		claim := ident.Hash(bytes.Repeat([]byte{g.claim}, ident.HashSize))
		value := encodeRow(t, &pb.StorageGrantRow{Units: g.units, Actor: otherAccount[:]})
		rows = append(rows, modelRow{schema.StorageGrantKey(owner, g.expiresAt, claim), value})
	}
	return rows
}

// namingRows returns an account row with a username, and the username's row with its holder.
func namingRows(t testing.TB, owner, holder ident.Address) []modelRow {
	t.Helper()
	return []modelRow{
		{schema.AccountKey(owner), encodeRow(t, &pb.AccountRow{Username: "alice", StorageUnits: 12345})},
		{schema.UsernameKey("alice"), encodeRow(t, &pb.UsernameRow{OwnerAddress: holder[:]})},
	}
}

// TestStorageQuotaModel proves random grants at random times and compares units and limits with their sum.
//
// Rules: T3.5, P8.1, P8.4, P8.6.
func TestStorageQuotaModel(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 7))
		grants := make(map[grant]bool) // by expiry and claim
		var list []grant
		for range rng.IntN(12) {
			g := grant{expiresAt: 100 + uint32(rng.IntN(6)), claim: byte(rng.IntN(3)) * 0x7F}
			if !grants[g] {
				grants[g] = true
				g.units = uint32(rng.IntN(1000))
				list = append(list, g)
			}
		}
		rows := grantRows(t, quotaOwner, list)
		for _, neighbour := range []ident.Address{quotaBefore, quotaAfter} {
			if rng.IntN(2) == 0 {
				rows = append(rows, grantRows(t, neighbour, []grant{{expiresAt: 103, units: 9}})...)
			}
		}
		named := rng.IntN(2) == 0
		if named {
			rows = append(rows, namingRows(t, quotaOwner, quotaOwner)...)
		}
		checkQuota(t, newModel(rows...), 98+uint32(rng.IntN(10)), list, named)
	}
}

func checkQuota(t *testing.T, m *model, asOf uint32, grants []grant, named bool) {
	t.Helper()
	answer, err := proof.StorageQuota(m, quotaOwner, asOf)
	if err != nil {
		t.Fatal(err)
	}
	got, err := proof.VerifyStorageQuota(m.root, quotaOwner, asOf, answer)
	if err != nil {
		t.Fatalf("as of %d: %v", asOf, err)
	}
	var units uint32
	for _, g := range grants {
		if g.expiresAt > asOf {
			units += g.units
		}
	}
	want := proof.Quota{StorageUnits: units}
	if named {
		want = proof.Quota{
			StorageUnits: units, UsableStorageUnits: units, MaxProjects: 10 * units, MaxLinks: 5000 * units,
			MaxVerifications: 50 * units, MaxReactions: 10000 * units, MaxCollaboratorsPerProject: 50 * units,
			MaxMergeRequestsPerProject: 20 * units, MaxMergeRequestsByRequester: 20 * units,
		}
	}
	if got != want {
		t.Fatalf("as of %d: %+v, want %+v", asOf, got, want)
	}
}

// TestStorageQuotaEdges checks accounts with extreme grants, times and usernames.
//
// Rules: T3.5, P1.1, P8.1, P8.4.
func TestStorageQuotaEdges(t *testing.T) {
	t.Parallel()
	const last = math.MaxUint32
	usable := func(units, timesTen uint32) proof.Quota {
		return proof.Quota{StorageUnits: units, UsableStorageUnits: units, MaxProjects: timesTen}
	}
	naming := namingRows(t, quotaOwner, quotaOwner)
	grants := func(g ...grant) []modelRow { return grantRows(t, quotaOwner, g) }
	for name, test := range map[string]struct {
		rows []modelRow
		asOf uint32
		want proof.Quota
	}{
		"empty tree":        {nil, 5, proof.Quota{}},
		"nothing but names": {naming, 5, proof.Quota{}},
		"no account row":    {grants(grant{9, 1, 4}), 5, proof.Quota{StorageUnits: 4}},
		"no username": {append(grants(grant{9, 1, 4}), modelRow{
			schema.AccountKey(quotaOwner),
			encodeRow(t, &pb.AccountRow{CustodyNonce: 3}),
		}), 5, proof.Quota{StorageUnits: 4}},
		"username row absent":   {append(grants(grant{9, 1, 4}), naming[0]), 5, proof.Quota{StorageUnits: 4}},
		"username of another":   {append(grants(grant{9, 1, 4}), namingRows(t, quotaOwner, otherAccount)...), 5, proof.Quota{StorageUnits: 4}},
		"expires now":           {append(grants(grant{9, 0xFF, 4}, grant{10, 0, 5}), naming...), 9, usable(5, 50)},
		"at the last second":    {append(grants(grant{last, 0xFF, 4}, grant{last, 0, 5}), naming...), last, usable(0, 0)},
		"just before the end":   {append(grants(grant{last, 0xFF, 4}, grant{last, 0, 5}), naming...), last - 1, usable(9, 90)},
		"at time 0":             {append(grants(grant{0, 1, 4}, grant{1, 1, 5}), naming...), 0, usable(5, 50)},
		"more units than fit":   {append(grants(grant{9, 1, last}, grant{9, 2, last}), naming...), 5, usable(last, last)},
		"limits saturate":       {append(grants(grant{9, 1, 1 << 29}), naming...), 5, usable(1<<29, last)},
		"a grant without units": {append(grants(grant{9, 1, 0}, grant{9, 2, 3}), naming...), 5, usable(3, 30)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newModel(test.rows...)
			answer, err := proof.StorageQuota(m, quotaOwner, test.asOf)
			if err != nil {
				t.Fatal(err)
			}
			got, err := proof.VerifyStorageQuota(m.root, quotaOwner, test.asOf, answer)
			got = proof.Quota{StorageUnits: got.StorageUnits, UsableStorageUnits: got.UsableStorageUnits, MaxProjects: got.MaxProjects}
			if err != nil || got != test.want {
				t.Errorf("%+v, want %+v (%v)", got, test.want, err)
			}
		})
	}
}

// TestQuotaOfOneUnit compares the limits of one unit with the table of the specification.
//
// Rules: P8.6.
func TestQuotaOfOneUnit(t *testing.T) {
	t.Parallel()
	m := newModel(append(grantRows(t, quotaOwner, []grant{{9, 1, 1}}), namingRows(t, quotaOwner, quotaOwner)...)...)
	answer, err := proof.StorageQuota(m, quotaOwner, 5)
	if err != nil {
		t.Fatal(err)
	}
	got, err := proof.VerifyStorageQuota(m.root, quotaOwner, 5, answer)
	want := proof.Quota{
		StorageUnits:                1,
		UsableStorageUnits:          1,
		MaxProjects:                 10,
		MaxLinks:                    5_000,
		MaxVerifications:            50,
		MaxReactions:                10_000,
		MaxCollaboratorsPerProject:  50,
		MaxMergeRequestsPerProject:  20,
		MaxMergeRequestsByRequester: 20,
	}
	if err != nil || got != want {
		t.Errorf("%+v, want %+v (%v)", got, want, err)
	}
}

func quotaTree(t testing.TB) *model {
	t.Helper()
	rows := grantRows(t, quotaOwner, []grant{{90, 1, 100}, {100, 1, 1}, {101, 1, 2}, {102, 1, 3}})
	rows = append(rows, grantRows(t, quotaBefore, []grant{{101, 1, 50}})...)
	rows = append(rows, grantRows(t, quotaAfter, []grant{{101, 1, 50}})...)
	return newModel(append(rows, namingRows(t, quotaOwner, quotaOwner)...)...)
}

// TestStorageQuotaInvalid checks that a valid response with one change is refused, including each number in it.
//
// Rules: T3.5, T3.8.
func TestStorageQuotaInvalid(t *testing.T) {
	t.Parallel()
	m := quotaTree(t)
	valid, err := proof.StorageQuota(m, quotaOwner, 95)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := proof.VerifyStorageQuota(m.root, quotaOwner, 95, valid); err != nil {
		t.Fatal(err)
	}
	at := func(key []byte) (value, proven []byte) {
		answer, err := proof.Exists(m, key)
		if err != nil || answer == nil {
			t.Fatalf("row %x: %v", key, err)
		}
		return answer.GetValue(), answer.GetProof()
	}
	rowOf := func(owner ident.Address, expiresAt uint32) *pb.StorageGrantProofEntry {
		key := schema.StorageGrantKey(owner, expiresAt, ident.Hash(bytes.Repeat([]byte{1}, 32)))
		value, proven := at(key)
		return &pb.StorageGrantProofEntry{Key: key, Value: value, Proof: proven}
	}
	type answer = pb.GetStorageQuotaProofResponse
	tests := map[string]struct {
		change func(*answer)
		steps  []string
	}{
		"other root":     {func(a *answer) { a.Root = nil }, []string{proof.StepRoot}},
		"other owner":    {func(a *answer) { a.OwnerAddress = otherAccount[:] }, []string{proof.StepKey}},
		"other time":     {func(a *answer) { a.AsOfUnixTime = 96 }, []string{proof.StepKey}},
		"first left out": {func(a *answer) { a.Grants = a.Grants[1:] }, []string{"grants", proof.StepAdjacency}},
		"last left out":  {func(a *answer) { a.Grants = a.Grants[:2] }, []string{"grants", proof.StepAdjacency}},
		"middle left out": {
			func(a *answer) { a.Grants = append(a.Grants[:1:1], a.Grants[2]) },
			[]string{"grants", proof.StepAdjacency},
		},
		"expired grant":            {func(a *answer) { a.Grants = append([]*pb.StorageGrantProofEntry{rowOf(quotaOwner, 90)}, a.Grants...) }, []string{"grants", "entry 0", proof.StepOrder}},
		"grant of another account": {func(a *answer) { a.Grants = append(a.Grants, rowOf(quotaAfter, 101)) }, []string{"grants", "entry 3", proof.StepOrder}},
		"all left out":             {func(a *answer) { a.Grants = nil }, []string{"grants", proof.StepAdjacency}},
		"grant as upper bound": {func(a *answer) {
			a.UpperBoundKey, a.UpperBoundProof = a.Grants[2].Key, a.Grants[2].Proof
			a.Grants = a.Grants[:2]
		}, []string{"grants", "upper bound", proof.StepOrder}},
		"grant as lower bound": {func(a *answer) {
			a.LowerBoundKey, a.LowerBoundProof = a.Grants[0].Key, a.Grants[0].Proof
			a.Grants = a.Grants[1:]
		}, []string{"grants", "lower bound", proof.StepOrder}},
		"no upper bound":             {func(a *answer) { a.UpperBoundKey, a.UpperBoundProof = nil, nil }, []string{"grants", proof.StepAdjacency}},
		"no lower bound":             {func(a *answer) { a.LowerBoundKey, a.LowerBoundProof = nil, nil }, []string{"grants", proof.StepAdjacency}},
		"lower bound key stated":     {func(a *answer) { a.LowerBoundKey = []byte{4} }, []string{"grants", proof.StepKey}},
		"upper bound key not stated": {func(a *answer) { a.UpperBoundKey = nil }, []string{"grants", proof.StepKey}},
		"too many grants":            {func(a *answer) { a.Grants = make([]*pb.StorageGrantProofEntry, proof.MaxGrants+1) }, []string{"grants", proof.StepBounds}},
		"grant's value":              {func(a *answer) { a.Grants[1].Value = []byte{8, 99} }, []string{"grants", "entry 1", proof.StepValue}},
		"account's value":            {func(a *answer) { a.AccountValue = nil }, []string{"account", proof.StepValue}},
		"other account":              {func(a *answer) { a.AccountProof = a.UsernameProof }, []string{"account", proof.StepKey}},
		"account marked absent":      {func(a *answer) { a.AccountValue, a.AccountProof = nil, nil }, []string{"account", proof.StepEncoding}},
		"username marked absent":     {func(a *answer) { a.UsernameProof = nil }, []string{"username", proof.StepEncoding}},
		"other username":             {func(a *answer) { a.UsernameProof = a.AccountProof }, []string{"username", proof.StepKey}},

		"units":          {func(a *answer) { a.StorageUnits++ }, []string{proof.StepClaim}},
		"usable units":   {func(a *answer) { a.UsableStorageUnits++ }, []string{proof.StepClaim}},
		"projects":       {func(a *answer) { a.MaxProjects++ }, []string{proof.StepClaim}},
		"links":          {func(a *answer) { a.MaxLinks++ }, []string{proof.StepClaim}},
		"verifications":  {func(a *answer) { a.MaxVerifications++ }, []string{proof.StepClaim}},
		"reactions":      {func(a *answer) { a.MaxReactions++ }, []string{proof.StepClaim}},
		"collaborators":  {func(a *answer) { a.MaxCollaboratorsPerProject++ }, []string{proof.StepClaim}},
		"merge requests": {func(a *answer) { a.MaxMergeRequestsPerProject++ }, []string{proof.StepClaim}},
		"requests made":  {func(a *answer) { a.MaxMergeRequestsPerRequester++ }, []string{proof.StepClaim}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			changed := proto.Clone(valid).(*answer)
			test.change(changed)
			_, err := proof.VerifyStorageQuota(m.root, quotaOwner, 95, changed)
			wantSteps(t, err, test.steps...)
		})
	}
}

// TestStorageQuotaNeedlessUsername checks that a username proof for an account without a username is refused.
//
// Rules: T3.5.
func TestStorageQuotaNeedlessUsername(t *testing.T) {
	t.Parallel()
	m := newModel(namingRows(t, otherAccount, otherAccount)...)
	answer, err := proof.StorageQuota(m, quotaOwner, 5)
	if err != nil {
		t.Fatal(err)
	}
	i, _ := m.find(schema.UsernameKey("alice"))
	answer.UsernameProof = m.exists(t, i)
	_, err = proof.VerifyStorageQuota(m.root, quotaOwner, 5, answer)
	wantSteps(t, err, "username", proof.StepClaim)
}

// TestStorageQuotaFlippedBytes flips every bit of an encoded response. One that still verifies may differ only in the
// block number, which the root does not cover.
//
// Rules: T3.5.
func TestStorageQuotaFlippedBytes(t *testing.T) {
	t.Parallel()
	m := quotaTree(t)
	valid, err := proof.StorageQuota(m, quotaOwner, 95)
	if err != nil {
		t.Fatal(err)
	}
	valid.BlockNumber = 77
	encoded, err := proto.Marshal(valid)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 8 * len(encoded) {
		flipped := bytes.Clone(encoded)
		flipped[i/8] ^= 1 << (i % 8)
		answer := new(pb.GetStorageQuotaProofResponse)
		if proto.Unmarshal(flipped, answer) != nil {
			continue
		}
		if _, err := proof.VerifyStorageQuota(m.root, quotaOwner, 95, answer); err != nil {
			continue
		}
		answer.BlockNumber = valid.BlockNumber
		answer.ProtoReflect().SetUnknown(nil)
		if !proto.Equal(answer, valid) {
			t.Fatalf("bit %d flipped: a different response verifies: %v", i, answer)
		}
	}
}

// TestStorageQuotaTooLarge checks an account with more grants than one response can prove.
//
// Rules: T3.5.
func TestStorageQuotaTooLarge(t *testing.T) {
	t.Parallel()
	var grants []grant
	for i := range uint32(proof.MaxGrants) + 1 {
		grants = append(grants, grant{expiresAt: 10 + i, units: 1})
	}
	if _, err := proof.StorageQuota(newModel(grantRows(t, quotaOwner, grants)...), quotaOwner, 5); !errors.Is(err, proof.ErrTooLarge) {
		t.Errorf("%v", err)
	}
}
