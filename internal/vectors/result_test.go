package vectors

import (
	"encoding/json"

	"makechain/message"
)

// result is "accepted", or the stage, code and field of a refusal. Only validation sets the field.
type result struct {
	Stage message.Stage `json:"stage"`
	Code  message.Code  `json:"code"`
	Field string        `json:"field,omitempty"`
}

// MarshalJSON encodes the zero result as "accepted".
func (v result) MarshalJSON() ([]byte, error) {
	if v == (result{}) {
		return json.Marshal("accepted")
	}
	type plain result
	return json.Marshal(plain(v))
}

func resultOf(r *message.Refusal) result {
	if r == nil {
		return result{}
	}
	v := result{Stage: r.Stage, Code: r.Code}
	if r.Stage == message.Validation {
		v.Field = r.Field
	}
	return v
}
