package process

import (
	"os"
	"runtime"
	"strings"
)

// Machine describes the machine of a measurement.
type Machine struct {
	CPU    string `json:"cpu"`
	Cores  int    `json:"cores"`
	Memory int64  `json:"memory_bytes"`
	System string `json:"system"`
	Go     string `json:"go"`
}

// ThisMachine describes the machine that the program runs on. Fields that are not available are empty.
func ThisMachine() Machine {
	machine := Machine{Cores: runtime.GOMAXPROCS(0), System: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version()}
	if info, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		_, after, _ := strings.Cut(string(info), "model name")
		_, after, _ = strings.Cut(after, ":")
		model, _, _ := strings.Cut(after, "\n")
		machine.CPU = strings.TrimSpace(model)
	}
	if memory, err := numbers("/proc/meminfo"); err == nil {
		machine.Memory = memory["MemTotal"] << 10
	}
	return machine
}
