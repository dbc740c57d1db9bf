package fsck

import (
	"slices"

	pb "makechain/gen/makechain"
	"makechain/internal/schema"
)

// validatorDamage damages the validator set.
func validatorDamage() []damage {
	of := func(name, text string, edit func(*pb.ValidatorsRow)) damage {
		return damage{name, func(s state) { change(s, schema.ValidatorsKey(), edit) }, []Class{BadValidators}, text}
	}
	return []damage{
		of("validators before the first change", "before the first change", func(r *pb.ValidatorsRow) { r.Sequence = 0 }),
		of("no validator", "0 validators", func(r *pb.ValidatorsRow) { r.Validators = nil }),
		of("validator without power", "power 0", func(r *pb.ValidatorsRow) { r.Validators[0].Power = 0 }),
		of("validator with too much power", "power", func(r *pb.ValidatorsRow) { r.Validators[0].Power = 1 << 63 }),
		of("validators out of order", "out of order", func(r *pb.ValidatorsRow) { slices.Reverse(r.Validators) }),
		of("validator with a short key", "2 bytes", func(r *pb.ValidatorsRow) { r.Validators[1].PublicKey = []byte{1, 2} }),
	}
}
