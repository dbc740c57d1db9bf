package message

import (
	"strings"
)

// Bounds of the CONTENT field of PROJECT_METADATA (P5).
const (
	MaxContentURLs  = 8
	MaxContentValue = 2_048 // bytes of all URLs and the line feeds between them
)

// ContentURLs returns the base URLs of content stores in the value of a CONTENT field.
func ContentURLs(value string) []string {
	if value == "" {
		return nil
	}
	return strings.Split(value, "\n")
}

// contentURLs requires base URLs, one on each line. The grammar is fixed here and does not depend on a URL parser, because all
// nodes must agree.
func (f *fields) contentURLs(name, value string) {
	f.size(name, len(value), 0, MaxContentValue)
	if f.refusal != nil {
		return
	}
	urls := ContentURLs(value)
	if len(urls) > MaxContentURLs {
		f.refuse(name, "%d URLs, at most %d", len(urls), MaxContentURLs)
	}
	for i, url := range urls {
		if !IsBaseURL(url) {
			f.refuse(name, "line %d: %q is not an absolute http or https URL without userinfo, query and fragment", i+1, url)
		}
	}
}

// IsBaseURL reports whether text is http:// or https://, a host, optionally a port, and optionally a path of RFC 3986.
func IsBaseURL(text string) bool {
	rest, secure := strings.CutPrefix(text, "https://")
	if !secure {
		var plain bool
		if rest, plain = strings.CutPrefix(text, "http://"); !plain {
			return false
		}
	}
	authority, path := rest, ""
	if slash := strings.IndexByte(rest, '/'); slash >= 0 {
		authority, path = rest[:slash], rest[slash:]
	}
	return isAuthority(authority) && isPath(path)
}

// isAuthority reports whether text is a host name or an address, IPv6 in brackets, optionally followed by a port.
func isAuthority(text string) bool {
	host, port := text, "1"
	end := strings.LastIndexByte(text, ']') // the colons of an IPv6 address come before it
	if colon := strings.LastIndexByte(text, ':'); colon > end {
		host, port = text[:colon], text[colon+1:]
	}
	if !isPort(port) {
		return false
	}
	if inner, ok := strings.CutPrefix(host, "["); ok {
		inner, ok = strings.CutSuffix(inner, "]")
		return ok && consistsOf(inner, isIPv6Byte)
	}
	return consistsOf(host, isHostByte)
}

// isPort reports whether text is a number from 1 to 65,535 without leading zeros.
func isPort(text string) bool {
	number := 0
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' || i == 5 {
			return false
		}
		number = 10*number + int(text[i]-'0')
	}
	return number > 0 && number <= 65_535 && text[0] != '0'
}

// isPath reports whether text is empty or a path: characters of RFC 3986, other bytes percent-encoded.
func isPath(text string) bool {
	for i := range len(text) {
		c := text[i]
		if c == '%' {
			if len(text)-i < 3 || !isHexByte(text[i+1]) || !isHexByte(text[i+2]) {
				return false
			}
		} else if !isAlphanumeric(c) && strings.IndexByte("/-._~!$&'()*+,;=:@", c) < 0 {
			return false
		}
	}
	return true
}

// consistsOf reports whether text is not empty and has only bytes of a class.
func consistsOf(text string, class func(byte) bool) bool {
	for i := range len(text) {
		if !class(text[i]) {
			return false
		}
	}
	return text != ""
}

func isHostByte(c byte) bool { return isAlphanumeric(c) || c == '-' || c == '.' || c == '_' }

func isIPv6Byte(c byte) bool { return isHexByte(c) || c == ':' || c == '.' }

func isHexByte(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}
