package push

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"makechain/client"
	"makechain/internal/backoff"
	"makechain/internal/ident"
	"makechain/message"
)

// JournalFile is the name of the journal in git's directory.
const JournalFile = "in-flight"

// Journal is a file with the hashes of messages that a push has sent and not yet seen committed. The push after an
// interrupted one waits for these messages instead of sending their commits again. Losing the file costs only that.
type Journal struct {
	path string
	file *os.File
}

// NewJournal returns the journal in a file. The file is created when the first message is added.
func NewJournal(path string) *Journal { return &Journal{path: path} }

// add adds a message. It is called before the message is sent.
func (j *Journal) add(hash message.Hash) error {
	if j.file == nil {
		if err := os.MkdirAll(filepath.Dir(j.path), 0o700); err != nil {
			return err
		}
		file, err := os.OpenFile(j.path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		j.file = file
	}
	_, err := fmt.Fprintln(j.file, hash)
	return err
}

// drain waits until the messages of the journal are committed or refused, and empties it.
func (j *Journal) drain(ctx context.Context, chain *client.Client) error {
	hashes, err := j.read()
	if err != nil {
		return err
	}
	for i, hash := range hashes {
		checks := 1
		if i == len(hashes)-1 {
			checks = maxArrivalChecks
		}
		if err := awaitOutcome(ctx, chain, hash, checks); err != nil {
			return err
		}
	}
	return j.clear()
}

const (
	// maxArrivalChecks is how often the status of the newest message is requested before it counts as lost. It may have
	// been in transit when the push was interrupted; earlier messages had been answered.
	maxArrivalChecks = 4
	// arrivalInterval is the time between two such requests.
	arrivalInterval = 100 * time.Millisecond
)

// awaitOutcome waits until a message is committed or refused, or was unknown to the node in all of so many checks.
func awaitOutcome(ctx context.Context, chain *client.Client, hash message.Hash, checks int) error {
	for check := 1; ; check++ {
		_, err := chain.AwaitCommitted(ctx, hash)
		var refused *client.RefusedError
		if err == nil || errors.As(err, &refused) || errors.Is(err, client.ErrUnknownMessage) && check == checks {
			return nil
		}
		if !errors.Is(err, client.ErrUnknownMessage) {
			return err
		}
		if err := backoff.Sleep(ctx, arrivalInterval); err != nil {
			return err
		}
	}
}

// read returns the hashes in the journal. An incomplete line is ignored: its message was not sent.
func (j *Journal) read() ([]message.Hash, error) {
	file, err := os.Open(j.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // the file was only read
	var hashes []message.Hash
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if hash, err := ident.ParseHash(lines.Text()); err == nil {
			hashes = append(hashes, hash)
		}
	}
	return hashes, lines.Err()
}

// clear empties the journal.
func (j *Journal) clear() error {
	if j.file != nil {
		if err := j.file.Close(); err != nil {
			return err
		}
		j.file = nil
	}
	if err := os.Remove(j.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
