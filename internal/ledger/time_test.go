package ledger_test

import (
	"math"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/internal/ledgertest"
	"makechain/message"
)

// TestDriftSaturates checks timestamps and block times at both ends of their range.
//
// Rules: P6.4.
func TestDriftSaturates(t *testing.T) {
	t.Parallel()
	old := message.AccountData(pb.AccountDataType_ACCOUNT_DATA_BIO, "x") // not time-sensitive
	fresh := message.ProjectCreate("x", pb.Visibility_VISIBILITY_PUBLIC, "", "")
	for _, c := range []struct {
		name  string
		block uint64
		at    uint32
		data  *pb.MessageData
		code  message.Code
	}{
		{"first second", 0, 1, fresh, message.CodeNoUsableStorage},
		{"end of the first drift", 0, 300, fresh, message.CodeNoUsableStorage},
		{"after the first drift", 0, 301, fresh, message.CodeTooEarly},
		{"young chain, oldest timestamp", 301, 1, fresh, message.CodeNoUsableStorage},
		{"young chain, too old", 302, 1, fresh, message.CodeTooLate},
		{"last timestamp", math.MaxUint32, math.MaxUint32, fresh, message.CodeNoUsableStorage},
		{"time beyond timestamps", math.MaxUint32 + 301, math.MaxUint32, fresh, message.CodeTooLate},
		{"end of time", math.MaxUint64, math.MaxUint32, fresh, message.CodeTooLate},
		{"end of time, any age", math.MaxUint64, 1, old, ""},
		{"first second, any age", 0, 300, old, ""},
		{"first second, too early", 0, 301, old, message.CodeTooEarly},
	} {
		w := ledgertest.New(t)
		a := w.Join("alice", 0)
		w.SkipTo(c.block)
		if m := w.SignAt(a, c.at, c.data); c.code == "" {
			w.Must(m)
		} else {
			w.MustRefuse(m, c.code)
		}
	}
}
