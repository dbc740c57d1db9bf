package remotehelper

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
)

func reader(data []byte) *bufio.Reader { return bufio.NewReader(bytes.NewReader(data)) }

// FuzzPacket reads any bytes as packets, and checks that what is read is within the limit and is written as it was, up to the case of the
// length.
func FuzzPacket(f *testing.F) {
	for _, seed := range []string{"", "0000", "0001", "0002", "0003", "0004", "0009hello", "fff0", "ffff", "0009hell", "+009hello", "0x09hello", "000Ahello\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		in, buffer := reader(data), make([]byte, maxPacketData)
		var written []byte
		for {
			kind, content, err := readPacket(in, buffer)
			if err != nil {
				break
			}
			if len(content) > maxPacketData {
				t.Fatalf("a packet of %d bytes", len(content))
			}
			if kind == dataPacket {
				written = appendPacket(written, content)
			} else {
				written = appendSpecial(written, kind)
			}
		}
		if len(written) > len(data) || !bytes.EqualFold(written, data[:len(written)]) {
			t.Errorf("%q was read as %q", data, written)
		}
	})
}

// FuzzRequest reads any bytes as a request of git, and checks that an accepted one is the same after it is encoded and read again.
func FuzzRequest(f *testing.F) {
	id := strings.Repeat("a", 40)
	r := &request{command: fetchCommand, capabilities: []string{"object-format=sha1"}, arguments: []string{"want " + id, "filter blob:none", "done"}}
	f.Add(r.encode(true))
	f.Add([]byte("0014command=ls-refs\n0000"))
	f.Add([]byte("0000"))
	f.Add([]byte("00010000"))
	f.Add([]byte("0002"))
	f.Fuzz(func(t *testing.T, data []byte) {
		buffer := make([]byte, maxPacketData)
		first, err := readRequest(reader(data), buffer)
		if err != nil || hasLongLine(first) {
			return
		}
		again, err := readRequest(reader(first.encode(true)), buffer)
		if err != nil || !reflect.DeepEqual(first, again) {
			t.Errorf("%+v became %+v: %v", first, again, err)
		}
	})
}

// hasLongLine reports whether a line has no room for the line break that encode adds.
func hasLongLine(r *request) bool {
	for _, line := range append(append([]string{"command=" + r.command}, r.capabilities...), r.arguments...) {
		if len(line) >= maxPacketData {
			return true
		}
	}
	return false
}

// FuzzResponse checks any bytes as the answer to a fetch request. What is accepted is accepted again after it was copied, and has no
// claim that the history ends early.
func FuzzResponse(f *testing.F) {
	id := strings.Repeat("a", 40)
	empty := "PACK\x00\x00\x00\x02\x00\x00\x00\x00\x02\x9d\x08\x82\x3b\xd8\xa8\xea\xb5\x10\xad\x6a\xc7\x5c\x82\x3c\xfd\x3e\xd3\x1e"
	for _, seed := range []string{
		"000dpackfile\n" + string(appendPacket(nil, []byte("\x01"+empty))) + "0000",
		"000dpackfile\n000a\x02hello0005\x02" + string(appendPacket(nil, []byte("\x01"+empty))) + "0000",
		"0014acknowledgments\n0008NAK\n0000", "0014acknowledgments\n000aready\n0001000dpackfile\n0000",
		"0011shallow-info\n0035shallow " + id + "\n0001000dpackfile\n0000", "0011shallow-info\n0037unshallow " + id + "\n0000",
		"000dpackfile\n0009\x03oops0000", "0009ERR x", "0012packfile-uris\n0000", "0001", "0002",
	} {
		f.Add([]byte(seed), false)
		f.Add([]byte(seed), true)
	}
	f.Fuzz(func(t *testing.T, data []byte, done bool) {
		r := &request{command: fetchCommand, arguments: []string{"want " + id}}
		if done {
			r.arguments = append(r.arguments, "done")
		}
		var copied bytes.Buffer
		hasPack, err := copyResponse(reader(data), r, &copied, func([]byte) {})
		if err != nil {
			return
		}
		if bytes.Contains(copied.Bytes(), []byte("0011shallow-info\n0035shallow ")) && !hasPack {
			t.Errorf("an unasked end of the history was accepted: %q", copied.Bytes())
		}
		again, err := copyResponse(reader(copied.Bytes()), r, io.Discard, func([]byte) {})
		if err != nil || again != hasPack {
			t.Errorf("%q was copied as %q: %v", data, copied.Bytes(), err)
		}
	})
}

// FuzzParseAddress checks that an accepted address has a project, and that its node and project are accepted in the URL of the helper.
func FuzzParseAddress(f *testing.F) {
	for _, seed := range []string{
		"makechain://alice/hello", "makechain://localhost:50051/alice/hello", "https://example.com/alice/hello.git", "makechain://" + strings.Repeat("a", 64),
		"makechain://alice", "makechain://", "makechain://user:secret@host/alice/hello", "makechain://[::1]:1/alice/hello", "makechain://-x/alice/hello",
		"http://host/" + strings.Repeat("b", 64), "makechain://h/a/b?c#d", "ext::sh -c evil", "makechain:///alice/hello/",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		address, err := ParseAddress(text)
		if err != nil {
			return
		}
		url := scheme + address.Project.String()
		switch {
		case strings.Contains(address.Node, "://"):
			url = address.Node + "/" + address.Project.String()
		case address.Node != "":
			url = scheme + address.Node + "/" + address.Project.String()
		}
		again, err := ParseAddress(url)
		if err != nil || again != address {
			t.Errorf("%q is %+v, and %q is %+v: %v", text, address, url, again, err)
		}
	})
}

// FuzzUnquote removes quotes of any text.
func FuzzUnquote(f *testing.F) {
	for _, seed := range []string{"", `"`, `""`, `"\"`, `"\303\244"`, `"\9"`, `"\0`, `a"b`, `"\n\t\\"`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if plain := unquote(text); len(plain) > len(text) {
			t.Errorf("%q became %q", text, plain)
		}
	})
}

// TestAside checks that an answer ends when it has too much that is not part of a pack.
func TestAside(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]struct {
		head, line string
	}{
		"progress":        {"000dpackfile\n", "\x02counting objects\n"},
		"keepalive":       {"000dpackfile\n", "\x01"},
		"acknowledgments": {"0014acknowledgments\n", "NAK\n"},
	} {
		endless := io.MultiReader(strings.NewReader(answer.head), &repeated{packet: appendPacket(nil, []byte(answer.line))})
		_, err := copyResponse(bufio.NewReader(endless), &request{command: fetchCommand}, io.Discard, func([]byte) {})
		if err == nil || !strings.Contains(err.Error(), "not part of a pack") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// repeated returns a packet again and again.
type repeated struct {
	packet []byte
	at     int
}

func (r *repeated) Read(to []byte) (int, error) {
	n := copy(to, r.packet[r.at:])
	r.at = (r.at + n) % len(r.packet)
	return n, nil
}

// TestStoreErrors checks that what a store says cannot control the terminal or begin a line of its own.
func TestStoreErrors(t *testing.T) {
	t.Parallel()
	err := &storeError{"http://store", errors.New("\x1b[31mfake\nmakechain: verified" + strings.Repeat("x", 2*maxReason))}
	if text := err.Error(); strings.ContainsAny(text, "\x1b\n") || len(text) > 2*maxReason || !strings.HasPrefix(text, "http://store: ") {
		t.Errorf("the error is %q", text)
	}
}
