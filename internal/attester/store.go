package attester

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"sync"

	"github.com/zeebo/blake3"

	"makechain/internal/evm"
	"makechain/internal/ident"
)

// A Payment is a Rented event in a finalized block, which all providers reported.
type Payment struct {
	evm.Rent

	BlockNumber uint64
	BlockHash   ident.Hash
}

// A Cursor is the last block whose payments are stored. A Number of 0 with a zero Hash means that no block was read.
type Cursor struct {
	Number uint64     `json:"block"`
	Hash   ident.Hash `json:"-"`
	// Rescanned is when the last rescan without differences ended, in Unix seconds.
	Rescanned int64 `json:"rescanned"`
}

// Files of a store.
const (
	paymentsFile = "payments"
	cursorFile   = "cursor.json"
)

// Sizes of a record: the fields of a payment and a checksum.
const (
	payloadSize  = 8 + ident.HashSize + ident.HashSize + 4 + ident.AddressSize + ident.AddressSize + 4 + 8
	checksumSize = 8
	recordSize   = payloadSize + checksumSize
)

// maxPayments is the maximum number of payments of a store. Each uses about 80 bytes of memory.
const maxPayments = math.MaxUint32 - 1

// ErrDamaged is returned by OpenStore for a file of payments that was changed. All of it can be read again from the chain.
var ErrDamaged = errors.New("the file of payments is damaged: delete the directory, and the attester reads the chain again")

// A Store is the payments of one contract and the cursor, in a directory. Payments are appended to a file of records with
// checksums and never change; the cursor is a file that is replaced. The order makes a crash harmless at every point: payments are
// durable before the cursor passes their blocks, blocks after the cursor are read again, and a payment that is stored already is not
// stored twice.
//
// It is safe for concurrent use by one writer and many readers.
type Store struct {
	dir    string
	domain [8 + ident.AddressSize]byte // is part of checksums
	file   *os.File

	mu     sync.Mutex // guards the fields below
	count  uint32
	latest map[ident.Hash]uint32 // the newest record of a transaction, plus 1
	before []uint32              // for each record, an older one of the same transaction, plus 1
	cursor Cursor
}

// OpenStore opens the store of a contract, or creates it. Records of a write that was interrupted are removed.
func OpenStore(dir string, settlementChain uint64, contract ident.Address) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	s := &Store{dir: dir, latest: map[ident.Hash]uint32{}}
	binary.BigEndian.PutUint64(s.domain[:], settlementChain)
	copy(s.domain[8:], contract[:])
	var err error
	if s.cursor, err = readCursor(filepath.Join(dir, cursorFile)); err != nil {
		return nil, err
	}
	if s.file, err = os.OpenFile(filepath.Join(dir, paymentsFile), os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return nil, err
	}
	if err := s.load(); err != nil {
		return nil, errors.Join(err, s.file.Close())
	}
	return s, syncDir(dir)
}

// load reads all records. The records after the last valid one are those of an interrupted write.
func (s *Store) load() error {
	info, err := s.file.Stat()
	if err != nil {
		return err
	}
	records := info.Size() / recordSize
	if records > maxPayments {
		return ErrDamaged
	}
	reader := io.NewSectionReader(s.file, 0, records*recordSize)
	valid := true
	for range records {
		var record [recordSize]byte
		if _, err := io.ReadFull(reader, record[:]); err != nil {
			return err
		}
		payment, ok := s.decode(&record)
		switch {
		case ok && !valid:
			return fmt.Errorf("%w: record %d", ErrDamaged, s.count)
		case ok:
			s.add(payment.TxHash)
		default:
			valid = false
		}
	}
	if end := int64(s.count) * recordSize; end != info.Size() {
		return errors.Join(s.file.Truncate(end), s.file.Sync())
	}
	return nil
}

// add adds the next record to the index. s.mu must be held, or the store not be shared yet.
func (s *Store) add(tx ident.Hash) {
	s.before = append(s.before, s.latest[tx])
	s.count++
	s.latest[tx] = s.count
}

// Close closes the file.
func (s *Store) Close() error { return s.file.Close() }

// Cursor returns the cursor.
func (s *Store) Cursor() Cursor {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cursor
}

// Count returns the number of payments.
func (s *Store) Count() uint32 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count
}

// Append stores the payments that are not stored yet, and returns how many. They are durable when it returns. It returns an error
// if a payment differs from the one that is stored for the same event.
func (s *Store) Append(payments []Payment) (added int, err error) {
	var encoded []byte
	var appended []ident.Hash
	for _, payment := range payments {
		stored, found, err := s.Find(payment.TxHash, payment.LogIndex)
		if err != nil {
			return 0, err
		}
		if found && stored != payment {
			return 0, &HaltError{ReasonFinality, "", fmt.Sprintf("payment %s/%d was read as %+v before, and is %+v now",
				payment.TxHash, payment.LogIndex, stored, payment)}
		}
		if !found {
			encoded = s.encode(encoded, &payment)
			appended = append(appended, payment.TxHash)
		}
	}
	if len(appended) == 0 {
		return 0, nil
	}
	end := int64(s.Count()) * recordSize
	if _, err := s.file.WriteAt(encoded, end); err != nil {
		return 0, errors.Join(err, s.file.Truncate(end))
	}
	if err := s.file.Sync(); err != nil {
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, tx := range appended {
		s.add(tx)
	}
	return len(appended), nil
}

// SetCursor replaces the cursor. It is durable when it returns.
func (s *Store) SetCursor(cursor Cursor) error {
	if err := writeCursor(s.dir, cursor); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cursor = cursor
	return nil
}

// Get returns the payment of a record.
func (s *Store) Get(position uint32) (Payment, error) {
	var record [recordSize]byte
	if _, err := s.file.ReadAt(record[:], int64(position)*recordSize); err != nil {
		return Payment{}, err
	}
	payment, ok := s.decode(&record)
	if !ok {
		return payment, fmt.Errorf("%w: record %d", ErrDamaged, position)
	}
	return payment, nil
}

// Of returns the payments of a transaction, the newest record first, at most evm.MaxRents.
func (s *Store) Of(tx ident.Hash) ([]Payment, error) {
	s.mu.Lock()
	var positions []uint32
	for next := s.latest[tx]; next != 0 && len(positions) < evm.MaxRents; next = s.before[next-1] {
		positions = append(positions, next-1)
	}
	s.mu.Unlock()
	payments := make([]Payment, len(positions))
	for i, position := range positions {
		var err error
		if payments[i], err = s.Get(position); err != nil {
			return nil, err
		}
	}
	return payments, nil
}

// Find returns the payment of an event.
func (s *Store) Find(tx ident.Hash, logIndex uint32) (p Payment, found bool, err error) {
	payments, err := s.Of(tx)
	if err != nil {
		return p, false, err
	}
	for _, payment := range payments {
		if payment.LogIndex == logIndex {
			return payment, true, nil
		}
	}
	return p, false, nil
}

func (s *Store) encode(b []byte, p *Payment) []byte {
	start := len(b)
	b = binary.BigEndian.AppendUint64(b, p.BlockNumber)
	b = append(append(b, p.BlockHash[:]...), p.TxHash[:]...)
	b = binary.BigEndian.AppendUint32(b, p.LogIndex)
	b = append(append(b, p.Owner[:]...), p.Actor[:]...)
	b = binary.BigEndian.AppendUint32(b, p.Units)
	b = binary.BigEndian.AppendUint64(b, p.Timestamp)
	sum := s.checksum(b[start:])
	return append(b, sum[:]...)
}

func (s *Store) decode(record *[recordSize]byte) (p Payment, ok bool) {
	rest := record[:payloadSize]
	take := func(n int) []byte {
		part := rest[:n]
		rest = rest[n:]
		return part
	}
	p.BlockNumber = binary.BigEndian.Uint64(take(8))
	p.BlockHash, p.TxHash = ident.Hash(take(ident.HashSize)), ident.Hash(take(ident.HashSize))
	p.LogIndex = binary.BigEndian.Uint32(take(4))
	p.Owner, p.Actor = ident.Address(take(ident.AddressSize)), ident.Address(take(ident.AddressSize))
	p.Units = binary.BigEndian.Uint32(take(4))
	p.Timestamp = binary.BigEndian.Uint64(take(8))
	return p, s.checksum(record[:payloadSize]) == [checksumSize]byte(record[payloadSize:])
}

// checksum depends on the contract, so that the file of another one is not accepted.
func (s *Store) checksum(payload []byte) [checksumSize]byte {
	sum := blake3.Sum256(append(append([]byte("makechain:payment:v1"), s.domain[:]...), payload...))
	return [checksumSize]byte(sum[:checksumSize])
}

// cursorDocument is a cursor in its file.
type cursorDocument struct {
	Block     uint64 `json:"block"`
	Hash      string `json:"hash"`
	Rescanned int64  `json:"rescanned"`
}

func readCursor(path string) (Cursor, error) {
	encoded, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Cursor{}, nil
	}
	if err != nil {
		return Cursor{}, err
	}
	var document cursorDocument
	if err := json.Unmarshal(encoded, &document); err != nil {
		return Cursor{}, fmt.Errorf("%s: %w", path, err)
	}
	hash, err := ident.ParseHash(document.Hash)
	if err != nil {
		return Cursor{}, fmt.Errorf("%s: %w", path, err)
	}
	return Cursor{Number: document.Block, Hash: hash, Rescanned: document.Rescanned}, nil
}

// writeCursor replaces the file of the cursor by a complete one.
func writeCursor(dir string, cursor Cursor) error {
	encoded, err := json.Marshal(cursorDocument{cursor.Number, cursor.Hash.String(), cursor.Rescanned})
	if err != nil {
		return err
	}
	path := filepath.Join(dir, cursorFile)
	file, err := os.OpenFile(path+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(append(encoded, '\n'))
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	if err := os.Rename(path+".new", path); err != nil {
		return err
	}
	return syncDir(dir)
}

// syncDir makes the names of files in a directory durable. Not all systems can, and those need not.
func syncDir(dir string) error {
	file, err := os.Open(dir)
	if err != nil {
		return err
	}
	_ = file.Sync()
	return file.Close()
}
