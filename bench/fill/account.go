package fill

import (
	"fmt"

	pb "makechain/gen/makechain"
	"makechain/internal/schema"
)

func (w *writer) account(i int) {
	w.add(schema.AccountKey(w.address(i)), &pb.AccountRow{
		CustodyNonce: keysPerAccount, Username: username(i), UsernameLastSetAt: w.time(i), StorageUnits: unitsPerAccount, NextExpiry: expiry,
		ProjectCount: projectsPerAccount, KeyCount: keysPerAccount, MergeRequestCount: 1, UnitsGranted: unitsPerAccount,
		ProjectsCreated: projectsPerAccount, GrantCount: 1,
	})
}

func (w *writer) accountMetadata(i int) {
	owner := w.address(i)
	w.add(schema.AccountMetadataKey(owner, byte(pb.AccountDataType_ACCOUNT_DATA_DISPLAY_NAME)),
		&pb.AccountMetadataRow{Timestamp: w.time(i), Value: fmt.Sprintf("Account %d", i)})
	w.add(schema.AccountMetadataKey(owner, byte(pb.AccountDataType_ACCOUNT_DATA_BIO)),
		&pb.AccountMetadataRow{Timestamp: w.time(i), Value: "writes programs, and tests for them"})
}

func (w *writer) keys(i int) {
	owner := w.address(i)
	for k := range keysPerAccount {
		w.add(schema.DelegatedKeyKey(owner, w.key(k*w.accounts+i)),
			&pb.DelegatedKeyRow{Scope: pb.KeyScope(k), AddedAt: w.time(i), RequestOwnerAddress: owner[:]})
	}
}

func (w *writer) keyOwner(number int) {
	owner := w.address(number % w.accounts)
	w.add(schema.KeyOwnerKey(w.key(number)), &pb.KeyOwnerRow{OwnerAddress: owner[:]})
}

func (w *writer) username(i int) {
	owner := w.address(i)
	w.add(schema.UsernameKey(username(i)), &pb.UsernameRow{OwnerAddress: owner[:]})
}

// verificationKey returns the key of the verified address of an account.
func (w *writer) verificationKey(i int) []byte {
	address := w.hash(domainAddress, i, 0)
	return schema.VerificationKey(w.address(i), address[:20])
}

func (w *writer) verification(i int) {
	w.add(w.verificationKey(i), &pb.VerificationRow{
		Timestamp: w.time(i), VerificationType: pb.VerificationType_VERIFICATION_TYPE_ETH_ADDRESS, ChainId: []byte{1},
	})
}

func (w *writer) verificationAge(i int) { w.derived(schema.AgeKey(w.verificationKey(i), w.time(i))) }

func (w *writer) grant(i int) {
	owner := w.address(i)
	w.add(schema.StorageGrantKey(owner, expiry, w.claim(i)), &pb.StorageGrantRow{Units: unitsPerAccount, Actor: owner[:]})
}

func (w *writer) usedClaim(i int) {
	owner := w.address(i)
	w.add(schema.ClaimKey(w.claim(i)), &pb.ClaimRow{OwnerAddress: owner[:]})
}

func (w *writer) counters(i int) {
	owner := w.address(i)
	w.add(schema.CounterKey(owner, schema.CounterLinks), &pb.CounterRow{Count: uint32(len(followDistances) + len(starDistances))})
	w.add(schema.CounterKey(owner, schema.CounterReactions), &pb.CounterRow{Count: uint32(len(reactDistances))})
	w.add(schema.CounterKey(owner, schema.CounterVerifications), &pb.CounterRow{Count: 1})
}

// linkKeys returns the keys of the links of an account, under the account.
func (w *writer) linkKeys(i int) (keys [][]byte) {
	owner := w.address(i)
	for _, distance := range followDistances {
		target := w.address(w.other(i, distance))
		keys = append(keys, schema.LinkKey(owner, byte(pb.LinkType_LINK_TYPE_FOLLOW), target[:]))
	}
	for _, distance := range starDistances {
		target := w.projectID(w.other(i, distance))
		keys = append(keys, schema.LinkKey(owner, byte(pb.LinkType_LINK_TYPE_STAR), target[:]))
	}
	return keys
}

func (w *writer) links(i int) {
	for _, key := range w.linkKeys(i) {
		w.add(key, &pb.LinkRow{Timestamp: w.time(i)})
	}
}

func (w *writer) linkAges(i int) {
	for _, key := range w.linkKeys(i) {
		w.derived(schema.AgeKey(key, w.time(i)))
	}
}

// followers adds the links to an account.
func (w *writer) followers(i int) {
	target := w.address(i)
	for _, distance := range followDistances {
		source := w.other(i, -distance)
		w.add(schema.LinkByTargetKey(byte(pb.LinkType_LINK_TYPE_FOLLOW), target[:], w.address(source)), &pb.LinkRow{Timestamp: w.time(source)})
	}
}

// stars adds the links to the first project of an account.
func (w *writer) stars(i int) {
	target := w.projectID(i)
	for _, distance := range starDistances {
		source := w.other(i, -distance)
		w.add(schema.LinkByTargetKey(byte(pb.LinkType_LINK_TYPE_STAR), target[:], w.address(source)), &pb.LinkRow{Timestamp: w.time(source)})
	}
}

const like = byte(pb.ReactionType_REACTION_TYPE_LIKE)

func (w *writer) reactionKeys(i int) (keys [][]byte) {
	for _, distance := range reactDistances {
		project := w.other(i, distance)
		commit := w.commit(project, w.reacted(i, distance))
		keys = append(keys, schema.ReactionKey(w.address(i), like, w.projectID(project), commit))
	}
	return keys
}

func (w *writer) reactions(i int) {
	for _, key := range w.reactionKeys(i) {
		w.add(key, &pb.ReactionRow{Timestamp: w.time(i)})
	}
}

func (w *writer) reactionAges(i int) {
	for _, key := range w.reactionKeys(i) {
		w.derived(schema.AgeKey(key, w.time(i)))
	}
}

// reactionsByTarget adds the reactions to commits of the first project of an account.
func (w *writer) reactionsByTarget(i int) {
	for _, distance := range reactDistances {
		source := w.other(i, -distance)
		commit := w.commit(i, w.reacted(source, distance))
		w.add(schema.ReactionByTargetKey(like, w.projectID(i), commit, w.address(source)), &pb.ReactionRow{Timestamp: w.time(source)})
	}
}
