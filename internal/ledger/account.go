package ledger

import (
	pb "makechain/gen/makechain"
	"makechain/internal/custody"
	"makechain/internal/schema"
	"makechain/message"
)

// UsernameCooldown is the minimum time between two changes of a username, in seconds (P8.3).
const UsernameCooldown = 7 * 24 * 60 * 60

func (s *transition) accountData(b *pb.AccountDataBody) *message.Refusal {
	key := schema.AccountMetadataKey(s.Owner, byte(b.GetField()))
	if stored := s.rows.timestamp(key); s.timestamp() <= stored {
		return s.staleWrite("the stored value", stored)
	}
	s.rows.put(key, &pb.AccountMetadataRow{Timestamp: s.timestamp(), Value: b.GetValue()})
	return nil
}

func (s *transition) usernameCreate(b *pb.UsernameCreateBody) *message.Refusal {
	row := s.sweep(s.Owner)
	if held := row.GetUsername(); held != "" {
		return refuse(message.CodeUsernameHeld, "the account already has the username %q", held)
	}
	return s.setUsername(row, b.GetUsername())
}

func (s *transition) usernameUpdate(b *pb.UsernameUpdateBody) *message.Refusal {
	row := s.sweep(s.Owner)
	held := row.GetUsername()
	if held == "" {
		return refuse(message.CodeNoUsername, "the account has no username to change")
	}
	if held == b.GetUsername() {
		return refuse(message.CodeNothingNew, "the account already has the username %q", held)
	}
	if next := uint64(row.GetUsernameLastSetAt()) + UsernameCooldown; uint64(s.timestamp()) < next {
		return refuse(message.CodeUsernameCooldown, "the username can change again at %d", next)
	}
	s.rows.delete(schema.UsernameKey(held))
	return s.setUsername(row, b.GetUsername())
}

// setUsername assigns an unused username to the author. row is the author's account after sweep.
func (s *transition) setUsername(row *pb.AccountRow, username string) *message.Refusal {
	if row.GetStorageUnits() == 0 {
		return refuse(message.CodeNoUsableStorage, "a username requires active storage, account %s has none", s.Owner)
	}
	if last := row.GetUsernameLastSetAt(); s.timestamp() <= last {
		return s.staleWrite("the last change of the username", last)
	}
	key := schema.UsernameKey(username)
	if holder := load[pb.UsernameRow](s.rows, key); holder != nil {
		s.sweep(address(holder.GetOwnerAddress()))
	}
	if s.rows.has(key) {
		return refuse(message.CodeUsernameTaken, "the username %q is taken", username)
	}
	row.Username, row.UsernameLastSetAt = username, s.timestamp()
	s.saveAccount(s.Owner, row)
	s.rows.put(key, &pb.UsernameRow{OwnerAddress: s.Owner[:]})
	return nil
}

func (s *transition) verificationAdd(b *pb.VerificationAddBody) *message.Refusal {
	if err := s.verifyClaim(b); err != nil {
		return deny(message.CodeBadClaimSignature, "verification_add.claim_signature: %v", err)
	}
	set, refusal := s.accountSet(schema.CounterVerifications, schema.VerificationsPerUnit, nil)
	if refusal != nil {
		return refusal
	}
	row := &pb.VerificationRow{Timestamp: s.timestamp(), VerificationType: b.GetVerificationType(), ChainId: b.GetChainId()}
	if refusal := s.add(set, schema.VerificationKey(s.Owner, b.GetAddress()), row); refusal != nil {
		return refusal
	}
	s.saveAccountSet(schema.CounterVerifications, set)
	return nil
}

func (s *transition) verifyClaim(b *pb.VerificationAddBody) error {
	if b.GetVerificationType() == pb.VerificationType_VERIFICATION_TYPE_SOL_ADDRESS {
		return custody.VerifySolClaim(s.params.Network, s.Owner, publicKey(b.GetAddress()), b.GetClaimSignature())
	}
	return custody.VerifyEthClaim(s.params.Network, s.Owner, address(b.GetAddress()), b.GetClaimSignature())
}

func (s *transition) verificationRemove(b *pb.VerificationRemoveBody) *message.Refusal {
	set, refusal := s.accountSet(schema.CounterVerifications, schema.VerificationsPerUnit, nil)
	if refusal != nil {
		return refusal
	}
	if refusal := s.remove(set, schema.VerificationKey(s.Owner, b.GetAddress())); refusal != nil {
		return refusal
	}
	s.saveAccountSet(schema.CounterVerifications, set)
	return nil
}
