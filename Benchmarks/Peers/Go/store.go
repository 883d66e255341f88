package main

import (
	"database/sql"
	"path/filepath"

	_ "github.com/mattn/go-sqlite3"
)

const schema = `
CREATE TABLE IF NOT EXISTS batch (
    id INTEGER PRIMARY KEY, app TEXT NOT NULL, device BLOB NOT NULL,
    batch_id TEXT NOT NULL, received_at INTEGER NOT NULL, sent_at INTEGER,
    sequence INTEGER, dropped_events INTEGER, os_name TEXT, os_version TEXT,
    model TEXT, manufacturer TEXT, service_version TEXT, build_id TEXT,
    sdk_name TEXT, sdk_version TEXT, accepted INTEGER NOT NULL,
    rejected INTEGER NOT NULL, UNIQUE (app, device, batch_id)) STRICT;
CREATE TABLE IF NOT EXISTS event (
    id INTEGER PRIMARY KEY, batch INTEGER NOT NULL, name TEXT NOT NULL,
    time INTEGER NOT NULL, session TEXT, attributes TEXT) STRICT;`

const insertBatch = `
INSERT INTO batch (app, device, batch_id, received_at, sent_at, sequence, dropped_events,
    os_name, os_version, model, manufacturer, service_version, build_id, sdk_name,
    sdk_version, accepted, rejected)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (app, device, batch_id) DO NOTHING`

const (
	insertEvent = "INSERT INTO event (batch, name, time, session, attributes) VALUES (?, ?, ?, ?, ?)"
	selectBatch = "SELECT accepted, rejected FROM batch WHERE app = ? AND device = ? AND batch_id = ?"
)

// store has batches and events in SQLite.
type store struct {
	database                  *sql.DB
	batch, event, repeatOfOne *sql.Stmt
}

type outcome struct {
	isRepeat           bool
	accepted, rejected int
}

func openStore(folder string) (*store, error) {
	path := filepath.Join(folder, "peer.db")
	database, err := sql.Open("sqlite3", "file:"+path+"?_journal_mode=WAL&_synchronous=FULL")
	if err != nil {
		return nil, err
	}
	database.SetMaxOpenConns(1)
	if _, err := database.Exec(schema); err != nil {
		return nil, err
	}
	made := &store{database: database}
	for statement, text := range map[**sql.Stmt]string{
		&made.batch: insertBatch, &made.event: insertEvent, &made.repeatOfOne: selectBatch,
	} {
		if *statement, err = database.Prepare(text); err != nil {
			return nil, err
		}
	}
	return made, nil
}

func (s *store) close() { s.database.Close() }

// store puts batches into one transaction; they are on disk when this returns.
func (s *store) store(batches []*judged) ([]outcome, error) {
	transaction, err := s.database.Begin()
	if err != nil {
		return nil, err
	}
	defer transaction.Rollback()
	batch, event := transaction.Stmt(s.batch), transaction.Stmt(s.event)
	outcomes := make([]outcome, len(batches))
	for number, one := range batches {
		values := []any{one.app, one.deviceHash, one.BatchID, one.receivedAt, one.SentAt, one.Sequence, one.DroppedEvents}
		for _, text := range one.Resource.described() {
			values = append(values, text)
		}
		told := outcome{accepted: len(one.rows), rejected: len(one.Events) - len(one.rows)}
		done, err := batch.Exec(append(values, told.accepted, told.rejected)...)
		if err != nil {
			return nil, err
		}
		if changes, _ := done.RowsAffected(); changes == 0 {
			// What the first answer to a repeat said.
			told.isRepeat = true
			row := transaction.Stmt(s.repeatOfOne).QueryRow(one.app, one.deviceHash, one.BatchID)
			if err := row.Scan(&told.accepted, &told.rejected); err != nil {
				return nil, err
			}
		} else {
			id, _ := done.LastInsertId()
			for _, row := range one.rows {
				if _, err := event.Exec(id, row.name, row.time, row.session, row.attributes); err != nil {
					return nil, err
				}
			}
		}
		outcomes[number] = told
	}
	return outcomes, transaction.Commit()
}

// batchWriter gathers the batches that wait while a commit is under way, and stores them with the next one.
type batchWriter struct {
	waiting chan waiting
	store   *store
}

type waiting struct {
	batch  *judged
	answer chan<- result
}

type result struct {
	outcome outcome
	err     error
}

const mostOfOneCommit = 256

func newBatchWriter(store *store) *batchWriter {
	made := &batchWriter{make(chan waiting, mostOfOneCommit), store}
	go made.run()
	return made
}

// write returns when the batch is on disk.
func (w *batchWriter) write(batch *judged) (outcome, error) {
	answer := make(chan result, 1)
	w.waiting <- waiting{batch, answer}
	told := <-answer
	return told.outcome, told.err
}

func (w *batchWriter) run() {
	for first := range w.waiting {
		group := []waiting{first}
		for len(group) < mostOfOneCommit && len(w.waiting) > 0 {
			group = append(group, <-w.waiting)
		}
		batches := make([]*judged, len(group))
		for number, one := range group {
			batches[number] = one.batch
		}
		outcomes, err := w.store.store(batches)
		for number, one := range group {
			if err != nil {
				one.answer <- result{err: err}
			} else {
				one.answer <- result{outcome: outcomes[number]}
			}
		}
	}
}
