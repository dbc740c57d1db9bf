package faults_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

const (
	// clockVariable is by how many seconds the clock of a program is wrong that was built for it.
	clockVariable = "MAKECHAIN_FAULTS_CLOCK"

	// rightClock and wrongClock are how the standard library tells the time, and how it shall.
	rightClock = "func Now() Time {\n\tsec, nsec, mono := runtimeNow()\n"
	wrongClock = rightClock + "\tsec += wrongBy\n"

	// clockSource reads the variable. What the program measures, rather than tells, is not wrong.
	clockSource = `package time

import "syscall"

var wrongBy = func() (seconds int64) {
	value, _ := syscall.Getenv("` + clockVariable + `")
	sign := int64(1)
	for _, c := range value {
		if c == '-' {
			sign = -1
		} else {
			seconds = 10*seconds + int64(c-'0')
		}
	}
	return sign * seconds
}()
`
)

// buildWithClock builds this program, which is also the node, with a clock that can be wrong.
func buildWithClock(t *testing.T) (program string) {
	t.Helper()
	dir := t.TempDir()
	root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	library := filepath.Join(strings.TrimSpace(string(root)), "src", "time")
	source, err := os.ReadFile(filepath.Join(library, "time.go"))
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(source), rightClock, wrongClock, 1)
	if changed == string(source) {
		t.Fatal("the standard library tells the time in another way than it did")
	}
	replaced := map[string]string{}
	for name, content := range map[string]string{"time.go": changed, "wrong.go": clockSource} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		replaced[filepath.Join(library, name)] = path
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		t.Fatal(err)
	}
	overlayPath, program := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "node")
	if err := os.WriteFile(overlayPath, overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-overlay", overlayPath, "-o", program, ".")
	if printed, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, printed)
	}
	return program
}

// setClock starts a node anew that believes it to be earlier or later than it is.
func (n *network) setClock(i int, wrongBy time.Duration) ongoing {
	n.t.Helper()
	restart := func(program string, wrongBy time.Duration) {
		n.kill(i)
		n.nodes[i].program = program
		n.nodes[i].environment = []string{clockVariable + "=" + strconv.FormatInt(int64(wrongBy.Seconds()), 10)}
		n.start(i)
	}
	restart(n.withClock, wrongBy)
	return ongoing{undo: func() { restart("", 0) }}
}
