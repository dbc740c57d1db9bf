package mempool

import (
	"container/list"

	"makechain/internal/ident"
	"makechain/internal/ledger"
)

// visitors are the owners of projects for which messages are pending that search the commit graph. They take turns: those
// whose messages were in a selection least recently come first, however many accounts send messages for their projects.
type visitors struct {
	byOwner map[ident.Address]*list.Element
	order   *list.List // of *visitor
}

// visitor is the owner of projects, and how many commits the pending messages for these projects visit.
type visitor struct {
	owner  ident.Address
	visits int
}

func newVisitors() visitors {
	return visitors{byOwner: make(map[ident.Address]*list.Element), order: list.New()}
}

// add adds visits of pending messages for the projects of an owner; visits is negative for messages that leave the pool.
func (v *visitors) add(owner ident.Address, visits int) {
	if visits == 0 {
		return
	}
	at := v.byOwner[owner]
	if at == nil {
		at = v.order.PushBack(&visitor{owner: owner})
		v.byOwner[owner] = at
	}
	o, _ := at.Value.(*visitor)
	if o.visits += visits; o.visits == 0 {
		v.order.Remove(at)
		delete(v.byOwner, owner)
	}
}

// grant divides the visits of the next block among the owners (P6.5). An owner whose share no longer fits keeps its turn
// for the block after it.
func (v *visitors) grant() map[ident.Address]int {
	granted := make(map[ident.Address]int, v.order.Len())
	free := ledger.MaxBlockVisits
	at := v.order.Front()
	for range v.order.Len() {
		o, _ := at.Value.(*visitor)
		next := at.Next()
		if share := min(o.visits, ledger.MaxOwnerVisits); share <= free {
			free -= share
			granted[o.owner] = share
			v.order.MoveToBack(at)
		}
		at = next
	}
	return granted
}
