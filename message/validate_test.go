package message

import (
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
)

// bound is a change to a good body and the expected result of Validate.
type bound[B any] struct {
	name   string
	change func(body B)
	// refused is the full reason, which starts with the path of the field; empty if the body stays valid.
	refused string
}

// checkBounds applies each change to a fresh body, signs it and validates it.
func checkBounds[B proto.Message](t *testing.T, good func() *pb.MessageData, get func(*pb.MessageData) B, bounds []bound[B]) {
	t.Helper()
	bounds = append(bounds, bound[B]{name: "unchanged", change: func(B) {}})
	for _, c := range bounds {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			data := proto.CloneOf(good())
			c.change(get(data))
			refusal := must(testAuthor(t).Sign(testTime, data))(t).Validate()
			if c.refused == "" {
				if refusal != nil {
					t.Errorf("refused: %v", refusal)
				}
				return
			}
			field, _, _ := strings.Cut(c.refused, ": ")
			if refusal == nil || refusal.Reason != c.refused || refusal.Field != field {
				t.Fatalf("%+v, want %q", refusal, c.refused)
			}
			if refusal.Stage != Validation || refusal.Code != CodeInvalidField {
				t.Errorf("stage %q and code %q", refusal.Stage, refusal.Code)
			}
		})
	}
}

// proofMessage returns a good message of a type that needs a second signature.
func proofMessage(tb testing.TB, has func(*pb.MessageData) bool) *pb.MessageData {
	tb.Helper()
	for _, e := range goodProofMessages(tb) {
		if has(e.Data) {
			return e.Data
		}
	}
	tb.Fatal("no such message")
	return nil
}

// zeros returns a string of n characters.
func zeros(n int) string { return strings.Repeat("0", n) }

// TestTimestamp checks that every message needs a timestamp.
//
// Rules: P5/all.
func TestTimestamp(t *testing.T) {
	t.Parallel()
	author := testAuthor(t)
	for _, e := range goodMessages(t) {
		refusal := must(author.Sign(0, e.Data))(t).Validate()
		wantRefusal(t, refusal, Validation, CodeInvalidField, "timestamp", "0, at least 1")
		if refusal := must(author.Sign(1, e.Data))(t).Validate(); refusal != nil {
			t.Errorf("%s at 1: %v", e.Type(), refusal)
		}
	}
}

// TestEveryFixedSizeField checks that Validate refuses every id and hash field that is one byte too short or too long,
// and names the field.
//
// Rules: P5/all.
func TestEveryFixedSizeField(t *testing.T) {
	t.Parallel()
	tried := 0
	for _, e := range goodMessages(t) {
		body := bodyName(e.Type())
		for _, path := range fixedSizeFields(e.Data.ProtoReflect(), body) {
			for _, resize := range []func([]byte) []byte{
				func(b []byte) []byte { return b[1:] },
				func(b []byte) []byte { return append(slices.Clip(b), 1) },
			} {
				data := proto.CloneOf(e.Data)
				path.update(data.ProtoReflect(), resize)
				refusal := mustSign(t, data).Validate()
				tried++
				if refusal == nil || !strings.HasPrefix(refusal.Field, body+".") || !strings.Contains(refusal.Reason, "bytes") {
					t.Errorf("%s of another size: %v", path.name, refusal)
				}
			}
		}
	}
	if tried < 80 {
		t.Errorf("only %d changes tried", tried)
	}
}
