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
	"makechain/internal/backoff"
)

// profile fetches profiles of all nodes into a directory: CPU over the window, and heap at its end.
func (r *run) profile(ctx context.Context, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // profiles are not secret
		return err
	}
	if err := backoff.Sleep(ctx, time.Until(r.windowStart)); err != nil {
		return err
	}
	profiling, ctx := errgroup.WithContext(ctx)
	for i, node := range r.generator.options.Nodes {
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

func fetchProfile(ctx context.Context, node process.Node, name, path string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+node.Metrics+"/debug/pprof/"+name, http.NoBody)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("profile: %w", err)
	}
	defer func() { _ = response.Body.Close() }() // only read
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("profile: %s", response.Status)
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, response.Body)
	return errors.Join(err, file.Close())
}
