package proof

import (
	"bytes"
	"math"

	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
)

// activeGrants returns the range of the owner's grants with expires_at > asOf. Its exclusive start is the greatest key
// of a grant that expires at asOf, so that the largest asOf needs no special case.
func activeGrants(owner ident.Address, asOf uint32) interval {
	var lastClaim ident.Hash
	for i := range lastClaim {
		lastClaim[i] = 0xFF
	}
	return interval{prefix: schema.StorageGrantPrefix(owner), after: schema.StorageGrantKey(owner, asOf, lastClaim)}
}

// VerifyStorageQuota verifies that the response contains all grants of owner that are active at asOf, and the presence
// or absence of its account and username rows, against root. It returns the quota that follows (T3.5).
func VerifyStorageQuota(root [32]byte, owner ident.Address, asOf uint32, answer *pb.GetStorageQuotaProofResponse) (Quota, error) {
	if err := checkRoot(root, answer.GetRoot()); err != nil {
		return Quota{}, err
	}
	if !bytes.Equal(answer.GetOwnerAddress(), owner[:]) || answer.GetAsOfUnixTime() != asOf {
		return Quota{}, failed(StepKey, "response is not for %s at %d", owner, asOf)
	}
	units, err := verifyGrants(root, activeGrants(owner, asOf), answer)
	if err != nil {
		return Quota{}, within("grants", err)
	}
	username, err := verifyAccount(root, owner, answer)
	if err != nil {
		return Quota{}, within("account", err)
	}
	hasUsername, err := verifyUsername(root, owner, username, answer.GetUsernameProof())
	if err != nil {
		return Quota{}, within("username", err)
	}
	quota := quotaOf(units, hasUsername)
	if claimed := claimedQuota(answer); claimed != quota {
		return Quota{}, failed(StepClaim, "response states %+v, its rows %+v", claimed, quota)
	}
	return quota, nil
}

// verifyGrants verifies that the grants are all rows of the interval, and returns the sum of their units.
func verifyGrants(root [32]byte, iv interval, answer *pb.GetStorageQuotaProofResponse) (uint32, error) {
	grants := answer.GetGrants()
	if len(grants) > MaxGrants {
		return 0, failed(StepBounds, "%d grants, at most %d", len(grants), MaxGrants)
	}
	r, err := readRun(iv, answer.GetLowerBoundProof(), grants, answer.GetUpperBoundProof())
	if err != nil {
		return 0, err
	}
	if !bytes.Equal(r.lower.GetKey(), answer.GetLowerBoundKey()) || !bytes.Equal(r.upper.GetKey(), answer.GetUpperBoundKey()) {
		return 0, failed(StepKey, "bounds are proven for other keys than the response states")
	}
	r.closed = true
	if err := r.verify(root); err != nil {
		return 0, err
	}
	return sumUnits(grants)
}

// sumUnits returns the sum of the units of grants, saturated at the largest uint32 (P8.1).
func sumUnits(grants []*pb.StorageGrantProofEntry) (uint32, error) {
	var sum uint64
	for _, entry := range grants {
		var grant pb.StorageGrantRow
		if err := schema.Decode(entry.GetValue(), &grant); err != nil {
			return 0, within(StepValue, err)
		}
		sum += uint64(grant.GetUnits())
	}
	return uint32(min(sum, math.MaxUint32)), nil // saturated
}

// verifyAccount verifies the account row and returns its username. An absent row is a row of zeros (P1.1).
func verifyAccount(root [32]byte, owner ident.Address, answer *pb.GetStorageQuotaProofResponse) (string, error) {
	value, err := verifyPresence(root, schema.AccountKey(owner), answer.GetAccountProof())
	if err != nil {
		return "", err
	}
	if !bytes.Equal(value, answer.GetAccountValue()) {
		return "", failed(StepValue, "response has another account row than it proves")
	}
	return usernameOf(value)
}

func usernameOf(account []byte) (string, error) {
	var row pb.AccountRow
	if err := schema.Decode(account, &row); err != nil {
		return "", within(StepValue, err)
	}
	return row.GetUsername(), nil
}

// verifyUsername reports whether the username row refers back to the account. Without a username in the account row
// there is nothing to prove.
func verifyUsername(root [32]byte, owner ident.Address, username string, proof []byte) (bool, error) {
	if username == "" {
		if len(proof) > 0 {
			return false, failed(StepClaim, "proof of a username that the account does not have")
		}
		return false, nil
	}
	value, err := verifyPresence(root, schema.UsernameKey(username), proof)
	if err != nil {
		return false, err
	}
	return namesOwner(value, owner)
}

// namesOwner reports whether a username row, nil when absent, refers to owner.
func namesOwner(username []byte, owner ident.Address) (bool, error) {
	var row pb.UsernameRow
	if err := schema.Decode(username, &row); err != nil {
		return false, within(StepValue, err)
	}
	return bytes.Equal(row.GetOwnerAddress(), owner[:]), nil
}

// StorageQuota returns the proof that VerifyStorageQuota verifies. The caller adds the block number and must ensure that
// asOf is not in the future.
func StorageQuota(src Source, owner ident.Address, asOf uint32) (*pb.GetStorageQuotaProofResponse, error) {
	l, err := proveInterval(src, activeGrants(owner, asOf), MaxGrants)
	if err != nil {
		return nil, err
	}
	if !l.complete {
		return nil, ErrTooLarge
	}
	root := src.Root()
	answer := &pb.GetStorageQuotaProofResponse{
		AsOfUnixTime: asOf, Root: root[:], OwnerAddress: owner[:],
		LowerBoundKey: l.lower.key, LowerBoundProof: l.lower.proof,
		UpperBoundKey: l.upper.key, UpperBoundProof: l.upper.proof,
	}
	for _, row := range l.rows {
		answer.Grants = append(answer.Grants, &pb.StorageGrantProofEntry{Key: row.key, Value: row.value, Proof: row.proof})
	}
	units, err := sumUnits(answer.GetGrants())
	if err != nil {
		return nil, err
	}
	hasUsername, err := proveNaming(src, owner, answer)
	if err != nil {
		return nil, err
	}
	quotaOf(units, hasUsername).state(answer)
	return answer, nil
}

// proveNaming adds the proofs of the account row and, if it has a username, of the username row.
func proveNaming(src Source, owner ident.Address, answer *pb.GetStorageQuotaProofResponse) (hasUsername bool, err error) {
	if answer.AccountProof, answer.AccountValue, err = presence(src, schema.AccountKey(owner)); err != nil {
		return false, err
	}
	username, err := usernameOf(answer.GetAccountValue())
	if err != nil || username == "" {
		return false, err
	}
	var row []byte
	if answer.UsernameProof, row, err = presence(src, schema.UsernameKey(username)); err != nil {
		return false, err
	}
	return namesOwner(row, owner)
}
