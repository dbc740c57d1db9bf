package keystore

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/pbkdf2"
	"crypto/sha256"
	"crypto/subtle"
	"fmt"

	"golang.org/x/crypto/scrypt"
	"golang.org/x/crypto/sha3"
)

// Cost is the work factor of scrypt: N is 2 to the power of the cost, r is 8 and p is 1.
type Cost int

const (
	// Standard is the cost that Ethereum tools use, for wallets: 256 MiB and about 0.8 s.
	Standard Cost = 18
	// Light is half of that, for delegated keys, which are opened for every command. They often have the passphrase of
	// the wallet, so guessing it from a delegated key must not be much cheaper.
	Light Cost = 17
)

// Limits of containers that are opened. They allow every container that known tools write.
const (
	// MaxMemory is the maximum memory of one Open in bytes: that of Standard.
	MaxMemory = 256 << 20
	// maxBlockFactor is the maximum of scrypt's r; tools use 1 or 8.
	maxBlockFactor = 32
	// maxParallel is the maximum of scrypt's p.
	maxParallel = 8
	// maxIterations is the maximum number of PBKDF2 iterations; tools use 262,144.
	maxIterations = 4_194_304
	// maxSalt is the maximum size of a salt in bytes; tools use 32.
	maxSalt = 64
)

// Sizes in bytes.
const (
	scryptBlock = 128 // scrypt uses N times r blocks
	derivedSize = 32  // a key for AES, then one for the MAC
	aesKeySize  = 16
	ivSize      = aes.BlockSize
	macSize     = 32
	saltSize    = 32
)

// Names in the standard.
const (
	cipherName = "aes-128-ctr"
	scryptName = "scrypt"
	pbkdf2Name = "pbkdf2"
	prfName    = "hmac-sha256"
)

func encrypt(secret [SecretSize]byte, passphrase []byte, cost Cost) (*cryptoJSON, error) {
	random := randomBytes(saltSize + ivSize)
	c := &cryptoJSON{
		Cipher:       cipherName,
		CipherParams: ivJSON{IV: random[saltSize:]},
		KDF:          scryptName,
		KDFParams:    kdfParams{DKLen: derivedSize, Salt: random[:saltSize], N: 1 << cost, R: 8, P: 1},
	}
	derived, err := c.KDFParams.derive(c.KDF, passphrase)
	if err != nil {
		return nil, err
	}
	if c.Ciphertext, err = applyCipher(derived, c.CipherParams.IV, secret[:]); err != nil {
		return nil, err
	}
	c.MAC = mac(derived, c.Ciphertext)
	return c, nil
}

func (c *cryptoJSON) decrypt(passphrase []byte) (secret [SecretSize]byte, err error) {
	derived, err := c.KDFParams.derive(c.KDF, passphrase)
	if err != nil {
		return secret, err
	}
	if subtle.ConstantTimeCompare(mac(derived, c.Ciphertext), c.MAC) != 1 {
		return secret, ErrPassphrase
	}
	plain, err := applyCipher(derived, c.CipherParams.IV, c.Ciphertext)
	if err != nil {
		return secret, err
	}
	copy(secret[:], plain)
	return secret, nil
}

func (c *cryptoJSON) check() error {
	if c.Cipher != cipherName {
		return fmt.Errorf("cipher %q, want %s", c.Cipher, cipherName)
	}
	for _, part := range []struct {
		name string
		size int
		want int
	}{
		{"ciphertext", len(c.Ciphertext), SecretSize},
		{"iv", len(c.CipherParams.IV), ivSize},
		{"mac", len(c.MAC), macSize},
		{"derived key", c.KDFParams.DKLen, derivedSize},
	} {
		if part.size != part.want {
			return fmt.Errorf("%s of %d bytes, want %d", part.name, part.size, part.want)
		}
	}
	return c.KDFParams.check(c.KDF)
}

// check checks that the work of derive is within the limits.
func (k *kdfParams) check(function string) error {
	if len(k.Salt) == 0 || len(k.Salt) > maxSalt {
		return fmt.Errorf("salt of %d bytes, want 1 to %d", len(k.Salt), maxSalt)
	}
	switch function {
	case scryptName:
		if k.R < 1 || k.R > maxBlockFactor || k.P < 1 || k.P > maxParallel {
			return fmt.Errorf("scrypt with r=%d and p=%d, want 1 to %d and 1 to %d", k.R, k.P, maxBlockFactor, maxParallel)
		}
		if maximum := MaxMemory / scryptBlock / k.R; k.N < 2 || k.N&(k.N-1) != 0 || k.N > maximum {
			return fmt.Errorf("scrypt with n=%d and r=%d, want a power of two from 2 to %d", k.N, k.R, maximum)
		}
	case pbkdf2Name:
		if k.C < 1 || k.C > maxIterations || k.PRF != prfName {
			return fmt.Errorf("pbkdf2 with %q and c=%d, want %s and 1 to %d", k.PRF, k.C, prfName, maxIterations)
		}
	default:
		return fmt.Errorf("kdf %q, want %s or %s", function, scryptName, pbkdf2Name)
	}
	return nil
}

// derive derives the keys from a passphrase.
func (k *kdfParams) derive(function string, passphrase []byte) ([]byte, error) {
	if function == pbkdf2Name {
		return pbkdf2.Key(sha256.New, string(passphrase), k.Salt, k.C, derivedSize)
	}
	return scrypt.Key(passphrase, k.Salt, k.N, k.R, k.P, derivedSize)
}

// applyCipher encrypts or decrypts: in counter mode both are the same.
func applyCipher(derived, iv, in []byte) ([]byte, error) {
	block, err := aes.NewCipher(derived[:aesKeySize])
	if err != nil {
		return nil, err
	}
	out := make([]byte, len(in))
	cipher.NewCTR(block, iv).XORKeyStream(out, in)
	return out, nil
}

func mac(derived, ciphertext []byte) []byte {
	hash := sha3.NewLegacyKeccak256()
	hash.Write(derived[aesKeySize:])
	hash.Write(ciphertext)
	return hash.Sum(nil)
}
