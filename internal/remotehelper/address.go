package remotehelper

import (
	"fmt"
	"strings"

	"makechain/client"
)

// scheme is the scheme of the URLs that git passes to the helper.
const scheme = "makechain://"

// Address is the parsed URL of a remote.
type Address struct {
	Node    string // the address of a node as client.New accepts it; empty for the configured node
	Project client.ProjectName
}

// ParseAddress parses the URL of a remote. Its forms are
//
//	makechain://alice/hello                    a project on the chain of the configured node
//	makechain://<project id>
//	makechain://host:port/alice/hello          on the chain of that node
//	https://host/alice/hello                   as git passes makechain::https://host/alice/hello: the node has TLS
//
// The host of the second form needs a dot or a port, unless an owner and a name follow it.
func ParseAddress(text string) (Address, error) {
	rest, isURL := strings.CutPrefix(text, scheme)
	protocol := ""
	if !isURL {
		for _, prefix := range []string{"http://", "https://"} {
			if after, found := strings.CutPrefix(text, prefix); found {
				rest, protocol = after, prefix
			}
		}
	}
	parts := strings.Split(strings.TrimSuffix(strings.Trim(rest, "/"), ".git"), "/")
	host := ""
	if len(parts) == 3 || len(parts) == 2 && (protocol != "" || strings.ContainsAny(parts[0], ".:")) {
		host, parts = parts[0], parts[1:]
	}
	if protocol != "" && host == "" || strings.ContainsAny(rest, "@?#") {
		return Address{}, fmt.Errorf("%q is not the address of a project: want makechain://alice/hello or makechain://host:port/alice/hello", text)
	}
	project, err := client.ParseProject(strings.Join(parts, "/"))
	if err != nil {
		return Address{}, err
	}
	if host == "" {
		return Address{Project: project}, nil
	}
	if _, err := client.ParseTarget(protocol + host); err != nil {
		return Address{}, err
	}
	return Address{Node: protocol + host, Project: project}, nil
}
