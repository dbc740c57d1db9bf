package main

import (
	"context"
	"strings"

	"makechain/client"
	pb "makechain/gen/makechain"
	"makechain/internal/term"
)

// maxLabels is how many accounts and projects one answer is asked names for; the rest go by their ids.
const maxLabels = 200

// labels are names for what an answer gives as addresses and ids. They are the node's word, for reading: what a
// command acts on is found by proof.
type labels struct {
	client  *client.Client
	printer *term.Printer
	known   map[string]string
}

func newLabels(c *client.Client, p *term.Printer) *labels {
	return &labels{client: c, printer: p, known: map[string]string{}}
}

// account is the username of an address, or the address.
func (l *labels) account(ctx context.Context, address []byte) string {
	return l.label(address, func() string {
		account, err := client.Call(ctx, l.client.GetAccount, &pb.GetAccountRequest{OwnerAddress: address})
		if err != nil || account.GetUsername() == "" {
			return l.printer.Address(address)
		}
		return term.Text(account.GetUsername())
	})
}

// project is owner/name of a project, or its id when it has no name any more.
func (l *labels) project(ctx context.Context, id []byte) string {
	return l.label(id, func() string {
		project, err := client.Call(ctx, l.client.GetProject, &pb.GetProjectRequest{ProjectId: id})
		if err != nil || project.GetStatus() == statusRemoved {
			return l.printer.ID(id)
		}
		return l.account(ctx, project.GetOwnerAddress()) + "/" + term.Text(project.GetName())
	})
}

func (l *labels) label(id []byte, ask func() string) string {
	label, met := l.known[string(id)]
	switch {
	case met:
		return label
	case len(l.known) == maxLabels:
		return l.printer.ID(id)
	default:
		label = ask()
		l.known[string(id)] = label
		return label
	}
}

// refLabel is a ref as people say it.
func refLabel(name []byte) string {
	text := string(name)
	for _, place := range []string{"refs/heads/", "refs/tags/"} {
		if short, found := strings.CutPrefix(text, place); found && short != "" {
			return term.Text(short)
		}
	}
	return term.Text(text)
}

// word is an enum value without its prefix, in lower case, as JSON has it.
func word(value interface{ String() string }, prefix string) string {
	return strings.ToLower(strings.TrimPrefix(value.String(), prefix))
}
