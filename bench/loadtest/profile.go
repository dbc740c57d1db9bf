package loadtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

	"makechain/bench/process"
)

// profile has all nodes write profiles into a directory: of the processor over the window, and of memory at its end.
func (r *run) profile(ctx context.Context, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // they are no secret
		return err
	}
	if err := sleep(ctx, time.Until(r.begun)); err != nil {
		return err
	}
	profiling, ctx := errgroup.WithContext(ctx)
	for i, node := range r.bench.options.Nodes {
		if node.Metrics == "" {
			continue
		}
		profiling.Go(func() error {
			cpu := fmt.Sprintf("profile?seconds=%d", max(1, int(r.load.For.Seconds())))
			if err := fetchProfile(ctx, node, cpu, filepath.Join(dir, fmt.Sprintf("cpu-%d.pprof", i))); err != nil {
				return err
			}
			return fetchProfile(ctx, node, "heap", filepath.Join(dir, fmt.Sprintf("heap-%d.pprof", i)))
		})
	}
	return profiling.Wait()
}

func fetchProfile(ctx context.Context, node process.Node, what, path string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+node.Metrics+"/debug/pprof/"+what, http.NoBody)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("profile: %w", err)
	}
	defer func() { _ = answer.Body.Close() }() // it was only read
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("profile: the node answers %s", answer.Status)
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, answer.Body)
	return errors.Join(err, file.Close())
}
