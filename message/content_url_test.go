package message

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	pb "makechain/gen/makechain"
)

// TestContentBounds checks the limits of the CONTENT field of PROJECT_METADATA.
//
// Rules: P5/PROJECT_METADATA.
func TestContentBounds(t *testing.T) {
	t.Parallel()
	value := func(value string) func(*pb.ProjectMetadataBody) {
		return func(b *pb.ProjectMetadataBody) {
			b.Field, b.Value = pb.ProjectMetadataType_PROJECT_METADATA_CONTENT, value
		}
	}
	refused := func(line int, url string) string {
		return fmt.Sprintf("project_metadata.value: line %d: %q is not an absolute http or https URL without userinfo, query and fragment", line, url)
	}
	var list []bound[*pb.ProjectMetadataBody]
	valid := []string{
		"http://a", "https://example.org", "https://example.org/", "https://example.org:8443/v1/content", "http://[::1]:80/x",
		"http://[fe80::1]", "https://a_b.example-1.org/~x/%41%fF/a:b@c!$&'()*+,;=", "https://EXAMPLE.org/a//b/../c", "http://1.2.3.4:65535",
	}
	for _, url := range append(valid, "", strings.Join(valid[:8], "\n"), "https://example.org/"+strings.Repeat("a", 2028)) {
		list = append(list, bound[*pb.ProjectMetadataBody]{"valid " + url, value(url), ""})
	}
	for _, url := range []string{
		"https://", "https:///a", "HTTPS://a", "ftp://a", "example.org", "//example.org", "https:example.org", "https://a b", "https://a/b c",
		"https://user@example.org", "https://user:secret@example.org/", "https://example.org#", "https://example.org/a#b", "https://example.org?a",
		"https://example.org/?a=b", "https://example.org:", "https://example.org:0", "https://example.org:080", "https://example.org:65536",
		"https://example.org:100000", "https://example.org:a", "https://a:1:2", "https://[::1", "https://::1]", "https://[]", "https://[x]",
		"https://[::1]x", "https://[[::1]]", "https://a/%", "https://a/%4", "https://a/%4g", "https://a/\x00", "https://a/\x7f", "https://a\t",
		"https://a/é", "https://é/", "https://a\\b", "https://a/\\b", "https://a/\"", "https://a/<", "https://a\r", " https://a", "javascript://a",
	} {
		list = append(list, bound[*pb.ProjectMetadataBody]{"invalid " + url, value(url), refused(1, url)})
	}
	checkBounds(t, func() *pb.MessageData { return ProjectMetadata(projectID, 1, "hello") }, (*pb.MessageData).GetProjectMetadata,
		slices.Concat(list, []bound[*pb.ProjectMetadataBody]{
			{"second invalid", value("https://a\nb"), refused(2, "b")},
			{"line feed at the end", value("https://a\n"), refused(2, "")},
			{"only a line feed", value("\n"), refused(1, "")},
			{"nine", value(strings.Join(valid, "\n")), "project_metadata.value: 9 URLs, at most 8"},
			{"too long", value("https://example.org/" + strings.Repeat("a", 2029)), "project_metadata.value: 2049 bytes, at most 2048"},
			{"many lines", value(strings.Repeat("\n", 1<<19)), "project_metadata.value: 524288 bytes, at most 2048"},
		}))
}

// TestContentURLs splits the value of a CONTENT field.
func TestContentURLs(t *testing.T) {
	t.Parallel()
	if got := ContentURLs(""); got != nil {
		t.Errorf("no value: %q", got)
	}
	if got := ContentURLs("http://a\nhttp://b"); !slices.Equal(got, []string{"http://a", "http://b"}) {
		t.Errorf("two lines: %q", got)
	}
}
