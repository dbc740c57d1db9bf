package custody

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// clientData holds the members of clientDataJSON that a custody signature needs.
type clientData struct {
	kind      string // the member "type"
	challenge string
}

// parseClientData returns the two members it needs and ignores the others. It refuses input that JSON parsers could
// interpret differently: invalid UTF-8 and duplicate members. Names are case-sensitive, unlike in decoding to a struct.
func parseClientData(text []byte) (clientData, error) {
	if !utf8.Valid(text) || !json.Valid(text) {
		return clientData{}, errors.New("not JSON")
	}
	members, err := topLevelMembers(text)
	if err != nil {
		return clientData{}, err
	}
	var c clientData
	if c.kind, err = stringMember(members, "type"); err != nil {
		return clientData{}, err
	}
	if c.challenge, err = stringMember(members, "challenge"); err != nil {
		return clientData{}, err
	}
	return c, nil
}

// topLevelMembers splits a valid JSON text that must be an object.
func topLevelMembers(text []byte) (map[string]json.RawMessage, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, errors.New("not a JSON object")
	}
	members := make(map[string]json.RawMessage)
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, fmt.Errorf("member name: %w", err)
		}
		name, ok := token.(string)
		if !ok {
			return nil, fmt.Errorf("member name %v is not a string", token)
		}
		if _, twice := members[name]; twice {
			return nil, fmt.Errorf("member %q occurs twice", name)
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, fmt.Errorf("member %q: %w", name, err)
		}
		members[name] = value
	}
	return members, nil
}

func stringMember(members map[string]json.RawMessage, name string) (string, error) {
	raw, ok := members[name]
	if !ok {
		return "", fmt.Errorf("no member %q", name)
	}
	if raw[0] != '"' {
		return "", fmt.Errorf("member %q is not a string", name)
	}
	var value string
	err := json.Unmarshal(raw, &value)
	return value, err
}
