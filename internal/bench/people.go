package bench

import "makechain/internal/bench/workload"

// Population is the people who were put on the chain, for those who have them send in another way. Run must not be called
// meanwhile.
func (b *Bench) Population() *workload.Population { return b.population }
