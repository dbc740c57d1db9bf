package custody

import (
	"encoding/json"
	"strings"
	"testing"
)

// FuzzClientData compares with the standard decoder: accepted input is a JSON object from which the standard decoder
// reads the same type and challenge.
//
// Rules: P4.3.
func FuzzClientData(f *testing.F) {
	for _, seed := range []string{
		`{"type":"webauthn.get","challenge":"AAAA","origin":"http://localhost","crossOrigin":false}`,
		`{"type":"a","challenge":"b","type":"c"}`,
		`{"\u0074ype":"a","challenge":"\ud800"}`,
		` {"challenge":"" , "type":""} `,
		`{"type":{"type":"a"},"challenge":null}`,
		`[]`,
		`{"type":"a","challenge":"b"}{}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := parseClientData([]byte(text))
		if err != nil {
			return
		}
		var members map[string]any
		if err := json.Unmarshal([]byte(text), &members); err != nil {
			t.Fatalf("%q was accepted but is not an object: %v", text, err)
		}
		if members["type"] != got.kind || members["challenge"] != got.challenge {
			t.Fatalf("%q reads as %+v, the standard decoder reads %v", text, got, members)
		}
	})
}

// TestClientDataNesting checks that the deepest nesting that fits is skipped without an error.
//
// Rules: P4.3.
func TestClientDataNesting(t *testing.T) {
	t.Parallel()
	depth := maxWebAuthnSize / 2
	deep := strings.Repeat("[", depth) + strings.Repeat("]", depth)
	got, err := parseClientData([]byte(`{"x":` + deep + `,"type":"t","challenge":"c"}`))
	if err != nil || got.kind != "t" || got.challenge != "c" {
		t.Errorf("read %+v (%v)", got, err)
	}
}
