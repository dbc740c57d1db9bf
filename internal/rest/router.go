package rest

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// A router selects the handler of a path. Unlike http.ServeMux it prefers a literal segment to a parameter, from left to
// right, so that /accounts/by-key/{key} and /accounts/{owner}/keys do not conflict.
type router struct {
	root *branch
}

// A branch is a node in the tree of path segments.
type branch struct {
	literals map[string]*branch
	param    *branch
	methods  map[string]route // of the path that ends here; empty if none does
}

type route struct {
	pattern string
	names   []string // of the parameters, in order
	handler http.HandlerFunc
}

func newRouter() *router { return &router{root: newBranch()} }

func newBranch() *branch {
	return &branch{literals: map[string]*branch{}, methods: map[string]route{}}
}

// HandleFunc adds a route. The pattern is a method and a path, such as "GET /v1/blocks/{number}".
func (r *router) HandleFunc(pattern string, handler func(http.ResponseWriter, *http.Request)) {
	method, path, _ := strings.Cut(pattern, " ")
	at, names := r.root, []string(nil)
	for segment := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		if name, isParam := strings.CutPrefix(segment, "{"); isParam {
			names = append(names, strings.TrimSuffix(name, "}"))
			if at.param == nil {
				at.param = newBranch()
			}
			at = at.param
			continue
		}
		if at.literals[segment] == nil {
			at.literals[segment] = newBranch()
		}
		at = at.literals[segment]
	}
	at.methods[method] = route{pattern: pattern, names: names, handler: handler}
}

// ServeHTTP calls the handler of a request, or responds with 404 or 405.
func (r *router) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	w.Header().Set("Cache-Control", noStore)
	var end *branch
	var values []string
	if segments, ok := split(req.URL); ok {
		end, values = r.root.find(segments, nil)
	}
	if end == nil {
		writeProblem(w, newProblem(codeNotFound, "no route has this path"))
		return
	}
	method := req.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	found, ok := end.methods[method]
	if !ok {
		methods := slices.Sorted(maps.Keys(end.methods))
		if slices.Contains(methods, http.MethodGet) {
			methods = append(methods, http.MethodHead)
		}
		allowed := strings.Join(methods, ", ")
		w.Header().Set("Allow", allowed)
		writeProblem(w, newProblem(codeMethodNotAllowed, "this path supports "+allowed))
		return
	}
	req.Pattern = found.pattern // as http.ServeMux does, for logs and metrics
	for i, name := range found.names {
		req.SetPathValue(name, values[i])
	}
	found.handler(w, req)
}

// split returns the segments of a path, unescaped one by one, so that a segment may contain a slash.
func split(u *url.URL) (segments []string, ok bool) {
	for escaped := range strings.SplitSeq(strings.TrimPrefix(u.EscapedPath(), "/"), "/") {
		segment, err := url.PathUnescape(escaped)
		if err != nil {
			return nil, false
		}
		segments = append(segments, segment)
	}
	return segments, true
}

// find returns the branch of a path that has a handler, and the values of its parameters. The number of parameters bounds
// how often it backtracks.
func (b *branch) find(segments, values []string) (*branch, []string) {
	if len(segments) == 0 {
		if len(b.methods) == 0 {
			return nil, nil
		}
		return b, values
	}
	if next := b.literals[segments[0]]; next != nil {
		if end, found := next.find(segments[1:], values); end != nil {
			return end, found
		}
	}
	if b.param == nil || segments[0] == "" {
		return nil, nil
	}
	return b.param.find(segments[1:], append(values, segments[0]))
}
