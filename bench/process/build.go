package process

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// Build compiles makechain into a directory and returns the path of the program. It must run within the repository: the
// program is built in its own module, as users build it.
func Build(ctx context.Context, dir string) (string, error) {
	module, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("find the repository: %w", err)
	}
	root := filepath.Dir(filepath.Dir(strings.TrimSpace(string(module)))) // of bench/go.mod
	program, err := filepath.Abs(filepath.Join(dir, "makechain"))
	if err != nil {
		return "", err
	}
	build := exec.CommandContext(ctx, "go", "build", "-C", root, "-o", program, "./cmd/makechain") //nolint:gosec // fixed arguments
	if output, err := build.CombinedOutput(); err != nil {
		return "", errors.Join(fmt.Errorf("build makechain: %w: %s", err, output),
			errors.New("run the load generator in a checkout of the repository: go run -C bench"))
	}
	return program, nil
}
