package rest

import (
	"net/http"

	"connectrpc.com/connect"
)

// Refuse answers with a problem what the server around a gateway turns down. When to come back, the server knows best.
func Refuse(w http.ResponseWriter, _ *http.Request, status int, reason string) {
	var faults []Fault
	if status == http.StatusRequestEntityTooLarge {
		faults = []Fault{{Location: bodyPlace, Message: reason}}
	}
	p := newProblemOf(status, refusedCode(status), reason, faults...)
	if w.Header().Get("Retry-After") != "" {
		p.header.Del("Retry-After")
	}
	writeProblem(w, p)
}

// refusedCode is the code for a status of the server's own.
func refusedCode(status int) string {
	switch status {
	case http.StatusTooManyRequests:
		return connect.CodeResourceExhausted.String()
	case http.StatusRequestEntityTooLarge:
		return codeBodyTooLarge
	default:
		return codeInternal
	}
}
