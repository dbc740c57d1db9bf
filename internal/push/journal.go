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

// Journal is a file with the hashes of messages that a push has sent and not seen committed. It lets a push that follows
// a broken one wait for them, instead of sending the same again. A journal that is lost costs that and nothing else.
type Journal struct {
	path string
	file *os.File
}

// NewJournal keeps a journal in a file, which is made when there is something to note.
func NewJournal(path string) *Journal { return &Journal{path: path} }

// note adds a message before it is sent.
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

// settle waits for the messages of the journal to be committed or refused, and empties it.
func (j *Journal) drain(ctx context.Context, chain *client.Client) error {
	hashes, err := j.read()
	if err != nil {
		return err
	}
	for i, hash := range hashes {
		looks := 1
		if i == len(hashes)-1 {
			looks = maxArrivalChecks
		}
		if err := awaitOutcome(ctx, chain, hash, looks); err != nil {
			return err
		}
	}
	return j.clear()
}

const (
	// arrivalLooks is how often a node is asked about the newest message before it is taken not to have arrived: it may
	// have been on its way when the push broke off. Those before it were answered.
	maxArrivalChecks = 4
	// arrivalPause is the time between two such looks.
	arrivalInterval = 100 * time.Millisecond
)

// awaitFate waits until a message is committed, refused, or not known when it was looked for so often.
func awaitOutcome(ctx context.Context, chain *client.Client, hash message.Hash, looks int) error {
	for look := 1; ; look++ {
		_, err := chain.AwaitCommitted(ctx, hash)
		var refused *client.RefusedError
		if err == nil || errors.As(err, &refused) || errors.Is(err, client.ErrUnknownMessage) && look == looks {
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

// read gives the hashes of the journal. A line that broke off was not sent.
func (j *Journal) read() ([]message.Hash, error) {
	file, err := os.Open(j.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // it was only read
	var hashes []message.Hash
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if hash, err := ident.ParseHash(lines.Text()); err == nil {
			hashes = append(hashes, hash)
		}
	}
	return hashes, lines.Err()
}

// clear forgets everything.
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
