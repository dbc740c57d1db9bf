package rest_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"makechain/gen/makechain/makechainpbconnect"
)

// FuzzRequest sends arbitrary paths, queries and bodies to a gateway whose node implements no method, and checks that the
// response is never an internal error.
func FuzzRequest(f *testing.F) {
	g := newLocalGateway(f, makechainpbconnect.UnimplementedMakechainServiceHandler{})
	seeds := append(badParameters(), badBodies()...)
	if len(seeds) == 0 {
		f.Fatal("no seeds")
	}
	for _, seed := range seeds {
		if len(seed.body) < 1<<10 {
			f.Add(seed.method == http.MethodPost, seed.url, seed.mediaType, seed.body)
		}
	}
	for path := range g.document.Paths {
		f.Add(false, path, "", "")
		f.Add(true, path, jsonType, "{}")
	}
	f.Fuzz(func(t *testing.T, isPost bool, path, mediaType, body string) {
		address, err := url.ParseRequestURI("/v1/" + strings.TrimPrefix(path, "/v1/"))
		if err != nil || address.Host != "" {
			return // not a path
		}
		request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", strings.NewReader(body))
		request.URL = address
		request.Header.Set("Content-Type", mediaType)
		if isPost {
			request.Method = http.MethodPost
		}
		recorder := httptest.NewRecorder()
		g.ServeHTTP(recorder, request)
		var problem struct {
			Status int
			Code   string
		}
		if err := json.Unmarshal(recorder.Body.Bytes(), &problem); err != nil {
			t.Fatalf("%s: %d %s: %v", address, recorder.Code, recorder.Body, err)
		}
		if recorder.Code < 400 || recorder.Code == http.StatusInternalServerError || problem.Status != recorder.Code || problem.Code == "" {
			t.Errorf("%s: %d %s", address, recorder.Code, recorder.Body)
		}
	})
}
