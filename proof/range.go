package proof

import (
	"bytes"
	"encoding/binary"

	pb "makechain/gen/makechain"
)

// VerifyRange verifies that a page contains every row with the prefix, from the first or from the end of the page that
// returned cursor, up to the page's last row, and that no row follows when it is marked complete (T3.4). An incomplete
// page has at least one row and a next cursor. Only pages of the same root form one consistent list.
func VerifyRange(root [32]byte, prefix, cursor []byte, page *pb.GetRangeProofResponse) error {
	iv, err := openInterval(prefix, cursor)
	if err != nil {
		return within(StepKey, err)
	}
	if err := checkRoot(root, page.GetRoot()); err != nil {
		return err
	}
	entries := page.GetEntries()
	if len(entries) > MaxPageRows {
		return failed(StepBounds, "page has %d rows, at most %d", len(entries), MaxPageRows)
	}
	if err := checkEnd(prefix, page); err != nil {
		return err
	}
	r, err := readRun(iv, page.GetLowerBoundProof(), entries, page.GetUpperBoundProof())
	if err != nil {
		return err
	}
	r.closed = page.GetComplete()
	return r.verify(root)
}

// checkEnd checks that a page is either complete or has the cursor of its last row.
func checkEnd(prefix []byte, page *pb.GetRangeProofResponse) error {
	entries := page.GetEntries()
	switch {
	case page.GetComplete():
		if len(page.GetNextCursor()) > 0 {
			return failed(StepClaim, "page is complete and has a next cursor")
		}
	case len(entries) == 0:
		return failed(StepClaim, "page is neither complete nor has rows")
	case len(page.GetUpperBoundProof()) > 0:
		return failed(StepClaim, "page is not complete and has an upper bound")
	case !bytes.Equal(page.GetNextCursor(), RangeCursor(prefix, entries[len(entries)-1].GetKey())):
		return failed(StepClaim, "next cursor is not that of the last row")
	}
	return nil
}

// cursorHeader is the size of the prefix length at the start of a cursor. It prevents the use of a cursor with a shorter
// prefix.
const cursorHeader = 2

// RangeCursor returns the cursor of the page that follows a key in a range.
func RangeCursor(prefix, last []byte) []byte {
	return append(binary.BigEndian.AppendUint16(nil, uint16(len(prefix))), last...) // at most MaxKeySize
}

func openInterval(prefix, cursor []byte) (interval, error) {
	if err := checkKey(prefix); err != nil {
		return interval{}, err
	}
	if len(cursor) == 0 {
		return interval{prefix: prefix}, nil
	}
	if len(cursor) < cursorHeader || len(cursor) > cursorHeader+MaxKeySize ||
		int(binary.BigEndian.Uint16(cursor)) != len(prefix) || !bytes.HasPrefix(cursor[cursorHeader:], prefix) {
		return interval{}, ErrCursor
	}
	return interval{prefix: prefix, after: cursor[cursorHeader:]}, nil
}

// Range returns a proven page of the rows with the prefix, from the first or from the end of the page that returned
// cursor. A limit of 0 means DefaultPageRows; a limit over MaxPageRows is treated as MaxPageRows. The page ends early
// when its proofs would not fit into one response. The caller adds the block number.
func Range(src Source, prefix []byte, limit uint32, cursor []byte) (*pb.GetRangeProofResponse, error) {
	iv, err := openInterval(prefix, cursor)
	if err != nil {
		return nil, err
	}
	if limit == 0 {
		limit = DefaultPageRows
	}
	l, err := proveInterval(src, iv, int(min(limit, MaxPageRows)))
	if err != nil {
		return nil, err
	}
	root := src.Root()
	page := &pb.GetRangeProofResponse{
		Root: root[:], LowerBoundProof: l.lower.proof, UpperBoundProof: l.upper.proof, Complete: l.complete,
	}
	for _, row := range l.rows {
		page.Entries = append(page.Entries, &pb.RangeProofEntry{Key: row.key, Value: row.value, Proof: row.proof})
	}
	if !l.complete {
		page.NextCursor = RangeCursor(prefix, l.rows[len(l.rows)-1].key)
	}
	return page, nil
}
