package ledger_test

import (
	"testing"

	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
)

// FuzzApply signs an arbitrary body as the owner of a project and applies it. A valid message applies or is refused
// without an error; after it applied, the state is consistent and the message does not apply again.
//
// Rules: P6.2, I2, I10.
func FuzzApply(f *testing.F) {
	base := newStage(f)
	for _, k := range kindsOfMessages() {
		s := base.branch(f)
		a := k.author(s)
		seed, err := proto.Marshal(k.make(s, a, a.Author).Data)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, encoded []byte) {
		var data pb.MessageData
		if proto.Unmarshal(encoded, &data) != nil {
			return
		}
		m, err := base.owner.Sign(data.GetTimestamp(), &data)
		if err != nil || m.Validate() != nil {
			return
		}
		w := base.Branch(t)
		w.Next(1)
		if _, refusal := w.Apply(m); refusal != nil {
			return
		}
		w.Check()
		w.Next(1)
		if _, refusal := w.Apply(m); refusal == nil {
			t.Fatalf("%s applies twice", m.Type())
		}
	})
}
