package remotehelper

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"unicode"
)

const (
	// maxHeldInMemory is the size of an answer up to which it is kept in memory.
	maxHeldInMemory = 1 << 20
	// maxHeld is the size of an answer up to which it is kept until it is complete, so that another store can replace it.
	// Larger ones are passed on as they arrive; git checks them too.
	maxHeld = 64 << 20
)

// spool holds what is written to it until release is called or until it is too large.
type spool struct {
	to       io.Writer
	memory   bytes.Buffer
	file     *os.File
	size     int
	released bool // to has everything that was written
}

func newSpool(to io.Writer) *spool { return &spool{to: to} }

// Write adds to what is held.
func (s *spool) Write(data []byte) (int, error) {
	if s.released {
		return s.to.Write(data)
	}
	s.size += len(data)
	if s.size > maxHeld {
		if err := s.release(); err != nil {
			return 0, err
		}
		return s.to.Write(data)
	}
	if s.file == nil && s.size <= maxHeldInMemory {
		return s.memory.Write(data)
	}
	if s.file == nil {
		file, err := os.CreateTemp("", "git-remote-makechain-*")
		if err != nil {
			return 0, err
		}
		s.file = file
		// Nothing remains on disk, however the process ends.
		if err := os.Remove(file.Name()); err != nil {
			return 0, err
		}
		if _, err := s.memory.WriteTo(file); err != nil {
			return 0, err
		}
	}
	return s.file.Write(data)
}

// release passes on what is held.
func (s *spool) release() error {
	if s.released {
		return nil
	}
	s.released = true
	if s.file == nil {
		_, err := s.memory.WriteTo(s.to)
		return err
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err := io.Copy(s.to, s.file)
	return errors.Join(err, s.file.Close())
}

// discard drops what is held.
func (s *spool) discard() {
	if s.file != nil && !s.released {
		_ = s.file.Close() // its content is no longer needed
	}
}

// progressPrinter prints the progress of a server as git does: each line with a prefix.
type progressPrinter struct {
	out     io.Writer
	partial string
}

// maxProgressLine is the length of a line of progress that is printed; a server decides what it contains.
const maxProgressLine = 1024

func (p *progressPrinter) write(data []byte) {
	p.partial += string(data)
	for {
		end := strings.IndexAny(p.partial, "\r\n")
		if end < 0 {
			break
		}
		p.print(p.partial[:end], p.partial[end:end+1])
		p.partial = p.partial[end+1:]
	}
	if len(p.partial) > maxProgressLine {
		p.finish()
	}
}

// finish prints a line that has no end.
func (p *progressPrinter) finish() {
	if p.partial != "" {
		p.print(p.partial, "\n")
		p.partial = ""
	}
}

func (p *progressPrinter) print(line, end string) {
	printable := strings.Map(func(r rune) rune {
		if r == '\t' || unicode.IsPrint(r) {
			return r
		}
		return -1
	}, line)
	_, _ = io.WriteString(p.out, "remote: "+printable[:min(len(printable), maxProgressLine)]+end) // nothing depends on it
}
