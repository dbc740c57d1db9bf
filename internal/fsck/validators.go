package fsck

import (
	pb "makechain/gen/makechain"
	"makechain/internal/validators"
)

// validators checks that the set is one that a change can have led to.
func (c *checker) validators(r row, stored *pb.ValidatorsRow) {
	if _, err := validators.FromRow(stored); err != nil {
		c.find(BadValidators, r.key, "%v", err)
	}
}
