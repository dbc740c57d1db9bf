package fill

import (
	"bytes"
	"slices"

	"google.golang.org/protobuf/proto"

	"makechain/internal/merkle"
	"makechain/internal/schema"
)

// section is a part of the key space: the rows of one kind, of all accounts or of all projects in their order.
type section struct {
	from, to int // numbers of accounts, of their keys, or of projects
	rows     func(w *writer, number int)
}

// sections returns all rows in the order of their keys.
func (s shape) sections() []section {
	accounts, projects := s.accounts, s.projects()
	return []section{
		{0, accounts, (*writer).account},                   // 04
		{0, accounts, (*writer).accountMetadata},           // 05
		{0, accounts, (*writer).keys},                      // 06
		{0, keysPerAccount * accounts, (*writer).keyOwner}, // 07
		{0, accounts, (*writer).username},                  // 08
		{0, accounts, (*writer).verification},              // 09
		{0, projects, (*writer).project},                   // 0A
		{0, projects, (*writer).projectMetadata},           // 0B
		{0, accounts, (*writer).projectNames},              // 0C
		{0, projects, (*writer).refs},                      // 0D
		{0, projects, (*writer).commits},                   // 0E
		{0, projects, (*writer).collaborator},              // 0F
		{0, accounts, (*writer).links},                     // 10
		{0, accounts, (*writer).followers},                 // 11 01
		{0, accounts, (*writer).stars},                     // 11 02
		{0, accounts, (*writer).reactions},                 // 12
		{0, accounts, (*writer).reactionsByTarget},         // 13
		{0, accounts, (*writer).counters},                  // 14
		{0, accounts, (*writer).grant},                     // 16
		{0, accounts, (*writer).usedClaim},                 // 17
		{0, accounts, (*writer).verificationAge},           // 18 09
		{0, projects, (*writer).commitAges},                // 18 0E
		{0, projects, (*writer).collaboratorAge},           // 18 0F
		{0, accounts, (*writer).linkAges},                  // 18 10
		{0, accounts, (*writer).reactionAges},              // 18 12
		{0, accounts, (*writer).closedByRequester},         // 18 1C
		{0, accounts, (*writer).closedAges},                // 18 1E
		{0, accounts, (*writer).mergeRequestPair},          // 19
		{accounts, projects, (*writer).forkParent},         // 1A
		{0, accounts, (*writer).mergeRequest},              // 1B
		{0, accounts, (*writer).mergeRequestByRequester},   // 1C
		{0, accounts, (*writer).closedMergeRequests},       // 1E
		{0, projects, (*writer).contents},                  // 1F
	}
}

// row is a row of the state.
type row struct {
	key, value []byte
	leaf       merkle.Hash // of a row in the state tree
	inTree     bool
}

// writer collects generated rows.
type writer struct {
	shape

	rows []row
	err  error // the first one
}

// add adds a row. The rows of one account or project may be added in any order.
func (w *writer) add(key []byte, message proto.Message) {
	value, err := schema.Encode(message)
	if err != nil && w.err == nil {
		w.err = err
	}
	w.addValue(key, value)
}

// derived adds a derived row whose information is in its key.
func (w *writer) derived(key []byte) { w.addValue(key, schema.Present) }

func (w *writer) addValue(key, value []byte) {
	added := row{key: key, value: value, inTree: schema.Prefix(key[0]).Merkleized()}
	if added.inTree {
		added.leaf = merkle.LeafHash(key, value)
	}
	w.rows = append(w.rows, added)
}

// generate returns the rows of a range of a section.
func generate(s shape, of section, from, to int) ([]row, error) {
	w := &writer{shape: s}
	for number := from; number < to; number++ {
		start := len(w.rows)
		of.rows(w, number)
		slices.SortFunc(w.rows[start:], func(a, b row) int { return bytes.Compare(a.key, b.key) })
	}
	return w.rows, w.err
}
