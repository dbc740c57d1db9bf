package message

import (
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
)

// bound is a change to a good body and what Validate says of the result.
type bound[B any] struct {
	name   string
	change func(body B)
	// refused is the whole reason, which begins with the path of the field; empty when the body stays good.
	refused string
}

// checkBounds applies each change to a body of its own, signs it and validates it.
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

// proofMessage is a good message of a type that needs a second signature.
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

// zeros is text of a length.
func zeros(n int) string { return strings.Repeat("0", n) }

// TestTimestamp needs every message to say when it was written.
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

// TestEveryFixedSizeField makes every field that names something in a good message one byte shorter and one
// byte longer. Whatever field it is, Validate must refuse it by name.
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
