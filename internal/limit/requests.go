package limit

import (
	"errors"
	"strings"
)

const (
	// MaxRequestBytes is the size limit of a request that submits messages or verifies a proof, after decompression.
	MaxRequestBytes = 4 << 20
	// MaxReadBytes is the size limit of all other requests.
	MaxReadBytes = 64 << 10
)

// ErrBusy is the error of a request that cannot be read because other requests take the memory for them.
var ErrBusy = errors.New("other requests take the memory for requests, try again later")

// IsLarge reports whether a request to a path, of an RPC or of REST, may have MaxRequestBytes.
func IsLarge(path string) bool {
	if method, isCall := strings.CutPrefix(path, "/makechain.MakechainService/"); isCall {
		switch method {
		case "SubmitMessage", "BatchSubmitMessages", "DryRunMessage":
			return true
		default:
			return strings.HasPrefix(method, "Verify")
		}
	}
	switch path {
	case "/v1/messages", "/v1/messages/batch", "/v1/messages/dry-run":
		return true
	default:
		return strings.HasPrefix(path, "/v1/proofs/verify/")
	}
}
