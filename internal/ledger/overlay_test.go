package ledger

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	pb "makechain/gen/makechain"
	"makechain/internal/schema"
)

// mapView is a view of a map.
type mapView map[string]string

func (v mapView) Get(key []byte) ([]byte, error) {
	if value, ok := v[string(key)]; ok {
		return []byte(value), nil
	}
	return nil, nil
}

func (v mapView) Scan(lower, upper []byte, visit func(key, value []byte) bool) error {
	for _, key := range slices.Sorted(maps.Keys(v)) {
		if key >= string(lower) && (upper == nil || key < string(upper)) && !visit([]byte(key), []byte(v[key])) {
			break
		}
	}
	return nil
}

// overlayMachine compares an overlay with maps that are copied instead of keeping a journal.
type overlayMachine struct {
	view    mapView
	overlay *overlay
	now     mapView
	saved   mapView // the state after a rollback
}

func drawKey(t *rapid.T) []byte {
	return []byte(rapid.StringOfN(rapid.RuneFrom([]rune("abc")), 1, 3, -1).Draw(t, "key"))
}

func (m *overlayMachine) set(t *rapid.T) {
	key, value := drawKey(t), rapid.StringOfN(rapid.RuneFrom([]rune("xy")), 1, 1, -1).Draw(t, "value")
	m.overlay.set(key, []byte(value))
	m.now[string(key)] = value
}

func (m *overlayMachine) delete(t *rapid.T) {
	key := drawKey(t)
	m.overlay.delete(key)
	delete(m.now, string(key))
}

func (m *overlayMachine) get(t *rapid.T) {
	key := drawKey(t)
	value, exists := m.now[string(key)]
	if got := m.overlay.get(key); string(got) != value || (got != nil) != exists {
		t.Fatalf("%s is %q, want %q", key, got, value)
	}
}

// scan reads a prefix, sometimes not to its end.
func (m *overlayMachine) scan(t *rapid.T) {
	prefix, most := drawKey(t), rapid.IntRange(1, 6).Draw(t, "most")
	var got, want []string
	m.overlay.scan(prefix, func(key, value []byte) bool {
		got = append(got, string(key)+"="+string(value))
		return len(got) < most
	})
	for _, key := range slices.Sorted(maps.Keys(m.now)) {
		if strings.HasPrefix(key, string(prefix)) && len(want) < most {
			want = append(want, key+"="+m.now[key])
		}
	}
	if !slices.Equal(got, want) {
		t.Fatalf("scan of %s returns %v, want %v", prefix, got, want)
	}
}

func (m *overlayMachine) commit(*rapid.T) {
	m.overlay.commit()
	m.saved = maps.Clone(m.now)
}

func (m *overlayMachine) rollback(t *rapid.T) {
	if !maps.Equal(m.now, m.saved) && !m.overlay.changed() {
		t.Fatalf("the overlay does not report a change")
	}
	m.overlay.rollback()
	m.now = maps.Clone(m.saved)
}

func (m *overlayMachine) trim(t *rapid.T) {
	m.overlay.trim()
	if got, want := len(m.overlay.rows), len(m.overlay.dirty); got != want {
		t.Fatalf("%d rows are kept, want the %d written ones", got, want)
	}
}

// check compares the list of changes with the difference of the two maps.
func (m *overlayMachine) check(t *rapid.T) {
	after := maps.Clone(m.view)
	previous := ""
	changes, _ := m.overlay.changes()
	for _, c := range changes {
		key := string(c.Key)
		before, existed := m.view[key]
		switch {
		case key <= previous:
			t.Fatalf("change of %q after %q", key, previous)
		case c.Existed != existed:
			t.Fatalf("%q existed: %t", key, existed)
		case c.Value == nil && !existed, c.Value != nil && existed && string(c.Value) == before:
			t.Fatalf("the change of %q changes nothing", key)
		}
		previous = key
		if c.Value == nil {
			delete(after, key)
		} else {
			after[key] = string(c.Value)
		}
	}
	if !maps.Equal(after, m.now) {
		t.Fatalf("changes lead to %v, want %v", after, m.now)
	}
	bytes := 0
	for _, row := range m.overlay.rows {
		bytes += rowOverhead + 2*len(row.key) + len(row.value)
	}
	if m.overlay.bytes != bytes {
		t.Fatalf("%d bytes are counted, want %d", m.overlay.bytes, bytes)
	}
}

// TestOverlayModel compares random reads, writes, scans and rollbacks with a map, and the changes with the view.
//
// Rules: I10.
func TestOverlayModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		view := mapView(rapid.MapOfN(rapid.StringMatching(`[abc]{1,3}`), rapid.StringMatching(`[xy]`), 0, 20).Draw(t, "view"))
		m := &overlayMachine{view: view, overlay: newOverlay(view, 0, firstVersion), now: maps.Clone(view), saved: maps.Clone(view)}
		t.Repeat(map[string]func(*rapid.T){
			"":         m.check,
			"set":      m.set,
			"delete":   m.delete,
			"get":      m.get,
			"scan":     m.scan,
			"commit":   m.commit,
			"rollback": m.rollback,
			"trim":     m.trim,
		})
	})
}

// TestOverlayReadsOnce checks that a row is read from the view only once.
func TestOverlayReadsOnce(t *testing.T) {
	t.Parallel()
	o := newOverlay(mapView{"a": "x"}, 0, firstVersion)
	for range 3 {
		o.get([]byte("a"))
		o.get([]byte("b"))
		o.set([]byte("b"), []byte("y"))
	}
	if o.reads != 2 {
		t.Errorf("%d reads, want 2", o.reads)
	}
}

// TestOverlayKeepsNoEmptyRow checks that a row whose fields are all zero is not stored.
//
// Rules: P7.
func TestOverlayKeepsNoEmptyRow(t *testing.T) {
	t.Parallel()
	key := schema.CounterKey([20]byte{1}, schema.CounterLinks)
	o := newOverlay(mapView{string(key): "\x08\x01"}, 0, firstVersion)
	o.put(key, load[pb.CounterRow](o, key))
	if changes, _ := o.changes(); len(changes) != 0 {
		t.Error("writing an unchanged row is a change")
	}
	o.put(key, &pb.CounterRow{})
	changes, _ := o.changes()
	if len(changes) != 1 || changes[0].Value != nil || !changes[0].Existed {
		t.Errorf("changes %v, want the row deleted", changes)
	}
}
