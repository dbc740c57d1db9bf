package server

import (
	"net/http"
	"strconv"
)

// Headers that say which state an answer is from.
const (
	// BlockHeader is a block that the answer knows of; it may know of later ones.
	BlockHeader = "Makechain-Block"
	// BehindHeader is how many blocks the node knows to be missing. It is there only while the node catches up.
	BehindHeader = "Makechain-Behind"
)

// A Position is how far a node has come.
type Position struct {
	Block      uint64
	CatchingUp bool
	Behind     uint64 // blocks that others have
}

// tellPosition says in each answer which state it is from, at least: the headers are written before the state is read.
func tellPosition(position func() Position, next http.Handler) http.Handler {
	if position == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at := position()
		w.Header().Set(BlockHeader, strconv.FormatUint(at.Block, 10))
		if at.CatchingUp {
			w.Header().Set(BehindHeader, strconv.FormatUint(at.Behind, 10))
		}
		next.ServeHTTP(w, r)
	})
}
