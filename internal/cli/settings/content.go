package settings

import (
	"fmt"

	"github.com/spf13/pflag"

	"makechain/internal/content"
	"makechain/internal/node"
	"makechain/internal/server"
)

// The names of the flags of content.
const (
	contentFlag    = "content"
	contentURLFlag = "content-url"
	// ContentDirFlag is the flag with the directory of content.
	ContentDirFlag = "content-dir"
)

// ContentFlags are the flags of a content service, in a node or standalone.
type ContentFlags struct {
	// URL is where the service can be reached from everywhere.
	URL string
	// MaxBytes and UnitBytes are limits; MaxBytes is 0 for the default.
	MaxBytes, UnitBytes server.MemorySize
	// MinFree is the part of the disk, in percent, below which uploads stop.
	MinFree int
}

// Register adds the flags to a command.
func (c *ContentFlags) Register(flags *pflag.FlagSet) {
	c.UnitBytes = content.DefaultBytesPerUnit
	flags.Var(&c.MaxBytes, "content-max-bytes", "disk space of content, such as 50GiB (default 20% of the free disk)")
	flags.Var(&c.UnitBytes, "content-unit-bytes", "content of its projects that a storage unit allows an account")
	flags.IntVar(&c.MinFree, "content-min-free", content.DefaultMinFree, "percentage of the disk below which uploads of content stop")
	flags.StringVar(&c.URL, contentURLFlag, "", "public http or https URL of the content, for projects to name on the chain")
}

// apply sets the fields of a node's configuration.
func (c *ContentFlags) apply(config *node.ContentConfig) {
	config.PublicURL, config.MaxBytes, config.BytesPerUnit, config.MinFree = c.URL, int64(c.MaxBytes), int64(c.UnitBytes), c.MinFree
}

func checkContentMode(mode string) error {
	if mode != node.ContentOn && mode != node.ContentOff && mode != node.ContentAuto {
		return fmt.Errorf("%q is not on, off or auto", mode)
	}
	return nil
}
