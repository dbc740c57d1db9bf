package vectors

import (
	"encoding/json"

	"makechain/message"
)

// verdict is "accepted", or how a message was refused. Only validation names a field.
type verdict struct {
	Stage message.Stage `json:"stage"`
	Code  message.Code  `json:"code"`
	Field string        `json:"field,omitempty"`
}

// MarshalJSON writes the zero verdict as a word.
func (v verdict) MarshalJSON() ([]byte, error) {
	if v == (verdict{}) {
		return json.Marshal("accepted")
	}
	type plain verdict
	return json.Marshal(plain(v))
}

func verdictOf(r *message.Refusal) verdict {
	if r == nil {
		return verdict{}
	}
	v := verdict{Stage: r.Stage, Code: r.Code}
	if r.Stage == message.Validation {
		v.Field = r.Field
	}
	return v
}
