package proof

import (
	"bytes"
	"fmt"

	pb "makechain/gen/makechain"
	"makechain/internal/schema"
)

// Membership is the state of a set member, from its row, its tombstone and its prune marker.
type Membership struct {
	Exists     bool   // the row exists
	Tombstoned bool   // its tombstone exists
	Pruned     bool   // its prune marker exists
	Active     bool   // the row exists and is later than its tombstone and prune marker
	AddedAt    uint32 // timestamp of the row, 0 when absent
	RemovedAt  uint32 // the later of tombstone and prune marker, 0 without either
}

// membership compares the timestamps of the three rows; a nil value is an absent row.
func membership(value, tombstone, marker []byte) (Membership, error) {
	var times [3]uint32
	for i, row := range [][]byte{value, tombstone, marker} {
		var stamped pb.TombstoneRow // every one of these rows has its timestamp as field 1
		if err := schema.Decode(row, &stamped); err != nil {
			return Membership{}, err
		}
		times[i] = stamped.GetTimestamp()
	}
	m := Membership{Exists: value != nil, Tombstoned: tombstone != nil, Pruned: marker != nil}
	m.AddedAt, m.RemovedAt = times[0], max(times[1], times[2])
	m.Active = m.Exists && (!m.Tombstoned && !m.Pruned || m.AddedAt > m.RemovedAt)
	return m, nil
}

// claimedMembership returns the membership that a response states.
func claimedMembership(answer *pb.GetCompoundProofResponse) Membership {
	return Membership{
		Exists:     answer.GetActiveKeyExists(),
		Tombstoned: answer.GetTombstoneExists(),
		Pruned:     answer.GetPruneMarkerExists(),
		Active:     answer.GetActive(),
		AddedAt:    answer.GetAddedAt(),
		RemovedAt:  answer.GetRemovalTs(),
	}
}

// state writes the membership into a response.
func (m Membership) state(answer *pb.GetCompoundProofResponse) {
	answer.ActiveKeyExists = m.Exists
	answer.TombstoneExists = m.Tombstoned
	answer.PruneMarkerExists = m.Pruned
	answer.Active = m.Active
	answer.AddedAt = m.AddedAt
	answer.RemovalTs = m.RemovedAt
}

// checkMemberKey accepts the keys of rows that can have a tombstone. In other rows field 1 is not a timestamp.
func checkMemberKey(key []byte) error {
	if err := checkKey(key); err != nil {
		return err
	}
	if _, err := schema.ParseKey(schema.TombstoneKey(key)); err != nil {
		return fmt.Errorf("%w that can have a tombstone: %w", ErrKey, err)
	}
	return nil
}

// VerifyCompound verifies the presence or absence of a set member's row, tombstone and prune marker against root, and
// returns the membership that follows (T3.3).
func VerifyCompound(root [32]byte, key []byte, answer *pb.GetCompoundProofResponse) (Membership, error) {
	if err := checkMemberKey(key); err != nil {
		return Membership{}, within(StepKey, err)
	}
	if err := checkRoot(root, answer.GetRoot()); err != nil {
		return Membership{}, err
	}
	value, err := verifyPresence(root, key, answer.GetActiveProof())
	if err != nil {
		return Membership{}, within("active row", err)
	}
	tombstone, err := verifyPresence(root, schema.TombstoneKey(key), answer.GetTombstoneProof())
	if err != nil {
		return Membership{}, within("tombstone", err)
	}
	marker, err := verifyPresence(root, schema.PruneMarkerKey(key), answer.GetPruneMarkerProof())
	if err != nil {
		return Membership{}, within("prune marker", err)
	}
	if !bytes.Equal(answer.GetValue(), value) {
		return Membership{}, failed(StepValue, "response has another value than the active row")
	}
	proven, err := membership(value, tombstone, marker)
	if err != nil {
		return Membership{}, within(StepValue, err)
	}
	if claimed := claimedMembership(answer); claimed != proven {
		return Membership{}, failed(StepClaim, "response states %+v, its rows %+v", claimed, proven)
	}
	return proven, nil
}

// Compound returns the proof that VerifyCompound verifies. The caller adds the block number.
func Compound(src Source, key []byte) (*pb.GetCompoundProofResponse, error) {
	if err := checkMemberKey(key); err != nil {
		return nil, err
	}
	root := src.Root()
	answer := &pb.GetCompoundProofResponse{Root: root[:]}
	var values [3][]byte
	for i, part := range []struct {
		key   []byte
		proof *[]byte
	}{
		{key, &answer.ActiveProof},
		{schema.TombstoneKey(key), &answer.TombstoneProof},
		{schema.PruneMarkerKey(key), &answer.PruneMarkerProof},
	} {
		var err error
		if *part.proof, values[i], err = presence(src, part.key); err != nil {
			return nil, err
		}
	}
	member, err := membership(values[0], values[1], values[2])
	if err != nil {
		return nil, err
	}
	member.state(answer)
	answer.Value = values[0]
	return answer, nil
}
