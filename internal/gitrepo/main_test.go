package gitrepo_test

import (
	"fmt"
	"os"
	"testing"

	"makechain/internal/gitrepo/gittest"
)

func TestMain(m *testing.M) {
	if err := gittest.Hermetic(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}
