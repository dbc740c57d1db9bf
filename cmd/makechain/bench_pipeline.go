package main

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"makechain/internal/bench"
	figures "makechain/internal/bench/report"
	"makechain/internal/node"
	"makechain/internal/term"
)

// runPipeline measures what a node does without consensus and network.
func (f *benchFlags) runPipeline(command *cobra.Command) error {
	result, err := f.measurePipeline(command)
	if err != nil {
		return err
	}
	return f.print(command, result)
}

func (f *benchFlags) measurePipeline(command *cobra.Command) (result *figures.Result, err error) {
	dir, err := os.MkdirTemp(f.dir, "makechain-bench-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	progress := term.StartProgress(command.ErrOrStderr(), "starting")
	defer progress.Stop()
	log := slog.New(slog.NewTextHandler(command.ErrOrStderr(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	pipeline, err := node.NewPipeline(command.Context(), node.Config{Home: filepath.Join(dir, "home"), Faucet: true, Log: log})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, pipeline.Close()) }()
	return bench.RunPipeline(command.Context(), f.optionsIn(dir, progress), f.load, pipeline)
}
