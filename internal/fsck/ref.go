package fsck

import (
	pb "makechain/gen/makechain"
	"makechain/internal/ident"
	"makechain/internal/schema"
)

func (c *checker) ref(r row, f *pb.RefRow) {
	c.known(r, "ref_type", int32(f.GetRefType()), pb.RefType_name)
	c.size(r, "hash", f.GetHash(), ident.HashSize)
	c.since(r, "timestamp", f.GetTimestamp())
	c.needProject(r.Project)
	if f.GetNonce() == 0 {
		c.find(BadRef, r.key, "the nonce is 0, a ref begins with 1")
	}
	if f.GetTimestamp() <= f.GetFloor() {
		c.find(BadRef, r.key, "the timestamp %d is not later than %d, when an earlier ref of this name ended", f.GetTimestamp(), f.GetFloor())
	}
	if commit := hash(f.GetHash()); c.get(schema.CommitKey(r.Project, commit)) == nil {
		c.find(BadRef, r.key, "the ref is at commit %s, which the project does not know", commit)
	}
}
