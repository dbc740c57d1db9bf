package main

import (
	"encoding/json"
	"time"

	"github.com/spf13/cobra"

	"makechain/internal/term"
)

// offline is what commands that use files of this machine alone have in common.
type offline struct {
	local
	passphrases

	json bool
}

func (o *offline) register(command *cobra.Command) {
	flags := command.Flags()
	flags.BoolVar(&o.json, "json", false, "print JSON")
	o.local.register(flags)
}

// print prints what a file says: as JSON with --json, else as human does.
func (o *offline) print(command *cobra.Command, value any, human func(*term.Printer)) error {
	out := command.OutOrStdout()
	if o.json {
		return json.NewEncoder(out).Encode(value)
	}
	p := term.New(out, term.Options{Full: true, Colour: term.Colourful(out), Now: time.Now()})
	human(p)
	return p.Err()
}
