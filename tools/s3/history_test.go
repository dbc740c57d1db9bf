package s3

import (
	"slices"
	"strings"
	"testing"

	"makechain/internal/gitrepo/gittest"
)

// TestHistory pushes histories with everything that git allows to a node whose git bundles are in a bucket, clones them from the
// bucket while the node has no content service, and compares refs, tag objects and all other objects.
func TestHistory(t *testing.T) {
	f := newScenario(t)
	originals := map[string]string{}
	for _, format := range []string{"sha1", "sha256"} {
		made := gittest.Init(t, "--bare", "--object-format="+format)
		made.Fill(t, gittest.Variety{Commits: 10_300, Tags: 1000})
		f.run(t, "", "makechain", "project", "create", format)
		f.run(t, "", "git", "-C", made.Dir, "push", "--quiet", "--mirror", "makechain://alice/"+format)
		originals[format] = made.Dir
	}
	public := f.s.publish(t)
	f.restart(t, "--content", "off")
	for format, original := range originals {
		clone := format + ".git"
		f.run(t, "", "git", "-c", "makechain.store="+public, "clone", "--quiet", "--mirror", "makechain://alice/"+format, clone)
		if got, want := f.refs(t, clone), f.refs(t, original); !slices.Equal(got, want) {
			t.Errorf("%s: the clone has %d refs that are not those of the original, %d", format, len(got), len(want))
		}
		if got, want := f.objects(t, clone), f.objects(t, original); !slices.Equal(got, want) {
			t.Errorf("%s: the clone has %d objects that are not those of the original, %d", format, len(got), len(want))
		}
	}
}

// refs returns all refs of a repository, with their objects and what tags point at.
func (p *programs) refs(t *testing.T, dir string) []string {
	t.Helper()
	return strings.Split(p.run(t, "", "git", "-C", dir, "for-each-ref", "--format=%(objectname) %(objecttype) %(*objectname) %(refname)"), "\n")
}

// objects returns the sorted ids of all objects that refs reach. Git fails if one is missing.
func (p *programs) objects(t *testing.T, dir string) []string {
	t.Helper()
	ids := strings.Split(p.run(t, "", "git", "-C", dir, "rev-list", "--objects", "--all", "--no-object-names"), "\n")
	slices.Sort(ids)
	return slices.Compact(ids)
}
