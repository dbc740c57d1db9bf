package main

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"makechain/bench/loadtest"
	"makechain/bench/pipeline"
	"makechain/bench/report"
	"makechain/internal/term"
)

// runPipeline measures a node without consensus and network, and prints the result.
func (f *flags) runPipeline(command *cobra.Command) error {
	result, err := f.measurePipeline(command)
	if err != nil {
		return err
	}
	return f.print(command, result)
}

func (f *flags) measurePipeline(command *cobra.Command) (result *report.Result, err error) {
	dir, err := os.MkdirTemp(f.dir, "makechain-bench-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	progress := term.StartProgress(command.ErrOrStderr(), "starting")
	defer progress.Stop()
	log := slog.New(slog.NewTextHandler(command.ErrOrStderr(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	p, err := pipeline.Open(filepath.Join(dir, "pipeline"), log)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	return loadtest.RunPipeline(command.Context(), f.optionsIn(dir, progress), f.load, p)
}
