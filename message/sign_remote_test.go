package message_test

import (
	"bytes"
	"errors"
	"testing"

	pb "makechain/gen/makechain"
	"makechain/message"
)

// TestRemoteAuthor checks that an author whose key is held elsewhere makes the same messages, returns the errors of its key,
// and does not sign a message as a statement.
func TestRemoteAuthor(t *testing.T) {
	t.Parallel()
	local := message.NewAuthor(message.Seed{1}, pb.Network_NETWORK_DEVNET, message.Address{2})
	var failure error
	sign := func(text []byte) ([]byte, error) {
		if failure != nil {
			return nil, failure
		}
		m, err := local.Sign(1, message.UsernameCreate("alice"))
		if err != nil || !bytes.Equal(m.Hash[:], text) {
			t.Errorf("the text to sign is %x, want the hash of the message; error %v", text, err)
		}
		return m.Signature[:], nil
	}
	remote := message.NewRemoteAuthor(sign, local.Key(), local.Network(), local.Owner())
	want, err := local.Sign(1, message.UsernameCreate("alice"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := remote.Sign(1, message.UsernameCreate("alice"))
	if err != nil || !bytes.Equal(got.Transaction(), want.Transaction()) {
		t.Errorf("%v, error %v", got, err)
	}
	failure = errors.New("the key is locked")
	if _, err := remote.Sign(1, message.UsernameCreate("alice")); !errors.Is(err, failure) {
		t.Errorf("error %v, want that of the key", err)
	}
	if _, err := local.SignStatement(want.Hash[:]); err == nil {
		t.Error("the hash of a message was signed as a statement")
	}
}
