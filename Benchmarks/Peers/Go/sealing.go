package main

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"io"
	"net/http"
	"os"
	"path/filepath"

	"golang.org/x/crypto/hkdf"
)

// contentKey is a key of profile aes128gcm: it opens bodies of RFC 8188.
type contentKey struct {
	id, secret []byte
}

const (
	saltLength = 16
	headLength = 21
)

// open returns what was sealed.
func (k contentKey) open(body []byte) ([]byte, error) {
	if len(body) <= headLength {
		return nil, undecodable
	}
	size := int(binary.BigEndian.Uint32(body[16:20]))
	start := headLength + int(body[20])
	if size < 18 || size > 1<<20 || len(body) <= start {
		return nil, undecodable
	}
	if !bytes.Equal(body[headLength:start], k.id) {
		return nil, refusal{http.StatusUnauthorized, "unknown-key"}
	}
	pseudorandom := hkdf.Extract(sha256.New, k.secret, body[:saltLength])
	key, base := make([]byte, 16), make([]byte, 12)
	if _, err := io.ReadFull(hkdf.Expand(sha256.New, pseudorandom, []byte("Content-Encoding: aes128gcm\x00")), key); err != nil {
		return nil, err
	}
	if _, err := io.ReadFull(hkdf.Expand(sha256.New, pseudorandom, []byte("Content-Encoding: nonce\x00")), base); err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	sealed, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	plain := make([]byte, 0, len(body))
	counter := binary.BigEndian.Uint64(base[4:])
	for number, rest := uint64(0), body[start:]; len(rest) > 0; number++ {
		record := rest
		if len(record) > size {
			record = record[:size]
		}
		rest = rest[len(record):]
		binary.BigEndian.PutUint64(base[4:], counter^number)
		before := len(plain)
		if plain, err = sealed.Open(plain, base, record, nil); err != nil {
			return nil, undecodable
		}
		padded := bytes.TrimRight(plain[before:], "\x00")
		delimiter := byte(1)
		if len(rest) == 0 {
			delimiter = 2
		}
		if len(padded) == 0 || padded[len(padded)-1] != delimiter {
			return nil, undecodable
		}
		plain = plain[:before+len(padded)-1]
	}
	return plain, nil
}

// deviceHash hashes device ids under a key of the server's own, so that the raw ones are never stored.
type deviceHash struct{ key []byte }

// newDeviceHash reads the key from a file of that folder, made once.
func newDeviceHash(folder string) (deviceHash, error) {
	path := filepath.Join(folder, "device.key")
	if key, err := os.ReadFile(path); err == nil && len(key) == 32 {
		return deviceHash{key}, nil
	}
	key := make([]byte, 32)
	if _, err := rand.Read(key); err != nil {
		return deviceHash{}, err
	}
	return deviceHash{key}, os.WriteFile(path, key, 0o600)
}

// hash is the first 16 bytes of HMAC-SHA-256 over the app, a zero byte and the raw id.
func (h deviceHash) hash(app, device string) []byte {
	mac := hmac.New(sha256.New, h.key)
	io.WriteString(mac, app)
	mac.Write([]byte{0})
	io.WriteString(mac, device)
	return mac.Sum(nil)[:16]
}
