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

// settlementDamage damages the settlement.
func settlementDamage() []damage {
	of := func(name, text string, edit func(*pb.SettlementRow)) damage {
		return damage{name, func(s state) { change(s, schema.SettlementKey(), edit) }, []Class{BadSettlement}, text}
	}
	return []damage{
		of("settlement before the first change", "before the first change", func(r *pb.SettlementRow) { r.Sequence = 0 }),
		of("settlement without attesters", "without attesters", func(r *pb.SettlementRow) { r.Attesters = nil }),
		of("settlement with a threshold that cannot be reached", "want 1 to 2", func(r *pb.SettlementRow) { r.Threshold = 3 }),
		of("settlement with a short contract", "contract of 2 bytes", func(r *pb.SettlementRow) { r.Contract = []byte{1, 2} }),
		of("attester with a short key", "2 bytes", func(r *pb.SettlementRow) { r.Attesters[1].PublicKey = []byte{1, 2} }),
		of("attester twice", "duplicate", func(r *pb.SettlementRow) { r.Attesters[1].PublicKey = r.Attesters[0].PublicKey }),
		of("attester with a wrong URL", "not an absolute", func(r *pb.SettlementRow) { r.Attesters[0].Url = "one.example" }),
	}
}

// rulesDamage damages the activation of rules.
func rulesDamage() []damage {
	of := func(name, text string, edit func(*pb.RulesRow)) damage {
		return damage{name, func(s state) { change(s, schema.RulesKey(), edit) }, []Class{BadRules}, text}
	}
	return []damage{
		of("rules before the first change", "before the first change", func(r *pb.RulesRow) { r.Sequence = 0 }),
		of("rules that skip a version", "does not follow", func(r *pb.RulesRow) { r.Version = 5 }),
		of("rules that follow none", "does not follow", func(r *pb.RulesRow) { r.Version, r.PreviousVersion = 1, 0 }),
		of("rules of too early a height", "height 10, want 11", func(r *pb.RulesRow) { r.Height = 10 }),
		of("rules of too great a height", "height 9223372036854775808", func(r *pb.RulesRow) { r.Height = 1 << 63 }),
	}
}
