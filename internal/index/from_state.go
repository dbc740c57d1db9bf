package index

import (
	"fmt"

	pb "makechain/gen/makechain"
	"makechain/internal/schema"
)

// firstIndexKey lies behind the rows of the state.
func firstIndexKey() []byte { return []byte{prefixPosition} }

// FromState gives the index rows that follow from the state alone: names and counts. A node that received its
// state by snapshot begins with them, and with how many messages the chain had committed by then. What
// messages before it left behind is not known to such a node.
func FromState(view View, messages uint64, emit func(schema.Change) error) error {
	stats, err := countState(view, func(name ProjectName) error {
		return emit(schema.Change{Key: name.key(), Value: name.Owner[:]})
	})
	if err != nil {
		return fmt.Errorf("index the state: %w", err)
	}
	stats.Messages = messages
	return emit(schema.Change{Key: statsKey(), Value: stats.encode()})
}

// countState counts the rows of the state and visits the names of its projects.
func countState(view View, visit func(ProjectName) error) (stats Stats, err error) {
	var failed error
	err = view.Scan(nil, firstIndexKey(), func(key, value []byte) bool {
		stats.countRow(key, +1)
		switch schema.Prefix(key[0]) {
		case schema.PrefixProject:
			var row pb.ProjectRow
			failed = schema.Decode(value, &row)
			if row.GetStatus() == pb.ProjectStatus_PROJECT_STATUS_REMOVED {
				stats.leaveOut(&row)
			}
		case schema.PrefixProjectName:
			var name ProjectName
			if name, failed = ownedName(key, value); failed == nil {
				failed = visit(name)
			}
		}
		if failed != nil {
			failed = fmt.Errorf("row %x: %w", key, failed)
		}
		return failed == nil
	})
	if failed != nil {
		err = failed
	}
	return stats, err
}
