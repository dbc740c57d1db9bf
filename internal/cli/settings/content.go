package settings

import (
	"fmt"

	"github.com/spf13/pflag"

	"makechain/internal/content"
	"makechain/internal/contentserver"
	"makechain/internal/node"
	"makechain/internal/server"
)

// The names of the flags of content.
const (
	contentFlag    = "content"
	contentURLFlag = "content-url"
	// ContentStoreFlag is the flag with the store of git bundles.
	ContentStoreFlag = "content-store"
	collectFlag      = "gc"
	minFreeFlag      = "content-min-free"
	// ContentDirFlag is the flag with the directory of content.
	ContentDirFlag = "content-dir"
)

// leastMinFree is the least limit of free disk space. A smaller number was probably meant as a percentage.
const leastMinFree = 1 << 20

// ContentFlags are the flags of a content service, in a node or standalone.
type ContentFlags struct {
	// Store has the git bundles, a directory or a bucket; Collect deletes from it what is no longer needed.
	Store   string
	Collect bool
	// URL is where the service can be reached from everywhere.
	URL string
	// MaxBytes and UnitBytes are limits; MaxBytes is 0 for the default.
	MaxBytes, UnitBytes server.MemorySize
	// MinFree is the free disk space below which uploads stop.
	MinFree server.MemorySize
	// Follow fetches missing content from the stores that projects name.
	Follow bool
}

// Register adds the flags to a command.
func (c *ContentFlags) Register(flags *pflag.FlagSet) {
	c.UnitBytes, c.MinFree = content.DefaultBytesPerUnit, content.DefaultMinFree
	flags.StringVar(&c.Store, ContentStoreFlag, "",
		"where the git bundles are: a directory, or s3://bucket/prefix?endpoint=https://host&region=name (default in the directory of content)")
	flags.BoolVar(&c.Collect, collectFlag, false, "with --content-store, delete from it what neither this service nor another one needs any longer")
	flags.Var(&c.MaxBytes, "content-max-bytes", "disk space of content, such as 50GiB (default 20% of the free disk)")
	flags.Var(&c.UnitBytes, "content-unit-bytes", "content of its projects that a storage unit allows an account")
	flags.Var(&c.MinFree, minFreeFlag, "free disk space below which uploads of content stop")
	flags.BoolVar(&c.Follow, "content-follow", false, "fetch missing content of public projects from the stores that they name on the chain")
	flags.StringVar(&c.URL, contentURLFlag, "", "public http or https URL of the content, for projects to name on the chain")
}

// Check checks the flags.
func (c *ContentFlags) Check() error {
	if err := contentserver.CheckURL(c.URL); err != nil {
		return fmt.Errorf("--%s: %w", contentURLFlag, err)
	}
	if c.MinFree > 0 && c.MinFree < leastMinFree {
		return fmt.Errorf("--%s: %d bytes are too few to protect the node: use 1MiB or more, such as 5GiB, or 0 for no limit", minFreeFlag, c.MinFree)
	}
	if c.Store == "" {
		if c.Collect {
			return fmt.Errorf("--%s is for --%s: what is in the directory of content is always deleted when nothing needs it", collectFlag, ContentStoreFlag)
		}
		return nil
	}
	if err := contentserver.CheckStore(c.Store); err != nil {
		return fmt.Errorf("--%s: %w", ContentStoreFlag, err)
	}
	return nil
}

// apply sets the fields of a node's configuration.
func (c *ContentFlags) apply(config *node.ContentConfig) {
	config.Store, config.Collect = c.Store, c.Collect
	config.PublicURL, config.MaxBytes, config.BytesPerUnit, config.MinFree = c.URL, int64(c.MaxBytes), int64(c.UnitBytes), int64(c.MinFree)
	config.Follow = c.Follow
}

func checkContentMode(mode string) error {
	if mode != node.ContentOn && mode != node.ContentOff && mode != node.ContentAuto {
		return fmt.Errorf("%q is not on, off or auto", mode)
	}
	return nil
}
