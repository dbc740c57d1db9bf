// Command git-remote-makechain is the program that git runs for URLs that begin with makechain://.
package main

import (
	"os"

	"makechain/internal/cli/gitremote"
)

func main() {
	os.Exit(gitremote.Main())
}
