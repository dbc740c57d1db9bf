package evm_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"makechain/internal/evm"
	"makechain/internal/ident"
)

// TestOffer checks that the answers of a provider about the contract are bounded and refused if they are not what was asked for.
func TestOffer(t *testing.T) {
	t.Parallel()
	one := `"0x` + strings.Repeat("0", 63) + `1"`
	for name, test := range map[string]struct {
		method, result string
		want           error
	}{
		"valid":         {"", "", nil},
		"no code":       {"eth_getCode", `"0x"`, evm.ErrNoContract},
		"no price":      {"a035b1fe", `"0x"`, evm.ErrMalformed},
		"zero price":    {"a035b1fe", `"0x` + strings.Repeat("0", 64) + `"`, evm.ErrMalformed},
		"large price":   {"a035b1fe", `"0x` + strings.Repeat("f", 64) + `"`, evm.ErrMalformed},
		"paused":        {"eth_call", `"0x"`, evm.ErrMalformed},
		"chain of text": {"eth_chainId", `"mainnet"`, evm.ErrMalformed},
		"large chain":   {"eth_chainId", `"0x10000000000000000"`, evm.ErrMalformed},
	} {
		client := fake(t, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			result := map[bool]string{true: `"0x7a69"`, false: one}[strings.Contains(string(body), "eth_chainId")]
			if test.method != "" && strings.Contains(string(body), test.method) {
				result = test.result
			}
			_, _ = io.WriteString(w, `{"id":1,"result":`+result+`}`)
		})
		offer, err := client.Offer(t.Context(), ident.Address{1})
		if !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
		if err == nil && (offer.ChainID != 31337 || offer.Price.Int64() != 1 || !offer.Paused || offer.Value(3).Int64() != 3) {
			t.Errorf("%s: %+v", name, offer)
		}
	}
}
