package process

import (
	"os"
	"runtime"
	"strings"
)

// Machine is what a figure was measured on.
type Machine struct {
	CPU    string `json:"cpu"`
	Cores  int    `json:"cores"`
	Memory int64  `json:"memory_bytes"`
	System string `json:"system"`
	Go     string `json:"go"`
}

// ThisMachine describes the one that the program runs on, as far as it says.
func ThisMachine() Machine {
	machine := Machine{Cores: runtime.GOMAXPROCS(0), System: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version()}
	if info, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		_, rest, _ := strings.Cut(string(info), "model name")
		_, rest, _ = strings.Cut(rest, ":")
		model, _, _ := strings.Cut(rest, "\n")
		machine.CPU = strings.TrimSpace(model)
	}
	if memory, err := numbers("/proc/meminfo"); err == nil {
		machine.Memory = memory["MemTotal"] << 10
	}
	return machine
}
