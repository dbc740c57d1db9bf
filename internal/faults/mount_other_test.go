//go:build !linux

package faults_test

import "errors"

func mountSmall(string, int64) error {
	return errors.New("small disks are supported on Linux only")
}

func unmount(string) error { return errors.ErrUnsupported }
