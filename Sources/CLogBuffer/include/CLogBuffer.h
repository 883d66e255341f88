/* A layer over SQLite's own way to the disk (https://www.sqlite.org/vfs.html) that hands what is
 * written to a write-ahead log to the system in one piece, before the log is synced. SQLite writes each
 * page for itself, and 24 bytes before it: sixty calls for a commit of thirty pages.
 *
 * For connections with `synchronous=FULL` alone: they tell others of a commit only after the sync. */
#ifndef CLOGBUFFER_H
#define CLOGBUFFER_H

#include <sqlite3.h>

/* Name of the layer, for sqlite3_open_v2. */
#define CLOGBUFFER_NAME "sojourn-log-buffer"

/* Makes the layer known to SQLite; returns its code. */
int clogbuffer_register(void);

/* After a rollback: what the transaction had written is nobody's, and must not be handed over later,
 * when another connection may have written there. */
void clogbuffer_forget(sqlite3 *database);

/* Counts, at `*count`, what a connection does from now on: each page of its log that is read or written,
 * each sync of it, and every so many steps of its statements. Null ends it. What counts is running; who
 * counts nothing for long stands still. To be called again where the log may have been opened anew. */
void clogbuffer_count(sqlite3 *database, unsigned long long *count);

/* What has been counted, from any thread. */
unsigned long long clogbuffer_counted(const unsigned long long *count);

#endif
