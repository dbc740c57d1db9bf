// Package paging reads lists page by page, as --limit, --cursor and --all ask.
package paging

import (
	"encoding/hex"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"google.golang.org/protobuf/proto"

	"makechain/internal/cli/usage"
	"makechain/internal/limit"
	"makechain/internal/term"
)

const (
	// Max is the largest number of items that a node returns in one page.
	Max = limit.MaxPage
	// Default is the number of items when a command has no --limit.
	Default = limit.DefaultPage
)

// Flags are the flags of a command that prints a list.
type Flags struct {
	limit  uint32
	cursor string
	all    bool
}

// Register adds the flags to a command. defaultLimit is the value of --limit when it is not given.
func (f *Flags) Register(flags *pflag.FlagSet, defaultLimit uint32) {
	flags.Uint32Var(&f.limit, "limit", defaultLimit, fmt.Sprintf("how many to show, 1 to %d", Max))
	flags.StringVar(&f.cursor, "cursor", "", "position where an earlier list ended")
	flags.BoolVar(&f.all, "all", false, "show all pages")
}

// Page is a part of a list, with the cursor from which the list continues.
type Page interface {
	proto.Message
	GetNextCursor() []byte
}

// CheckLimit returns a usage error for a --limit that no node accepts.
func CheckLimit(command *cobra.Command, limit uint32) error {
	if limit < 1 || limit > Max {
		return usage.Errorf(command, "--limit: %d is not between 1 and %d", limit, Max)
	}
	return nil
}

// Collect fetches one page, or with --all every page as one. The cursor of the result is that of the last page.
func Collect[P Page](command *cobra.Command, f *Flags, fetch func(limit uint32, cursor []byte) (P, error)) (P, error) {
	var none P
	cursor, err := hex.DecodeString(f.cursor)
	if err != nil {
		return none, usage.Errorf(command, "--cursor: %w", err)
	}
	if err := CheckLimit(command, f.limit); err != nil {
		return none, err
	}
	if !f.all {
		return fetch(f.limit, cursor)
	}
	whole, err := fetch(Max, cursor)
	for err == nil && len(whole.GetNextCursor()) > 0 {
		var next P
		if next, err = fetch(Max, whole.GetNextCursor()); err == nil {
			fields := whole.ProtoReflect()
			fields.Clear(fields.Descriptor().Fields().ByName("next_cursor"))
			proto.Merge(whole, next)
		}
	}
	return whole, err
}

// PrintMore prints how to continue a list that has not ended.
func PrintMore(p *term.Printer, list Page) {
	if cursor := list.GetNextCursor(); len(cursor) > 0 {
		p.Line("%s", p.Style(term.Dim, fmt.Sprintf("more with --all, or --cursor %x", cursor)))
	}
}
