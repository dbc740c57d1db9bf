package store

// Written is the number of bytes that Pebble has written since the store was opened, by reason.
type Written struct {
	WAL        uint64
	Flush      uint64 // of memtables
	Compaction uint64
}

// Written returns the number of bytes written to the files of the store. It takes locks of Pebble, so it is for monitoring.
func (s *Store) Written() Written {
	m := s.db.Metrics()
	w := Written{WAL: m.WAL.BytesWritten}
	for i := range m.Levels {
		w.Flush += m.Levels[i].TableBytesFlushed + m.Levels[i].BlobBytesFlushed
		w.Compaction += m.Levels[i].TableBytesCompacted + m.Levels[i].BlobBytesCompacted
	}
	return w
}
