package message

import (
	"errors"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/internal/custody"
	"makechain/internal/ident"
)

// TestBuildersMakeValidMessages checks that every builder's message passes all checks that need no state.
//
// Rules: P2.1, P2.2, P2.4.
func TestBuildersMakeValidMessages(t *testing.T) {
	t.Parallel()
	author := testAuthor(t)
	for _, e := range goodMessages(t) {
		if e.Owner != author.Owner() || e.Signer != author.Key() || e.Data.GetNetwork() != author.Network() || e.Data.GetTimestamp() != testTime {
			t.Errorf("%s: not by the author: %v", e.Type(), e.Data)
		}
		if refusal := e.VerifySignature(); refusal != nil {
			t.Errorf("%s: %v", e.Type(), refusal)
		}
		if refusal := e.Validate(); refusal != nil {
			t.Errorf("%s: %v", e.Type(), refusal)
		}
		decoded, refusal := Decode(e.Transaction())
		if refusal != nil || !proto.Equal(decoded.Data, e.Data) {
			t.Errorf("%s: decoded as %v, %v", e.Type(), decoded, refusal)
		}
	}
}

// TestBuildersFillBodies compares some bodies with the arguments of their builders.
func TestBuildersFillBodies(t *testing.T) {
	t.Parallel()
	move := RefMove{Type: pb.RefType_REF_TYPE_TAG, Old: commitID, New: otherID, Force: true, Nonce: 9}
	for _, c := range []struct{ got, want proto.Message }{
		{RefUpdate(projectID, "refs/tags/v1", move).GetRefUpdate(), &pb.RefUpdateBody{
			ProjectId: projectID[:], RefName: []byte("refs/tags/v1"), RefType: pb.RefType_REF_TYPE_TAG,
			OldHash: commitID[:], NewHash: otherID[:], Force: true, Nonce: 9,
		}},
		{RefUpdate(projectID, "r", RefMove{New: otherID, Nonce: 1}).GetRefUpdate(), &pb.RefUpdateBody{
			ProjectId: projectID[:], RefName: []byte("r"), NewHash: otherID[:], Nonce: 1,
		}},
		{RefDelete(projectID, "r", Hash{}, 2).GetRefDelete(), &pb.RefDeleteBody{
			ProjectId: projectID[:], RefName: []byte("r"), Nonce: 2,
		}},
		{Fork(projectID, commitID, "f", pb.Visibility_VISIBILITY_PRIVATE).GetFork(), &pb.ForkBody{
			SourceProjectId: projectID[:], SourceCommitHash: commitID[:], Name: "f", Visibility: pb.Visibility_VISIBILITY_PRIVATE,
		}},
		{CommitBundle(projectID, Content{}, testCommit(1)).GetCommitBundle(), &pb.CommitBundleBody{
			ProjectId: projectID[:],
			Commits: []*pb.CommitMeta{{
				Hash: append([]byte{0xc0}, append(make([]byte, 30), 1)...), Parents: [][]byte{commitID[:]}, TreeRoot: treeID[:],
				AuthorTimestamp: testTime - 5, Title: "Say hello", MessageHash: otherID[:], AuthorAddress: stranger[:],
			}},
		}},
		{MergeRequestAdd(projectID, MergeProposal{Source: otherID, SourceRef: "a", SourceCommit: commitID, TargetRef: "b", Title: "c"}).GetMergeRequestAdd(), &pb.MergeRequestAddBody{
			ProjectId: projectID[:], SourceProjectId: otherID[:], SourceRef: []byte("a"), SourceCommitHash: commitID[:], TargetRef: []byte("b"), Title: "c",
		}},
		{Unstar(projectID).GetLinkRemove(), &pb.LinkRemoveBody{
			LinkType: pb.LinkType_LINK_TYPE_STAR, Target: &pb.LinkRemoveBody_TargetProjectId{TargetProjectId: projectID[:]},
		}},
	} {
		if !proto.Equal(c.got, c.want) {
			t.Errorf("%v, want %v", c.got, c.want)
		}
	}
}

// TestSignLeavesDataAlone checks that signing does not change the data and that two messages share no memory.
func TestSignLeavesDataAlone(t *testing.T) {
	t.Parallel()
	data := Star(projectID)
	before := proto.CloneOf(data)
	first := mustSign(t, data)
	if !proto.Equal(data, before) {
		t.Errorf("signing changed %[2]v to %[1]v", data, before)
	}
	data.GetLinkAdd().GetTargetProjectId()[0]++
	if got := first.Data.GetLinkAdd().GetTargetProjectId(); Hash(got) != projectID {
		t.Errorf("target of the signed message is %x", got)
	}
}

// TestSignErrors checks that Sign refuses data that could not be decoded again.
//
// Rules: P2.5, P2.6.
func TestSignErrors(t *testing.T) {
	t.Parallel()
	author := testAuthor(t)
	mismatched := Star(projectID)
	mismatched.Type = pb.MessageType_MESSAGE_TYPE_FORK
	for name, c := range map[string]struct {
		author *Author
		data   *pb.MessageData
		want   string
	}{
		"nothing":    {author, nil, "unknown_type"},
		"mismatched": {author, mismatched, "malformed"},
		"utf-8":      {author, UsernameCreate("\xff"), "encode USERNAME_CREATE"},
		"network":    {NewAuthor(Seed{1}, 0, stranger), Star(projectID), "wrong_network"},
	} {
		if _, err := c.author.Sign(testTime, c.data); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

// TestProofsAreAccepted verifies the second signatures that an author makes with the package that ledgers verify with.
func TestProofsAreAccepted(t *testing.T) {
	t.Parallel()
	author, key := testAuthor(t), passkey(t)
	network, owner := author.Network(), author.Owner()
	for _, e := range goodProofMessages(t) {
		var errs []error
		recovered := func(want Address, signature []byte, digest [32]byte) {
			parsed, err := custody.Parse(signature)
			if err == nil {
				var id Address
				if id, err = parsed.Recover(digest); err == nil && id != want {
					err = errors.New("signed by " + id.String())
				}
			}
			errs = append(errs, err)
		}
		switch {
		case e.Data.GetSignerAdd() != nil:
			b := e.Data.GetSignerAdd()
			recovered(owner, b.GetCustodySignature(), custody.SignerAddDigest(network, owner, b))
			recovered(key.KeyID(), b.GetRequestSignature(), custody.SignerRequestDigest(network, owner, b))
		case e.Data.GetSignerRemove() != nil:
			b := e.Data.GetSignerRemove()
			recovered(owner, b.GetCustodySignature(), custody.SignerRemoveDigest(network, owner, b))
		case e.Data.GetKeychainAuthorize() != nil:
			b := e.Data.GetKeychainAuthorize()
			recovered(owner, b.GetAuthorizationSignature(), custody.AuthorizeDigest(network, owner, b))
		case e.Data.GetKeychainRevoke() != nil:
			b := e.Data.GetKeychainRevoke()
			recovered(key.KeyID(), b.GetRevocationSignature(), custody.RevokeDigest(network, owner, b))
		case e.Data.GetStorageClaim() != nil:
			errs = append(errs, attestationErrors(owner, e.Data.GetStorageClaim())...)
		case e.Data.GetVerificationAdd().GetVerificationType() == pb.VerificationType_VERIFICATION_TYPE_ETH_ADDRESS:
			b := e.Data.GetVerificationAdd()
			errs = append(errs, custody.VerifyEthClaim(network, owner, Address(b.GetAddress()), b.GetClaimSignature()))
		default:
			b := e.Data.GetVerificationAdd()
			errs = append(errs, custody.VerifySolClaim(network, owner, PublicKey(b.GetAddress()), b.GetClaimSignature()))
		}
		if err := errors.Join(errs...); err != nil || len(errs) == 0 {
			t.Errorf("%s: %v", e.Type(), err)
		}
	}
}

func attestationErrors(owner Address, claim *pb.StorageClaimBody) (errs []error) {
	id := custody.ClaimID(claim.GetSettlementChainId(), ident.Hash(claim.GetSettlementTxHash()), claim.GetSettlementLogIndex())
	digest := custody.SettlementDigest(testDomain(), id, owner, claim)
	for _, a := range claim.GetAttestations() {
		errs = append(errs, custody.VerifyAttestation(digest, PublicKey(a.GetAttester()), a.GetSignature()))
	}
	return errs
}

// brokenWallet fails to sign.
type brokenWallet struct{ Wallet }

func (brokenWallet) Sign([32]byte) ([]byte, error) { return nil, errors.New("device is locked") }

// TestWalletFailures checks the errors for a wallet that fails to sign and for an invalid custody key.
func TestWalletFailures(t *testing.T) {
	t.Parallel()
	author, root := testAuthor(t), rootWallet(t)
	broken := brokenWallet{root}
	key := CustodyKey{Type: root.Type(), PublicKey: root.PublicKey()}
	errOf := func(_ *Envelope, err error) error { return err }
	for want, err := range map[string]error{
		"custody signature: device is locked":       errOf(author.SignerAdd(testTime, SignerGrant{}, Permit{}, broken, root)),
		"request signature: device is locked":       errOf(author.SignerAdd(testTime, SignerGrant{}, Permit{}, root, broken)),
		"authorization signature: device is locked": errOf(author.KeychainAuthorize(testTime, key, Permit{}, broken)),
		"revocation signature: device is locked":    errOf(author.KeychainRevoke(testTime, stranger, Permit{}, broken)),
		"claim of " + root.KeyID().String():         errOf(author.EthVerification(testTime, broken)),
		"custody key: no public key":                errOf(author.KeychainAuthorize(testTime, CustodyKey{}, Permit{}, root)),
	} {
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if err := errOf(author.SignerRemove(testTime, PublicKey{}, Permit{}, broken)); err == nil {
		t.Error("removed a key without a signature")
	}
}
