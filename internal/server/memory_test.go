package server

import (
	"io/fs"
	"testing"
)

// TestMachineMemory checks that the lowest of the limits is used.
func TestMachineMemory(t *testing.T) {
	t.Parallel()
	const machine = "MemTotal:       16384 kB\nMemFree: 1 kB\n"
	for _, test := range []struct {
		name  string
		files map[string]string
		want  int64
	}{
		{"nothing", nil, 0},
		{"machine", map[string]string{"/proc/meminfo": machine}, 16 << 20},
		{"control group", map[string]string{"/proc/meminfo": machine, "/sys/fs/cgroup/memory.max": "8388608\n"}, 8 << 20},
		{"control group without a limit", map[string]string{"/proc/meminfo": machine, "/sys/fs/cgroup/memory.max": "max\n"}, 16 << 20},
		{"older control group", map[string]string{"/sys/fs/cgroup/memory/memory.limit_in_bytes": "4194304\n"}, 4 << 20},
	} {
		got := machineMemory(func(path string) ([]byte, error) {
			if text, exists := test.files[path]; exists {
				return []byte(text), nil
			}
			return nil, fs.ErrNotExist
		})
		if got != test.want {
			t.Errorf("%s: %d, want %d", test.name, got, test.want)
		}
	}
}

// TestMemorySize parses and prints sizes.
func TestMemorySize(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text  string
		want  int64
		print string
	}{
		{"2GiB", 2 << 30, "2GiB"},
		{"1536MiB", 1536 << 20, "1536MiB"},
		{"1025", 1025, "1025"},
		{"0", 0, "0"},
	} {
		var size MemorySize
		if err := size.Set(test.text); err != nil || int64(size) != test.want || size.String() != test.print {
			t.Errorf("%s is %d, printed as %s, %v", test.text, size, &size, err)
		}
	}
	for _, text := range []string{"", "GiB", "-1", "2GB", "99999999999GiB", "1.5GiB"} {
		if err := new(MemorySize).Set(text); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}
