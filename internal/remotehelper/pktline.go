package remotehelper

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// packetKind is the kind of a pkt-line of git's protocol.
type packetKind int

const (
	dataPacket packetKind = iota
	flushPacket
	delimiterPacket
	responseEndPacket
)

const (
	// lengthDigits is the size of the length that precedes a packet.
	lengthDigits = 4
	// maxPacketData is the largest size of the data of a packet.
	maxPacketData = 65516
)

// errPacket is returned for bytes that are not a pkt-line.
var errPacket = errors.New("malformed pkt-line")

// readPacket reads one packet. The data is valid until the next call with the same buffer, which must have room for
// maxPacketData bytes. It returns io.EOF only before the first byte of a packet.
func readPacket(in *bufio.Reader, buffer []byte) (packetKind, []byte, error) {
	var digits [lengthDigits]byte
	if _, err := io.ReadFull(in, digits[:]); err != nil {
		return 0, nil, err
	}
	length, err := strconv.ParseUint(string(digits[:]), 16, 16)
	if err != nil {
		return 0, nil, fmt.Errorf("%w: length %q", errPacket, digits)
	}
	switch {
	case length == 0:
		return flushPacket, nil, nil
	case length == 1:
		return delimiterPacket, nil, nil
	case length == 2:
		return responseEndPacket, nil, nil
	case length < lengthDigits || length-lengthDigits > maxPacketData:
		return 0, nil, fmt.Errorf("%w: length %d", errPacket, length)
	}
	data := buffer[:length-lengthDigits]
	if _, err := io.ReadFull(in, data); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return 0, nil, err
	}
	return dataPacket, data, nil
}

// appendPacket appends a packet with data. The data must not be larger than maxPacketData.
func appendPacket(to, data []byte) []byte {
	return append(fmt.Appendf(to, "%04x", len(data)+lengthDigits), data...)
}

// appendLine appends a packet with a line of text.
func appendLine(to []byte, format string, args ...any) []byte {
	return appendPacket(to, fmt.Appendf(nil, format+"\n", args...))
}

// appendSpecial appends a packet without data.
func appendSpecial(to []byte, kind packetKind) []byte {
	return append(to, map[packetKind]string{flushPacket: "0000", delimiterPacket: "0001", responseEndPacket: "0002"}[kind]...)
}
