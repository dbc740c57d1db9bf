package content

import (
	"encoding/hex"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"makechain/internal/gitbundle"
)

const (
	// maxHistory is the largest number of commits in one response, and its default.
	maxHistory = 50
	// maxHistorySkip is the largest number of commits before a response.
	maxHistorySkip = 1_000_000
	// maxHistoryPath is the length of the longest path, as in Linux.
	maxHistoryPath = 4096
)

// history responds with commits that changed a path. It is a hint: a client verifies them.
func (s *Service) history(w http.ResponseWriter, r *http.Request) error {
	id, err := pathHash(r, "project")
	if err != nil {
		return err
	}
	commit, err := objectID(r, "commit")
	if err != nil {
		return err
	}
	path := r.URL.Query().Get("path")
	if !isTreePath(path) {
		return denied(codeInvalidArgument, "path: not the path of a file or directory in a repository")
	}
	limit, err := numberQuery(r, "limit", maxHistory, 1, maxHistory)
	if err != nil {
		return err
	}
	skip, err := numberQuery(r, "cursor", 0, 1, maxHistorySkip)
	if err != nil {
		return err
	}
	if err := s.readable(r, id); err != nil {
		return err
	}
	commits, more, err := s.config.Repositories.History(r.Context(), id, commit, path, skip, limit, s.config.ClientAddress(r.Context()))
	switch {
	case errors.Is(err, gitbundle.ErrMissing):
		return notFound()
	case err != nil:
		return err
	}
	answer := struct {
		Commits    []string `json:"commits"`
		NextCursor string   `json:"next_cursor"`
	}{append([]string{}, commits...), ""}
	if next := skip + len(commits); more && next <= maxHistorySkip {
		answer.NextCursor = strconv.Itoa(next)
	}
	return writeJSON(w, http.StatusOK, answer)
}

// objectID returns the object id in a path.
func objectID(r *http.Request, name string) (string, error) {
	id := r.PathValue(name)
	if decoded, err := hex.DecodeString(id); err != nil || len(decoded) != 20 && len(decoded) != 32 || hex.EncodeToString(decoded) != id {
		return "", denied(codeInvalidArgument, "%s: %q is not an object id of 40 or 64 lower-case hex digits", name, id)
	}
	return id, nil
}

// isTreePath reports whether a path can be that of an entry of a tree, or is empty.
func isTreePath(path string) bool {
	if path == "" {
		return true
	}
	if len(path) > maxHistoryPath || strings.Contains(path, "\x00") {
		return false
	}
	for segment := range strings.SplitSeq(path, "/") {
		if segment == "" || segment == "." || segment == ".." {
			return false
		}
	}
	return true
}

// numberQuery returns a number in the query of a request, or its default when there is none.
func numberQuery(r *http.Request, name string, absent, least, most int) (int, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return absent, nil
	}
	number, err := strconv.Atoi(text)
	if err != nil || number < least || number > most || strconv.Itoa(number) != text {
		return 0, denied(codeInvalidArgument, "%s: %q is not a number from %d to %d", name, text, least, most)
	}
	return number, nil
}
