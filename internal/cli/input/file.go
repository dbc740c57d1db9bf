// Package input reads files, standard input and the answers of a user at the terminal.
package input

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"google.golang.org/protobuf/proto"

	pb "makechain/gen/makechain"
	"makechain/internal/jsonform"
)

// StandardInput is the name of standard input in errors.
const StandardInput = "standard input"

// Read reads at most limit bytes. A longer input is an error that has its name.
func Read(in io.Reader, name string, limit int64) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(in, limit+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if int64(len(content)) > limit {
		return nil, fmt.Errorf("%s is larger than %d bytes", name, limit)
	}
	return content, nil
}

// ReadFile reads a file of at most limit bytes.
func ReadFile(path string, limit int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	return Read(file, path, limit)
}

// DecodeMessage decodes a message from JSON or protobuf. A protobuf message never begins with a brace, which would be
// a field of a wire type that is not in use.
func DecodeMessage(content []byte) (*pb.Message, error) {
	m := new(pb.Message)
	if bytes.HasPrefix(bytes.TrimSpace(content), []byte("{")) {
		return m, jsonform.Unmarshal(content, m)
	}
	if len(content) == 0 {
		return m, io.ErrUnexpectedEOF
	}
	return m, proto.Unmarshal(content, m)
}
