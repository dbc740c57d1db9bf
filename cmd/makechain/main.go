// Command makechain is a node of the chain, its gateway and its client.
package main

import (
	"os"

	"makechain/internal/cli"
)

func main() {
	os.Exit(cli.Main())
}
