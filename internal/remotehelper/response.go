package remotehelper

import (
	"bufio"
	"bytes"
	"crypto/sha1" //nolint:gosec // the checksum of git's packs
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"
	"strings"

	"makechain/internal/gitbundle"
)

// Bands of the packets of a pack.
const (
	packBand     = 1
	progressBand = 2
	errorBand    = 3
)

// Sections of a response: the commits that both sides have, and changes of where the history ends.
const (
	acknowledgments = "acknowledgments"
	shallowInfo     = "shallow-info"
)

// packSignature begins a pack of version 2.
const packSignature = "PACK\x00\x00\x00\x02"

// serverError is what a git server reports in place of an answer.
type serverError struct{ text string }

func (e *serverError) Error() string { return "the server reports: " + e.text }

// copyResponse checks the response of a git server to a fetch request and copies it to out, without progress messages,
// which it passes to progress. It ends after the flush packet, and reports whether the response has a pack. It returns an
// error for a response that is incomplete, that git did not ask for in this form, or whose pack has another checksum:
// whatever it copied before must then be dropped.
//
// A server that claims without being asked that its history ends at some commits would truncate the history of a clone, and
// git would not notice. So commits may only be shallow if the client has listed them as such or asked for a depth.
func copyResponse(in *bufio.Reader, r *request, out io.Writer, progress func([]byte)) (hasPack bool, err error) {
	c := &checker{request: r, progress: progress, shallow: r.values("shallow ")}
	buffer := make([]byte, maxPacketData)
	for {
		kind, data, err := readPacket(in, buffer)
		switch {
		case errors.Is(err, io.EOF):
			return false, io.ErrUnexpectedEOF
		case err != nil:
			return false, err
		}
		done, forward, err := c.check(kind, data)
		if err != nil {
			return false, err
		}
		if forward {
			packet := appendSpecial(nil, kind)
			if kind == dataPacket {
				packet = appendPacket(nil, data)
			}
			if _, err := out.Write(packet); err != nil {
				return false, &outputError{err}
			}
		}
		if done {
			return c.pack != nil, nil
		}
	}
}

// outputError is an error of the side that receives a response.
type outputError struct{ error }

func (e *outputError) Unwrap() error { return e.error }

// checker checks the packets of a response.
type checker struct {
	request  *request
	progress func([]byte)
	shallow  []string // commits that may be shallow

	aside   int    // bytes of the answer that are not part of a pack
	section string // the current section; empty before the header of one
	ready   bool   // the server announced a pack
	pack    *packChecker
}

// maxAside is the size of what an answer may have beside a pack: acknowledgments and progress messages, in bytes. Without it a server
// could send such lines forever.
const maxAside = 16 << 20

// check checks one packet. It reports whether it is the last one and whether it is forwarded.
func (c *checker) check(kind packetKind, data []byte) (done, forward bool, err error) {
	switch kind {
	case flushPacket:
		return true, true, c.finish()
	case delimiterPacket:
		if c.section == "" || c.pack != nil {
			return false, false, fmt.Errorf("%w: a delimiter outside of a section", errPacket)
		}
		c.section = ""
		return false, true, nil
	case dataPacket:
		if c.pack == nil || len(data) < 2 || data[0] != packBand {
			if c.aside += len(data) + lengthDigits; c.aside > maxAside {
				return false, false, fmt.Errorf("the answer has more than %d bytes that are not part of a pack", maxAside)
			}
		}
	case responseEndPacket:
		return false, false, fmt.Errorf("%w: the end of a response", errPacket)
	}
	if c.pack != nil {
		return c.band(data)
	}
	line := string(bytes.TrimSuffix(data, []byte("\n")))
	if text, isError := strings.CutPrefix(line, "ERR "); isError {
		return false, false, &serverError{text}
	}
	if c.section == "" {
		return false, true, c.begin(line)
	}
	return false, true, c.line(line)
}

// begin starts a section. Sections that git did not ask for are refused: packfile-uris would make it download from
// addresses that the server chooses.
func (c *checker) begin(header string) error {
	switch header {
	case acknowledgments, shallowInfo:
	case "packfile":
		c.pack = newPackChecker(c.request.format())
	default:
		return fmt.Errorf("the section %.40q of the answer was not requested", header)
	}
	c.section = header
	return nil
}

func (c *checker) line(line string) error {
	word, id, _ := strings.Cut(line, " ")
	isID := gitbundle.FormatOf(id) == c.request.format()
	switch {
	case c.section == acknowledgments && line == "NAK", c.section == acknowledgments && word == "ACK" && isID:
	case c.section == acknowledgments && line == "ready":
		c.ready = true
	case c.section == shallowInfo && word == "shallow" && isID:
		if (!c.request.deepens() || c.request.has(infiniteDepth)) && !slices.Contains(c.shallow, id) {
			return fmt.Errorf("the server claims that the history ends at %.12s, which would truncate it", id)
		}
	case c.section == shallowInfo && word == "unshallow" && isID:
		if !slices.Contains(c.shallow, id) {
			return fmt.Errorf("the server completes the history before %.12s, which is not shallow here", id)
		}
	default:
		return fmt.Errorf("%w: %.80q in section %s", errPacket, line, c.section)
	}
	return nil
}

// band checks a packet of the pack's section.
func (c *checker) band(data []byte) (done, forward bool, err error) {
	if len(data) == 0 {
		return false, false, fmt.Errorf("%w: a packet without a band", errPacket)
	}
	switch data[0] {
	case packBand:
		c.pack.write(data[1:])
		return false, true, nil
	case progressBand:
		if !c.request.has("no-progress") {
			c.progress(data[1:])
		}
		return false, len(data) == 1, nil
	case errorBand:
		return false, false, &serverError{strings.TrimSpace(string(data[1:]))}
	default:
		return false, false, fmt.Errorf("%w: band %d", errPacket, data[0])
	}
}

// finish checks that the response is complete.
func (c *checker) finish() error {
	if c.pack != nil {
		return c.pack.finish()
	}
	if c.request.has("done") || c.ready {
		return errors.New("the server sent no pack")
	}
	return nil
}

// packChecker computes the checksum of a pack, which follows it.
type packChecker struct {
	sum  hash.Hash
	head []byte // the first bytes
	tail []byte // the last bytes, which may be the checksum
}

func newPackChecker(format gitbundle.Format) *packChecker {
	if format == gitbundle.SHA256 {
		return &packChecker{sum: sha256.New()}
	}
	return &packChecker{sum: sha1.New()} //nolint:gosec // see the import
}

func (p *packChecker) write(data []byte) {
	if missing := len(packSignature) - len(p.head); missing > 0 {
		p.head = append(p.head, data[:min(missing, len(data))]...)
	}
	p.tail = append(p.tail, data...)
	if extra := len(p.tail) - p.sum.Size(); extra > 0 {
		p.sum.Write(p.tail[:extra])
		p.tail = append(p.tail[:0], p.tail[extra:]...)
	}
}

func (p *packChecker) finish() error {
	if string(p.head) != packSignature {
		return errors.New("the server sent something else than a pack")
	}
	if !bytes.Equal(p.sum.Sum(nil), p.tail) {
		return errors.New("the pack is incomplete or was changed: its checksum does not match")
	}
	return nil
}
