package rest

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// A router finds the handler of a path. Unlike the one of net/http it takes a literal segment before a parameter, from
// left to right, so /accounts/by-key/{key} and /accounts/{owner}/keys can stand beside one another.
type router struct {
	root *branch
}

// A branch is what may follow a beginning of a path.
type branch struct {
	literals map[string]*branch
	param    *branch
	methods  map[string]route // of the path that ends here
}

type route struct {
	pattern string
	names   []string // of the parameters, in their order
	handler http.HandlerFunc
}

func newRouter() *router { return &router{root: newBranch()} }

func newBranch() *branch {
	return &branch{literals: map[string]*branch{}, methods: map[string]route{}}
}

// HandleFunc adds a route. The pattern is a method and a path: "GET /v1/blocks/{number}".
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

// ServeHTTP calls the route of a request, or says that there is none.
func (r *router) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	w.Header().Set("Cache-Control", noStore)
	segments, ok := split(req.URL)
	if !ok {
		writeProblem(w, newProblem(codeNotFound, "there is nothing at this path"))
		return
	}
	end, values := r.root.find(segments, nil)
	if end == nil {
		writeProblem(w, newProblem(codeNotFound, "there is nothing at this path"))
		return
	}
	method := req.Method
	if method == http.MethodHead {
		method = http.MethodGet
	}
	found, ok := end.methods[method]
	if !ok {
		allowed := strings.Join(slices.Sorted(maps.Keys(end.methods)), ", ")
		w.Header().Set("Allow", allowed)
		writeProblem(w, newProblem(codeMethodNotAllowed, "this path takes "+allowed))
		return
	}
	req.Pattern = found.pattern // as net/http notes it, for logs and metrics
	for i, name := range found.names {
		req.SetPathValue(name, values[i])
	}
	found.handler(w, req)
}

// split divides a path into its segments, each unescaped, so that a segment may hold a slash.
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

// find goes down to the end of a path that has a handler. The number of parameters bounds how often it turns back.
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
