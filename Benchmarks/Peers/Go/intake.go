package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

const (
	largestBody = 1 << 20
	largestText = 8 << 20
)

// refusal is why a batch is not taken; the statuses are those of docs/protocol.md, "Errors".
type refusal struct {
	status int
	code   string
}

func (r refusal) Error() string { return r.code }

var undecodable = refusal{http.StatusBadRequest, "undecodable"}

// intake serves POST /v1/apps/{app}/batches: bodies of profile aes128gcm, gzipped.
type intake struct {
	key     contentKey
	devices deviceHash
	writer  *batchWriter
}

type answer struct {
	BatchID   string `json:"batch_id"`
	Duplicate bool   `json:"duplicate"`
	Accepted  int    `json:"accepted"`
	Rejected  int    `json:"rejected"`
}

func (i *intake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(r.URL.Path, "/")
	if r.Method != http.MethodPost || len(parts) != 5 || parts[1] != "v1" || parts[2] != "apps" || parts[4] != "batches" {
		http.NotFound(w, r)
		return
	}
	told, err := i.take(r, parts[3])
	if refused, ok := err.(refusal); ok {
		http.Error(w, refused.code, refused.status)
		return
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	text, _ := json.Marshal(told)
	w.Write(text)
}

func (i *intake) take(r *http.Request, app string) (*answer, error) {
	receivedAt := time.Now().UnixMilli()
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
		return nil, refusal{http.StatusUnsupportedMediaType, "unsupported-media-type"}
	}
	if r.Header.Get("Content-Encoding") != "gzip, aes128gcm" {
		return nil, refusal{http.StatusUnsupportedMediaType, "unsupported-encoding"}
	}
	body, err := readAll(io.LimitReader(r.Body, largestBody+1), r.ContentLength)
	if err != nil || len(body) > largestBody {
		return nil, refusal{http.StatusRequestEntityTooLarge, "body-too-large"}
	}
	member, err := i.key.open(body)
	if err != nil {
		return nil, err
	}
	text, err := inflate(member)
	if err != nil {
		return nil, err
	}
	batch, err := judge(text, receivedAt)
	if err != nil {
		return nil, err
	}
	batch.app, batch.deviceHash = app, i.devices.hash(app, batch.device)
	outcome, err := i.writer.write(batch)
	if err != nil {
		return nil, err
	}
	return &answer{batch.BatchID, outcome.isRepeat, outcome.accepted, outcome.rejected}, nil
}

// readAll has the room for what a head announced at once.
func readAll(from io.Reader, announced int64) ([]byte, error) {
	var body bytes.Buffer
	if announced > 0 && announced <= largestBody {
		body.Grow(int(announced) + bytes.MinRead)
	}
	_, err := body.ReadFrom(from)
	return body.Bytes(), err
}

// A reader of gzip takes 40 kB: they are used again.
var readers = sync.Pool{New: func() any { return new(gzip.Reader) }}

func inflate(member []byte) ([]byte, error) {
	reader := readers.Get().(*gzip.Reader)
	defer readers.Put(reader)
	if reader.Reset(bytes.NewReader(member)) != nil {
		return nil, undecodable
	}
	text, err := readAll(io.LimitReader(reader, largestText+1), int64(len(member))*6)
	if err != nil {
		return nil, undecodable
	}
	if len(text) > largestText {
		return nil, refusal{http.StatusRequestEntityTooLarge, "inflated-too-large"}
	}
	return text, nil
}
