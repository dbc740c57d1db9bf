package main

import (
	"context"
	"errors"
	"testing"
)

// TestInterruptible gives the answer of a person, or ends with the context though nobody answers.
func TestInterruptible(t *testing.T) {
	t.Parallel()
	if got, err := interruptible(t.Context(), func() (string, error) { return "yes", nil }); got != "yes" || err != nil {
		t.Errorf("answered %q, %v", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan struct{})
	defer close(left)
	got, err := interruptible(ctx, func() (string, error) {
		cancel()
		<-left
		return "too late", nil
	})
	if got != "" || !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %q, %v", got, err)
	}
}
